#include "core/image/cryptomatte.h"

#include "core/image/split_groups.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

static std::vector<std::string> cryptomattes_of(const Picture& picture) {
  std::vector<std::string> names;
  for (const auto& [name, type, value] : picture.attributes)
    if (name.starts_with("cryptomatte/") && name.ends_with("/name") && type == "string" && !value.empty())
      names.emplace_back(value.begin(), value.end());
  return names;
}

static bool is_rank_of(std::string_view cryptomatte, std::string_view channel) {
  if (!channel.starts_with(cryptomatte)) return false;
  const std::string_view rest = channel.substr(cryptomatte.size());
  const size_t dot = rest.find_first_not_of("0123456789");
  return dot != 0 && dot != rest.npos && rest[dot] == '.';
}

void mark_cryptomattes(Picture& picture) {
  const std::vector<std::string> names = cryptomattes_of(picture);
  if (names.empty()) return;
  const auto is_rank = [&](const Channel& channel) {
    return std::ranges::any_of(names, [&](const std::string& name) { return is_rank_of(name, channel.name); });
  };
  split_groups(picture, is_rank);
  for (Group& group : picture.groups) group.is_cryptomatte = !group.is_color && is_rank(group.channels[0]);
}

}  // namespace gpupost
