// Pulls each texel of a result from a position between the texels of a picture: options, definition, and what its passes share.
#pragma once

#include "core/plan/builder.h"
#include "core/reference/filter.h"

#include <functional>
#include <optional>
#include <string>

namespace gpupost {

enum class Sampler { catmull_rom, bilinear, nearest, lanczos3 };

// Settings of a call with sampler_param() and sample_border_param().
struct Sampling {
  Sampler filter = Sampler::catmull_rom;
  Border border = Border::black;
};
Param sampler_param();
Param sample_border_param();
Sampling sampling_of(const Call& call);

// Positions are multiples of 1 / position_steps texels, and the device and the definition agree on them exactly. An error of a
// position would be multiplied by the differences of bright and dark texels.
constexpr int position_bits = 15, position_steps = 1 << position_bits;

// A position in a picture: from the center of texel (x, y), which may be outside, part_x and part_y steps to the right and down.
struct SamplePosition {
  int x = 0, y = 0, part_x = 0, part_y = 0;
};
// The position from which a texel of the result is pulled. Empty: the texel becomes transparent black.
using SampleAt = std::function<std::optional<SamplePosition>(Position)>;

Planes sampled(const Planes& from, Size to, const Sampling& sampling, const SampleAt& position_of);
Planes sampled_tolerance(const Planes& from, const Planes& error, Size to, const Sampling& sampling,
                         const SampleAt& position_of, Depth depth);
// The texel at a position, for channels that must not be mixed; {-1, -1} if there is none.
Position nearest_to(const std::optional<SamplePosition>& position, Size from, Border border);

// Texels to each side of a position that a filter reads.
int radius_of(Sampler filter);

// The region of a picture of this size that is read for positions whose texels are between `least` and `most`.
Region region_of_samples(Position least, Position most, Size size, const Sampling& sampling);

// The pass of a kernel that includes shared/sampling.glsl and makes `made` texels. `corner`: of the current image in the whole
// picture, which has the size `from`.
PassSpec sampling_pass(const PlanBuilder& builder, std::string name, std::string_view kernel, const Sampling& sampling,
                       Size from, Position corner, Size made);

}  // namespace gpupost
