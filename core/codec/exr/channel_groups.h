// Groups the channels of an EXR file.
#pragma once

#include "core/image/picture.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// A group without texels, and the channel for each of its components.
struct ExrGroup {
  Group group;
  std::array<int, 4> sources = {-1, -1, -1, -1};  // index of a channel in the file; -1: none
  bool has_chroma = false;                        // R, G and B are RY, Y and BY in the file and must be converted
};

// The color of `layer` ("": channels without a dot) first, if there is one; then all other channels in alphabetical
// order, four per group. Throws Error(Exit::input) for an unknown layer, with the names of all layers.
std::vector<ExrGroup> group_channels(std::span<const Channel> channels, const std::string& layer);

}  // namespace gpupost
