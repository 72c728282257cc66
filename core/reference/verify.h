// Compares the result of the device with the CPU reference, for --verify.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The largest error in one level, relative to the tolerance; a share above 1 is a failure.
struct LevelCheck {
  int level = 0;
  double found = 0, expected = 0;  // values of the worst component
  double error = 0;                // their difference
  double tolerance = 0;            // tolerance at that texel
  double share = 0;                // error / tolerance; infinite if only one value is NaN or infinite
  Size at;                         // position of the texel
  int component = 0;               // 0 to 3
};

// The reference result of a chain, and the allowed error, level by level.
struct Expected {
  std::vector<Planes> levels, tolerance;
  Depth depth = Depth::half;    // depth of the result
  bool mixes_channels = false;  // sums in XYZ: a NaN or an infinity in R, G or B may reach all three
};

// Storage of images between ops, if it differs from the chain's depth.
struct Between {
  bool is_yxy = false;
  bool is_packed = false;  // B10G11R11
  bool fuses = true;       // measurements and passes load through the point ops before them
};

// `base`, the chain's input, holds four numbers of `depth` a texel. Each op adds its tolerance to what the op before it has
// left: where its row says nothing else k * (3 * 2^-22 * m + 2^-126) for floats, k * (3 * 2^-11 * m + 2^-24) for halves and,
// since half arithmetic may round them as well, k * (3 * 2^-11 * m + 0.6 / 255) for 8 bits at level k of mips, k = 1 for
// all other ops, m the mean of the absolute values of the texels that contribute; nothing for an op that is exact. Numbers
// over what the depth holds are clamped to its largest. Between ops, where pictures are kept in another way, that clamps.
Expected expected_of(std::span<const Call> calls, const Level& base, Depth depth, const Between& between = {});
// Reference for call `index` of the chain.
Expected expected_before(std::span<const Call> calls, size_t index, const Level& base, Depth depth,
                         const Between& between = {});

// Checks every texel of `levels`, which starts at level `first_level` of the result, with four values per texel.
std::vector<LevelCheck> verify(const Expected& expected, std::span<const Level> levels, int first_level);
// Computes the reference and checks one result.
std::vector<LevelCheck> verify(std::span<const Call> calls, const Level& base, std::span<const Level> levels,
                               int first_level, Depth depth, const Between& between = {});

// The numbers of a level of four a texel.
Planes planes_of(const Level& level, Depth depth);

// "level 3: largest error 1.2e-07 at (4, 2), channel r, 0.31 times the tolerance 3.9e-07"
std::string describe(const LevelCheck& check);

}  // namespace gpupost
