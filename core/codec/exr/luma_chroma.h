// EXR images with luminance and chroma: Y, RY = (R - Y) / Y and BY = (B - Y) / Y.
#pragma once

#include "core/codec/exr/channel_groups.h"
#include "core/codec/exr/header.h"

namespace gpupost {

// Returns whether RY and BY have half the resolution along x and y, as OpenEXR writes them.
bool has_halved_chroma(const ExrHeader& header, const ExrGroup& color);

// Reads such color into `to`, which is half, like OpenEXR's RgbaInputFile: a filter enlarges chroma. Throws
// Error(Exit::input).
void read_halved_chroma(Bytes file, const ExrHeader& header, const ExrLevel& level, const std::string& layer,
                        Group& to);

// Converts RY, Y and BY to R, G and B with the luminances of the chromaticities. Throws Error(Exit::input).
void make_colors(const ExrHeader& header, Group& group);

// Renames the channels to R, G and B of `layer`.
void name_colors(Group& group, const std::string& layer);

}  // namespace gpupost
