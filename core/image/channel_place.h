// Channels of an image and where they are. Images with the same channels may hold them in other groups, if the types differ.
#pragma once

#include "core/image/picture.h"

#include <string>
#include <vector>

namespace gpupost {

// Position of a channel in an image.
struct ChannelPlace {
  const Group* group = nullptr;
  size_t component = 0;

  bool is_uint() const { return group->depth == Depth::u32; }
};

struct NamedChannel {
  std::string name;
  ChannelPlace place;
};

std::vector<NamedChannel> channels_of(const Picture& picture);
// The channel with this name, which must exist.
ChannelPlace channel_named(const Picture& picture, const std::string& name);

// Value of a channel at texel `index`, counted row by row. Integers become 0 to 1, except uint.
double number_at(const ChannelPlace& place, size_t texel);

}  // namespace gpupost
