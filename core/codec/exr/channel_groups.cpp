#include "core/codec/exr/channel_groups.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace gpupost {

namespace {

std::string_view layer_of(std::string_view channel) {
  const size_t dot = channel.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : channel.substr(0, dot);
}

// The first three sources of `channels --list` for the color of a layer whose R, G, B or Y are uint; else empty.
std::vector<std::string> uint_color_of(std::span<const Channel> channels, const std::string& layer) {
  const auto has = [&](char letter) {
    return std::ranges::find(channels, layer + "." + letter, &Channel::name) != channels.end();
  };
  if (!has('R') && !has('G') && !has('B'))
    return has('Y') && !has('X') ? std::vector<std::string>(3, layer + ".Y") : std::vector<std::string>();
  std::vector<std::string> sources;
  for (const char letter : {'R', 'G', 'B'}) sources.push_back(has(letter) ? layer + "." + letter : "0");
  return sources;
}

// The place of a channel by its usual names: first, second, third, any other, last.
int usual_place_of(std::string_view channel) {
  constexpr std::string_view names[][4] = {
      {"red", "r", "x", "u"}, {"green", "g", "y", "v"}, {"blue", "b", "z"}, {}, {"alpha", "a", "w"}};
  const std::string name = lower_case(channel.substr(channel.rfind('.') + 1));
  const auto has_name = [&](const auto& list) { return std::ranges::find(list, name) != std::end(list); };
  const auto found = std::ranges::find_if(names, has_name);
  return found == std::end(names) ? 3 : int(found - names);
}

// Sources of `channels --list` for a layer without R, G, B or Y: three of its channels, and its alpha.
std::vector<std::string_view> likely_color_of(std::span<const Channel> channels, const std::string& layer) {
  std::vector<std::string_view> names;
  for (const Channel& channel : channels)
    if (layer_of(channel.name) == layer) names.emplace_back(channel.name);
  std::ranges::stable_sort(names, {}, usual_place_of);
  const std::string_view last = names.back();
  const std::string last_name = lower_case(last.substr(layer.size() + 1));
  const bool has_alpha = names.size() > 3 && (last_name == "a" || last_name == "alpha");
  names.resize(3, last);
  if (has_alpha) names.push_back(last);
  return names;
}

[[noreturn]] void refuse_layer(std::span<const Channel> channels, const std::string& layer) {
  std::set<std::string_view> layers;
  for (const Channel& channel : channels) layers.insert(layer_of(channel.name));
  layers.erase("");
  if (layers.contains(layer)) {
    if (const std::vector<std::string> sources = uint_color_of(channels, layer); !sources.empty())
      fail(Exit::input, "the color of layer {} is uint; use `channels --list {}` instead of --layer", layer,
           fmt::join(sources, ","));
    fail(Exit::input,
         "layer {} has no color (channels R, G, B, or Y without X); use `channels --list {}` instead of --layer", layer,
         fmt::join(likely_color_of(channels, layer), ","));
  }
  if (layers.empty()) layers.insert("none");
  fail(Exit::input, "has no layer {}; it has {}", layer, fmt::join(layers, ", "));
}

// Index of a half or float channel; -1 if there is none. Uint channels are not color.
int index_of(std::span<const Channel> channels, const std::string& name) {
  const auto found = std::ranges::find(channels, name, &Channel::name);
  return found == channels.end() || !is_float(found->depth) ? -1 : int(found - channels.begin());
}

// X and Y belong to a vector or a position; Y without X is luminance.
int luminance_of(std::span<const Channel> channels, const std::string& prefix) {
  return index_of(channels, prefix + "X") >= 0 ? -1 : index_of(channels, prefix + "Y");
}

void add(ExrGroup& to, size_t component, std::span<const Channel> channels, int source) {
  if (source < 0) return;
  const Channel& channel = channels[size_t(source)];
  to.sources[component] = source;
  to.group.channels[component] = channel;
  if (to.group.depth != channel.depth) to.group.depth = Depth::f32;
}

ExrGroup group_starting_as(Depth depth) {
  ExrGroup group;
  group.group.depth = depth;
  return group;
}

// No sources: the layer has no color.
ExrGroup color_group(std::span<const Channel> channels, const std::string& layer) {
  const std::string prefix = layer.empty() ? "" : layer + ".";
  std::array<int, 4> sources = {index_of(channels, prefix + "R"), index_of(channels, prefix + "G"),
                                index_of(channels, prefix + "B"), index_of(channels, prefix + "A")};
  const int luminance = luminance_of(channels, prefix);
  const bool is_luminance = std::ranges::all_of(std::span(sources).first(3), [](int s) { return s < 0; });
  if (is_luminance && luminance < 0) return {};
  const int red_chroma = index_of(channels, prefix + "RY"), blue_chroma = index_of(channels, prefix + "BY");
  const bool has_chroma = is_luminance && red_chroma >= 0 && blue_chroma >= 0;
  if (has_chroma) sources = {red_chroma, luminance, blue_chroma, sources[3]};
  else if (is_luminance) sources[0] = luminance;
  const auto first = std::ranges::find_if(sources, [](int s) { return s >= 0; });
  ExrGroup color = group_starting_as(channels[size_t(*first)].depth);
  for (size_t component = 0; component < 4; ++component) add(color, component, channels, sources[component]);
  if (is_luminance && !has_chroma) color.sources[1] = color.sources[2] = luminance;
  color.has_chroma = has_chroma;
  color.group.is_color = true;
  color.group.is_luminance = is_luminance && !has_chroma;
  return color;
}

}  // namespace

std::vector<ExrGroup> group_channels(std::span<const Channel> channels, const std::string& layer) {
  std::vector<ExrGroup> groups;
  ExrGroup color = color_group(channels, layer);
  const std::array<int, 4> taken = color.sources;
  if (color.group.is_color) groups.push_back(std::move(color));
  else if (!layer.empty()) refuse_layer(channels, layer);
  for (const bool of_floats : {true, false}) {
    size_t component = 4;  // next component of the last group; 4: it is full
    for (int source = 0; source < int(channels.size()); ++source) {
      const Depth depth = channels[size_t(source)].depth;
      if (is_float(depth) != of_floats || std::ranges::find(taken, source) != taken.end()) continue;
      if (component == 4) {
        groups.push_back(group_starting_as(depth));
        component = 0;
      }
      add(groups.back(), component++, channels, source);
    }
  }
  return groups;
}

}  // namespace gpupost
