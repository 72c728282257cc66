// A picture's channels by the names that `gpupost info` prints.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Where a channel stands in its picture.
struct Place {
  const Group* group = nullptr;
  size_t component = 0;
};

struct Named {
  std::string name;
  Place place;
};

std::vector<Named> channels_of(const Picture& picture);

// A channel's number of a texel, the texels counted row by row: of integers 0 to 1, but for uint, which stand for things.
double number_at(const Place& place, size_t texel);

// Makes those channels the picture's colour that a call of `channels` at the front of the chain takes by such names, each at its
// place in the list. They are none beside it any more. Throws Error(Exit::usage) where the picture has no such channel.
void take_named_channels(std::span<const Call> calls, Picture& picture);

}  // namespace gpupost
