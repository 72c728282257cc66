// What a call of `channels` makes R, G, B and alpha of.
#pragma once

#include "core/op/op.h"

#include <array>
#include <optional>
#include <string>

namespace gpupost {

// What an output channel is: a channel of the picture, or a number.
struct ChannelSource {
  std::string channel;  // R, G, B or A of the color, or a name that `gpupost info` prints; "": the number
  double number = 0;
};

struct ChannelSources {
  std::array<ChannelSource, 4> of;  // R, G, B, A
  bool has_alpha = false;           // is alpha among them?

  // Does it name channels that the color has not? Before such a call each of its channels has been brought to its place.
  bool has_names() const;
};

std::optional<ChannelSources> channel_sources(std::string_view list);
ChannelSources channel_sources(const Call& call);

// The component that R, G, B and A are; nothing for other names.
std::optional<size_t> component_named(std::string_view channel);

}  // namespace gpupost
