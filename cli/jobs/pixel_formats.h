// How numbers are kept on their way, from what was asked for and what came in.
#pragma once

#include "cli/options/global_options.h"

namespace gpupost {

// Refuses --bits that a format cannot hold, --transfer srgb where it holds floats alone and --dither where it holds no 8
// bits: throws Error(Exit::usage).
void check_numbers(const Globals& globals, const Format& format);

// Of the colour in the output: as asked for, else as it came in as far as the format can hold it.
Depth output_depth(const Globals& globals, const Format& format, Depth came_in);

// Of the colour in the output, which has this depth. Throws Error(Exit::usage) for an srgb that there is not.
Transfer output_transfer(const Globals& globals, const Format& format, Depth depth);

// Refuses --dither where the output's colour has this depth and that is not 8 bits: throws Error(Exit::usage).
void check_dither(const Globals& globals, Depth depth);

// Of the working picture between decoding and encoding, half or f32: half where neither end has more.
Depth working_depth(Depth came_in, Depth goes_out);

// Of the pictures on the device: as asked for, else the working depth.
Depth storage_of(const Globals& globals, Depth came_in, Depth goes_out);

// What the chain is planned for: a group of channels of a picture of this size.
PlanInput plan_input(const Globals& globals, Size size, Depth storage, bool is_colour);

}  // namespace gpupost
