#include "core/image/channel_place.h"

#include "core/base/error.h"
#include "core/image/number.h"

#include <algorithm>

namespace gpupost {

std::vector<NamedChannel> channels_of(const Picture& picture) {
  std::vector<NamedChannel> channels;
  for (const Group& group : picture.groups)
    for (size_t component = 0; component < 4; ++component)
      if (const std::string& name = group.channels[component].name; !name.empty())
        channels.push_back({name, {&group, component}});
  return channels;
}

ChannelPlace channel_named(const Picture& picture, const std::string& name) {
  const std::vector<NamedChannel> channels = channels_of(picture);
  const auto found = std::ranges::find(channels, name, &NamedChannel::name);
  if (found == channels.end()) fail(Exit::bug, "no channel {}", name);
  return found->place;
}

double number_at(const ChannelPlace& place, size_t texel) {
  const TexelBuffer& texels = place.group->levels[0].texels;
  const Depth depth = place.group->depth;
  return number_at(texels.data() + (4 * texel + place.component) * bytes_of(depth), depth);
}

}  // namespace gpupost
