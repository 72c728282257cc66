// Chooses the depths and transfer of values, from the settings and the input.
#pragma once

#include "core/pipeline/job.h"
#include "core/pipeline/settings.h"

namespace gpupost {

// Throws Error(Exit::usage) for --bits that a format cannot hold, for --transfer srgb with a float-only format, and for
// --dither without 8 bits.
void check_numbers(const OutputSettings& output, const Format& format);

// Depth of a group's channels in the file: it may be less than that of the texels, where a profile or `channels` needs floats.
Depth file_depth_of(const Group& group);

// Depth of the output's color: --bits, else the depth of the chain's result if the format can hold it.
Depth choose_output_depth(const ChainRequest& request, const Format& format, Depth input_depth);

// Throws Error(Exit::usage) if one file cannot hold this number of levels.
void check_levels(const Job& job, int level_count);

// Refuses primaries for data, and for encoded values unless their curve is given too. Throws Error(Exit::usage).
void check_output_primaries(const OutputSettings& output, std::span<const Call> calls);

// Returns whether the format records this transfer at this depth, with the compression of `output`.
bool can_hold(const OutputSettings& output, const Format& format, Depth depth, Transfer transfer);
// Transfer of the output's color at this depth. Throws Error(Exit::usage) if srgb is not possible.
Transfer output_transfer(const OutputSettings& output, const Format& format, Depth depth);

// Throws Error(Exit::usage) for --dither if the output's color is not 8 bits.
void check_dither(const OutputSettings& output, Depth depth);

// Depth of the image between decoding and encoding: half, or f32 if the input or the output needs more.
Depth working_depth(Depth input_depth, Depth output_depth);

// Depth of images on the device: --storage, else half with --fp16, else the working depth. 8-bit inputs of chains with
// `stats` or `luminance` are f32, so that these do not measure rounded values. Chains with `mips --bleed` are f32, because the
// color of the last levels is divided by an alpha that may be too small for half.
Depth storage_of(const ChainRequest& request, Depth input_depth, Depth output_depth);

// Input of the planner for a group of channels of an image of this size.
PlanInput plan_input(const PassSettings& passes, Size size, Depth storage, bool is_color);

}  // namespace gpupost
