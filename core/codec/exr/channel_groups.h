// Which channels of an EXR file travel together.
#pragma once

#include "core/image/picture.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// A group without texels, and where each of its components comes from.
struct ExrGroup {
  Group group;
  std::array<int, 4> sources = {-1, -1, -1, -1};  // channels of the file; -1: none
  bool has_chroma = false;  // the sources of R, G and B are RY, Y and BY, which are not colors yet
};

// The color of `layer` ("": channels without a dot) first, if the file has it, then all others by four in alphabetical
// order. Throws Error(Exit::input) for a layer that is not there, naming those that are.
std::vector<ExrGroup> group_channels(std::span<const Channel> channels, const std::string& layer);

}  // namespace gpupost
