// Pictures of luminance and chroma, whose channels are Y, RY = (R - Y) / Y and BY = (B - Y) / Y.
#pragma once

#include "core/codec/exr/channel_groups.h"
#include "core/codec/exr/header.h"

namespace gpupost {

// Has the color one number of RY and BY for two columns and two lines, as OpenEXR writes it?
bool has_halved_chroma(const ExrHeader& header, const ExrGroup& color);

// Reads color of such a level into `to`, of halves, as OpenEXR's RgbaInputFile does: chroma is widened by a filter. Throws
// Error(Exit::input).
void read_halved_chroma(Bytes file, const ExrHeader& header, const ExrLevel& level, const std::string& layer,
                        Group& to);

// Makes R, G and B of texels RY, Y and BY, with the luminances of the file's chromaticities. Throws the same.
void make_colors(const ExrHeader& header, Group& group);

// Calls the channels what they are now: R, G and B of `layer`.
void name_colors(Group& group, const std::string& layer);

}  // namespace gpupost
