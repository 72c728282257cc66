#include "core/image/channel_attributes.h"

#include "core/image/attributes.h"
#include "core/image/channel_names.h"
#include "core/image/cryptomatte.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The view of a channel, "" for the first one. Source: OpenEXR, "Multi-View EXR Files": the part of the name before the last one is a view
// or a layer of the first view.
static std::string view_of(std::string_view channel, const std::vector<std::string>& views) {
  const size_t end = channel.rfind('.');
  if (end == channel.npos) return "";
  const std::string_view before = channel.substr(0, end);
  const std::string_view part = before.substr(before.rfind('.') + 1);  // npos + 1 is 0
  return std::ranges::find(views, part) == views.end() ? "" : std::string(part);
}

static bool has_all_views(const std::vector<std::string>& views, const std::vector<std::string>& channels) {
  return std::ranges::all_of(views, [&](const std::string& view) {
    return std::ranges::any_of(channels, [&](const std::string& channel) {
      const std::string of_channel = view_of(channel, views);
      return of_channel == view || (of_channel.empty() && view == views.front());
    });
  });
}

// Whether a channel of the Cryptomatte is in `before` and not in `after`.
static bool lost_rank(const std::string& cryptomatte, const std::vector<std::string>& before,
                      const std::vector<std::string>& after) {
  return std::ranges::any_of(before, [&](const std::string& channel) {
    return is_rank_of(cryptomatte, channel) && std::ranges::find(after, channel) == after.end();
  });
}

void remove_attributes_of_lost_channels(const std::vector<std::string>& before, Picture& picture) {
  const std::vector<std::string> after = names_of(picture);
  std::erase_if(picture.attributes, [&](const Attribute& attribute) {
    if (attribute.name != "multiView" || attribute.type != "stringvector") return false;
    const auto views = string_vector(std::as_bytes(std::span(attribute.value)));
    return views && has_all_views(*views, before) && !has_all_views(*views, after);
  });
  std::vector<std::string> lost;
  for (const auto& [name, key] : cryptomattes_of(picture.attributes))
    if (lost_rank(name, before, after)) lost.push_back(key);
  std::erase_if(picture.attributes, [&](const Attribute& attribute) {
    return std::ranges::any_of(lost, [&](const std::string& key) { return attribute.name.starts_with(key); });
  });
}

}  // namespace gpupost
