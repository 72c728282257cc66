#include "core/image/channel_names.h"

#include "core/base/half.h"
#include "core/base/threads.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

namespace gpupost {

namespace {

constexpr std::string_view letters = "RGBA";

// The first channel that the file has, called by another letter.
Channel beside(const Group& color, char letter) {
  Channel channel = *std::ranges::find_if(color.channels, [](const Channel& c) { return !c.name.empty(); });
  channel.name.back() = letter;
  return channel;
}

bool is_same(float a, float b, double tolerance) {
  if (std::isfinite(a) && std::isfinite(b)) return std::abs(double(a) - double(b)) <= tolerance;
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Those of R, G and B, a bit each, that the group has no names for and in which a texel is not what stands for them: Y, or 0.
unsigned unnamed_in(const Group& color, const float* texel) {
  float most = 0;
  for (size_t c = 0; c < 3; ++c)
    if (std::isfinite(texel[c])) most = std::max(most, std::abs(texel[c]));
  const double tolerance = std::max(rounding(double(most), color.depth), 0x1p-16 * double(most));
  unsigned unnamed = 0;
  for (size_t c = 0; c < 3; ++c)
    if (color.channels[c].name.empty() && !is_same(texel[c], color.is_luminance ? texel[0] : 0, tolerance))
      unnamed |= 1u << c;
  return unnamed;
}

unsigned unnamed_in(const Group& color, const Level& level) {
  std::atomic<unsigned> unnamed = 0;
  const auto width = size_t(level.size.width);
  parallel_ranges(level.size.height, std::max(1, 65536 / level.size.width), [&](int begin, int end) {
    std::vector<float> row(4 * width);
    for (auto y = size_t(begin); y < size_t(end); ++y) {
      const size_t first = 4 * width * y;
      if (color.depth == Depth::half)
        floats_from_halves(level.texels.as<uint16_t>().data() + first, row.data(), row.size());
      else std::copy_n(level.texels.as<float>().data() + first, row.size(), row.begin());
      unsigned found = 0;
      for (size_t x = 0; x < width; ++x) found |= unnamed_in(color, &row[4 * x]);
      unnamed |= found;
    }
  });
  return unnamed;
}

}  // namespace

void name_colors(Group& color, GrayResult gray_result) {
  const bool has_all_names =
      std::ranges::none_of(std::span(color.channels).first(3), &std::string::empty, &Channel::name);
  if (has_all_names || (color.is_luminance && gray_result == GrayResult::gray)) return;
  unsigned unnamed = color.is_luminance && gray_result == GrayResult::color ? 0b111 : 0;
  if (unnamed == 0)
    for (const Level& level : color.levels) unnamed |= unnamed_in(color, level);
  if (unnamed != 0 && color.is_luminance) unnamed = 0b111;
  if (unnamed != 0) color.is_luminance = false;
  for (size_t c = 0; c < 3; ++c)
    if (unnamed >> c & 1) color.channels[c] = beside(color, letters[c]);
}

std::string layer_prefix(const Group& color) {
  const std::vector<std::string> names = names_of(color);
  return names.empty() ? "" : names.front().substr(0, names.front().size() - 1);
}

bool has_colors_beside(const Picture& picture) {
  const auto is_color = [](const Channel& channel) {
    const std::string last = channel.name.substr(channel.name.rfind('.') + 1);  // npos + 1 is 0
    return last == "R" || last == "G" || last == "B";
  };
  return std::ranges::any_of(picture.groups, [&](const Group& group) {
    return !group.is_color && group.depth != Depth::u32 && std::ranges::any_of(group.channels, is_color);
  });
}

std::vector<std::string> layers_with_color(const Picture& picture) {
  std::set<std::string> names, layers;
  for (const Group& group : picture.groups)
    for (const Channel& channel : group.channels)
      if (group.depth != Depth::u32) names.insert(channel.name);
  for (const std::string& name : names) {
    const std::string layer = name.substr(0, name.rfind('.') == name.npos ? 0 : name.rfind('.'));
    const bool is_color = name == layer + ".R" || name == layer + ".G" || name == layer + ".B";
    const bool is_gray = name == layer + ".Y" && !names.contains(layer + ".X");
    if (!layer.empty() && (is_color || is_gray)) layers.insert(layer);
  }
  return {layers.begin(), layers.end()};
}

void name_alike(std::span<Group* const> colors) {
  const auto has_color = [](const Group* group) { return !group->is_luminance; };
  const auto colored = std::ranges::find_if(colors, has_color);
  if (colored == colors.end()) return;
  const bool is_any_gray = !std::ranges::all_of(colors, has_color);  // which needs all three
  for (size_t c = 0; c < 3; ++c) {
    const auto named = std::ranges::find_if(
        colors, [&](const Group* group) { return has_color(group) && !group->channels[c].name.empty(); });
    if (named == colors.end() && !is_any_gray) continue;
    const std::string name = named == colors.end() ? beside(**colored, letters[c]).name : (*named)->channels[c].name;
    for (Group* group : colors) {
      Channel& channel = group->channels[c];
      if (channel.name.empty()) channel = beside(*group, letters[c]);
      channel.name = name;
    }
  }
  for (Group* group : colors) group->is_luminance = false;
}

void name_alpha(Group& color, bool has_alpha) {
  if (!color.is_color || color.has_alpha() == has_alpha) return;
  if (has_alpha) color.channels[3] = beside(color, 'A');
  else color.channels[3].name.clear();
}

void name_luminance(Group& color, Depth depth) {
  Channel luminance = beside(color, 'Y');
  luminance.depth = depth;
  color.channels = {luminance};
  color.is_luminance = true;
}

std::vector<std::string> drop_namesakes(Picture& picture) {
  std::vector<std::string> dropped;
  const Group& color = picture.groups.front();
  if (!color.is_color) return dropped;
  for (Group& group : std::span(picture.groups).subspan(1))
    for (Channel& channel : group.channels) {
      if (channel.name.empty() ||
          std::ranges::find(color.channels, channel.name, &Channel::name) == color.channels.end())
        continue;
      dropped.push_back(channel.name);
      channel.name.clear();
    }
  const auto is_unnamed = [](const Group& group) {
    return std::ranges::all_of(group.channels, [](const Channel& channel) { return channel.name.empty(); });
  };
  std::erase_if(picture.groups, [&](const Group& group) { return !group.is_color && is_unnamed(group); });
  return dropped;
}

std::vector<std::string> names_of(const Group& group) {
  std::vector<std::string> names;
  for (const Channel& channel : group.channels)
    if (!channel.name.empty()) names.push_back(channel.name);
  return names;
}

std::vector<std::string> names_of(const Picture& picture) {
  std::vector<std::string> names;
  for (const Group& group : picture.groups) std::ranges::move(names_of(group), std::back_inserter(names));
  return names;
}

}  // namespace gpupost
