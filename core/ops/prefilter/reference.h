// The definition of a filtered environment.
#pragma once

#include "core/op/op.h"
#include "core/ops/prefilter/lobe.h"

#include <span>
#include <vector>

namespace gpupost {

// Values beyond this count as this, so that sums do not overflow.
inline constexpr double largest_environment_value = 1e37;
// The pass adds up so many samples at a time.
inline constexpr int samples_per_sum = 64;

// A row of six faces of an image, each a value for each corner of its cells.
class CornerPyramid {
 public:
  explicit CornerPyramid(const Planes& strip);

  const CellLevels& levels() const { return levels_; }
  // `corner`: column and row, from 0 to cells.
  const Color& at(int level, int face, Position corner) const;

 private:
  CellLevels levels_;
  std::vector<std::vector<Color>> corners_;  // of each level
};

// The mean around the direction of each texel of a row of faces of this size.
Planes filtered_environment(const CornerPyramid& pyramid, std::span<const LobeSample> samples, Size made);
// The error of the device if the values of the strip have errors. `sizes`: of their absolute values.
Planes filtered_environment_tolerance(const CornerPyramid& sizes, const CornerPyramid& errors,
                                      std::span<const LobeSample> samples, Size made, Depth depth);

}  // namespace gpupost
