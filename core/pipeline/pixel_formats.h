// How numbers are kept on their way, from what was asked for and what came in.
#pragma once

#include "core/pipeline/settings.h"

namespace gpupost {

// Refuses --bits that a format cannot hold, --transfer srgb where it holds floats alone and --dither where it holds no 8
// bits: throws Error(Exit::usage).
void check_numbers(const OutputSettings& output, const Format& format);

// Of the color in the output: as asked for, else as it came in as far as the format can hold it.
Depth choose_output_depth(const ChainRequest& request, const Format& format, Depth input_depth);

// Of the color in the output, which has this depth. Throws Error(Exit::usage) for an srgb that there is not.
Transfer output_transfer(const OutputSettings& output, const Format& format, Depth depth);

// Refuses --dither where the output's color has this depth and that is not 8 bits: throws Error(Exit::usage).
void check_dither(const OutputSettings& output, Depth depth);

// Of the working picture between decoding and encoding, half or f32: half where neither end has more.
Depth working_depth(Depth input_depth, Depth output_depth);

// Of the pictures on the device: as asked for, else the working depth.
Depth storage_of(const PassSettings& passes, Depth input_depth, Depth output_depth);

// What the chain is planned for: a group of channels of a picture of this size.
PlanInput plan_input(const PassSettings& passes, Size size, Depth storage, bool is_color);

}  // namespace gpupost
