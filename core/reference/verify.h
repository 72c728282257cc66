// The device's result against the definition in double.
#pragma once

#include "core/op/op.h"

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

// What a chain makes of a picture by definition, and how far a device may be off, level by level.
struct Expected {
  std::vector<Planes> levels, tolerance;
  Depth depth = Depth::half;  // of the result
};

// How pictures are kept between ops, where that is not as numbers of the chain's depth.
struct Between {
  bool is_yxy = false;
  bool is_packed = false;  // 11:11:10 bits
};

// `base`, the chain's input, holds four numbers of `depth` a texel. Each op adds its tolerance to what the op before it has
// left: where its row says nothing else k * (3 * 2^-22 * m + 2^-126) for floats, k * (3 * 2^-11 * m + 2^-24) for halves and,
// since half arithmetic may round them as well, k * (3 * 2^-11 * m + 0.6 / 255) for 8 bits at level k of mips, k = 1 for
// all other ops, m the mean of the absolute values of the texels that contribute; nothing for an op that is exact. Numbers
// over what the depth holds are clamped to its largest. Between ops, where pictures are kept in another way, that clamps.
Expected expected_of(std::span<const Call> calls, const Level& base, Depth depth, const Between& between = {});
// What call `index` of the chain finds.
Expected expected_before(std::span<const Call> calls, size_t index, const Level& base, Depth depth,
                         const Between& between = {});

// Checks every texel of `levels`, the result's levels from `first_level` on, four numbers a texel.
std::vector<LevelCheck> verify(const Expected& expected, std::span<const Level> levels, int first_level);
// Both at once, for one result.
std::vector<LevelCheck> verify(std::span<const Call> calls, const Level& base, std::span<const Level> levels,
                               int first_level, Depth depth, const Between& between = {});

// "level 3: largest error 1.2e-07 at (4, 2).r, 0.31 of the tolerance 3.9e-07"
std::string describe(const LevelCheck& check);

}  // namespace gpupost
