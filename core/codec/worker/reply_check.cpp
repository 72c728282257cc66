#include "core/codec/worker/reply_check.h"

#include <algorithm>
#include <climits>
#include <set>
#include <string_view>

namespace gpupost {

namespace {

constexpr int max_level_count = 32;
constexpr size_t max_compression_bytes = 16, max_warning_count = 16;

template <class Enum>
bool is_within(Enum value, Enum last) {
  return int(value) >= 0 && int(value) <= int(last);
}

bool is_name(const std::string& text) { return text.size() <= max_name_bytes && text.find('\0') == std::string::npos; }

// Whether a window is not empty and near enough to the origin that sides and corners fit in int, as OpenEXR requires.
bool is_sensible(const Window& window) {
  constexpr int most = INT_MAX / 2;
  return window.min_x <= window.max_x && window.min_y <= window.max_y && std::min(window.min_x, window.min_y) > -most &&
         std::max(window.max_x, window.max_y) < most;
}

bool is_within_limits(const Window& window, const Limits& limits) {
  const Size size = size_of(window);
  return size.width <= limits.side && size.height <= limits.side && texel_count(size) <= limits.texel_count;
}

bool is_sensible(const Group& group, Size size, bool is_first) {
  const bool has_names = std::ranges::all_of(group.channels, [](const Channel& channel) {
    return is_name(channel.name) && is_within(channel.depth, Depth::f32);
  });
  return has_names && is_within(group.depth, Depth::f32) && (is_first || !group.is_color) &&
         (group.is_color || !group.is_luminance) && (group.has_alpha() || !group.is_data) &&
         !(group.is_color && group.depth == Depth::u32) && group.levels.size() == 1 && group.levels[0].size == size;
}

bool are_sensible(const std::vector<Group>& groups, Size size, const Limits& limits) {
  if (groups.empty() || int(groups.size()) > limits.channel_count) return false;
  std::set<std::string_view> names;
  for (const Group& group : groups) {
    if (!is_sensible(group, size, &group == &groups[0])) return false;
    for (const Channel& channel : group.channels)
      if (!channel.name.empty() && !names.insert(channel.name).second) return false;
  }
  return true;
}

bool are_sensible(const std::vector<Attribute>& attributes) {
  std::set<std::string_view> names;
  return std::ranges::all_of(attributes, [&](const Attribute& attribute) {
    return is_name(attribute.name) && is_name(attribute.type) && !attribute.name.empty() &&
           names.insert(attribute.name).second;
  });
}

bool is_sensible(const OtherParts& others) {
  return others.index >= 0 && is_name(others.name) && others.names.size() <= most_parts &&
         std::ranges::all_of(others.names, is_name);
}

bool is_sensible(const FilePart& part) { return is_name(part.name) && std::ranges::all_of(part.channels, is_name); }

bool is_sensible(const Picture& picture, const Limits& limits) {
  return is_name(picture.format) && picture.compression.size() <= max_compression_bytes &&
         picture.file_level_count >= 1 && picture.file_level_count <= max_level_count &&
         is_sensible(picture.data_window) && is_within_limits(picture.data_window, limits) &&
         is_sensible(picture.display_window) && is_within(picture.transfer, Transfer::hlg) && picture.exponent > 0 &&
         picture.exponent <= 1000 && is_within(picture.alpha, Alpha::straight) &&
         are_sensible(picture.groups, picture.size(), limits) && are_sensible(picture.attributes);
}

}  // namespace

bool is_sensible(const Reply& reply, const Limits& limits) {
  if (reply.exit != Exit::done) return reply.exit == Exit::input || reply.exit == Exit::limit;
  const auto& [picture, parts, warnings, write_warnings, others] = reply.decoded;
  return is_sensible(picture, limits) && is_sensible(others) &&
         picture.groups.size() + (reply.others_bytes > 0) == reply.offsets.size() && parts.size() <= most_parts &&
         std::ranges::all_of(parts, [](const FilePart& part) { return is_sensible(part); }) &&
         warnings.size() <= max_warning_count && write_warnings.size() <= max_warning_count;
}

std::optional<std::vector<TexelRange>> texel_ranges(const Reply& reply, uint64_t memory_bytes, uint64_t page_bytes) {
  std::vector<TexelRange> ranges;
  uint64_t end = 0;
  for (size_t index = 0; index < reply.offsets.size(); ++index) {
    const std::vector<Group>& groups = reply.decoded.picture.groups;
    const size_t bytes = index < groups.size()
                             ? texel_count(groups[index].levels[0].size) * 4 * bytes_of(groups[index].depth)
                             : size_t(reply.others_bytes);
    const uint64_t offset = reply.offsets[index];
    if (offset % page_bytes != 0 || offset < end || offset > memory_bytes || bytes > memory_bytes - offset)
      return std::nullopt;
    ranges.push_back({.offset = offset, .bytes = bytes});
    end = offset + bytes;
  }
  return ranges;
}

}  // namespace gpupost
