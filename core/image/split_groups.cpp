#include "core/image/split_groups.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace gpupost {

// Makes a group of the components for which `keeps` is true, in order.
static Group picked(const Group& group, const std::function<bool(const Channel&)>& keeps) {
  Group made{.channels = {}, .depth = group.depth, .is_cryptomatte = group.is_cryptomatte};
  std::vector<size_t> from;
  for (size_t component = 0; component < 4; ++component)
    if (const Channel& channel = group.channels[component]; !channel.name.empty() && keeps(channel)) {
      made.channels[from.size()] = channel;
      from.push_back(component);
    }
  const size_t bytes = bytes_of(group.depth);
  for (const Level& level : group.levels) {
    Level& copy = made.levels.emplace_back(Level{level.size, TexelBuffer(level.texels.size())});
    for (size_t texel = 0; texel < texel_count(level.size); ++texel)
      for (size_t to = 0; to < from.size(); ++to)
        std::memcpy(copy.texels.data() + (4 * texel + to) * bytes, level.texels.data() + (4 * texel + from[to]) * bytes,
                    bytes);
  }
  return made;
}

void split_groups(Picture& picture, const std::function<bool(const Channel&)>& belongs) {
  std::vector<Group> groups;
  for (Group& group : picture.groups) {
    const auto is_named = [](const Channel& channel) { return !channel.name.empty(); };
    const auto named_count = std::ranges::count_if(group.channels, is_named);
    const auto count = std::ranges::count_if(
        group.channels, [&](const Channel& channel) { return is_named(channel) && belongs(channel); });
    if (!group.is_color && count > 0 && count < named_count) {
      groups.push_back(picked(group, belongs));
      groups.push_back(picked(group, [&](const Channel& channel) { return !belongs(channel); }));
    } else {
      groups.push_back(std::move(group));
    }
  }
  picture.groups = std::move(groups);
}

}  // namespace gpupost
