#include "core/image/cryptomatte.h"

#include "core/image/split_groups.h"

#include <algorithm>

namespace gpupost {

std::vector<Cryptomatte> cryptomattes_of(const std::vector<Attribute>& attributes) {
  constexpr std::string_view prefix = "cryptomatte/";
  std::vector<Cryptomatte> found;
  for (const auto& [name, type, value] : attributes)
    if (const size_t end = name.rfind('/'); type == "string" && !value.empty() && name.ends_with("/name") &&
                                            name.starts_with(prefix) && end > prefix.size())
      found.push_back({{value.begin(), value.end()}, name.substr(0, end + 1)});
  return found;
}

bool is_rank_of(std::string_view cryptomatte, std::string_view channel) {
  if (!channel.starts_with(cryptomatte)) return false;
  const std::string_view rest = channel.substr(cryptomatte.size());
  const size_t dot = rest.find_first_not_of("0123456789");
  return dot != 0 && dot != rest.npos && rest[dot] == '.';
}

bool is_rank_of_any(const std::vector<Cryptomatte>& cryptomattes, const Channel& channel) {
  return std::ranges::any_of(cryptomattes, [&](const Cryptomatte& one) { return is_rank_of(one.name, channel.name); });
}

void mark_cryptomattes(Picture& picture) {
  const std::vector<Cryptomatte> cryptomattes = cryptomattes_of(picture.attributes);
  if (cryptomattes.empty()) return;
  const auto is_rank = [&](const Channel& channel) { return is_rank_of_any(cryptomattes, channel); };
  split_groups(picture, is_rank);
  for (Group& group : picture.groups) group.is_cryptomatte = !group.is_color && is_rank(group.channels[0]);
}

const Channel* rank_of_color(const Picture& picture) {
  const Group& color = picture.groups.front();
  const std::vector<Cryptomatte> cryptomattes = cryptomattes_of(picture.attributes);
  const auto found = std::ranges::find_if(
      color.channels, [&](const Channel& channel) { return is_rank_of_any(cryptomattes, channel); });
  return color.is_color && found != color.channels.end() ? &*found : nullptr;
}

void remove_cryptomattes_of_color(Picture& picture) {
  const Group& color = picture.groups.front();
  if (!color.is_color) return;
  for (const Cryptomatte& one : cryptomattes_of(picture.attributes))
    if (std::ranges::any_of(color.channels, [&](const Channel& channel) { return is_rank_of(one.name, channel.name); }))
      std::erase_if(picture.attributes, [&](const Attribute& a) { return a.name.starts_with(one.key); });
}

}  // namespace gpupost
