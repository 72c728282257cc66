// A picture's channels by the names that `gpupost info` prints.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Where a channel stands in its picture.
struct ChannelRef {
  const Group* group = nullptr;
  size_t component = 0;
};

struct NamedChannel {
  std::string name;
  ChannelRef place;
};

std::vector<NamedChannel> channels_of(const Picture& picture);

// A channel's number of a texel, the texels counted row by row: of integers 0 to 1, but for uint, which stand for things.
double number_at(const ChannelRef& place, size_t texel);

// Makes those channels the picture's color that a call of `channels` at the front of the chain takes by such names, each at its
// place in the list. They are none beside it any more. Throws Error(Exit::usage) where the picture has no such channel.
void take_named_channels(std::span<const Call> calls, Picture& picture);

}  // namespace gpupost
