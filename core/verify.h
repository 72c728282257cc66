// The device's result against the definition in double.
#pragma once

#include "core/op.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The largest difference in one level, as a share of what is tolerated there: over 1 is a failure.
struct LevelCheck {
  int level = 0;
  double error = 0;      // of the worst component, as it stands
  double tolerance = 0;  // there
  double share = 0;      // error / tolerance; infinite where one is a number and the other is not
  Size at;               // where: column and row
  int component = 0;     // 0 to 3
};

// Checks every texel of the levels behind the base against the row's reference, for a call of an op of which
// every_channel is true. `base` and `levels` hold four numbers of `depth` a texel. Tolerances: float passes within
// k * (3 * 2^-22 * m + 2^-126), half ones within k * (3 * 2^-11 * m + 2^-24), those of 8 bits, where half arithmetic may
// round as well, within k * (3 * 2^-11 * m + 0.5 / 255) at level k, m the mean of the absolute values of the texels that
// contribute.
std::vector<LevelCheck> verify(const Call& call, const Level& base, std::span<const Level> levels, Depth depth);

// "level 3: largest error 1.2e-07 at (4, 2).r, 0.31 of the tolerance 3.9e-07"
std::string describe(const LevelCheck& check);

}  // namespace gpupost
