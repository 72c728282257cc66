#include "core/pipeline/channel_lookup.h"

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/threads.h"
#include "core/image/attributes.h"
#include "core/image/channel_attributes.h"
#include "core/image/channel_names.h"
#include "core/image/number.h"
#include "core/image/to_working.h"
#include "core/ops/channels/list.h"
#include "core/ops/channels/row.h"
#include "core/pipeline/requirements.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpupost {

namespace {

// R, G, B or A of the color's layer. A uint one is in another group.
bool is_of_color_layer(const std::string& channel, const Picture& picture) {
  const Group& first = picture.groups.front();
  const std::string prefix = first.is_color ? layer_prefix(first) : "";
  return channel.starts_with(prefix) && component_named(std::string_view(channel).substr(prefix.size()));
}

// R, G, B and A are those of the color, whose names begin with its layer. A uint one is in another group.
ChannelPlace place_of(const Picture& picture, const std::string& channel) {
  const Group& first = picture.groups.front();
  const std::optional<size_t> component = first.is_color ? component_named(channel) : std::nullopt;
  const std::vector<NamedChannel> channels = channels_of(picture);
  const auto found =
      std::ranges::find(channels, component ? layer_prefix(first) + channel : channel, &NamedChannel::name);
  if (found != channels.end()) return found->place;
  if (component) return {&first, *component};  // the Y of a gray image, or a constant
  fail(Exit::usage, "channels: the image has no channel {}; it has {}", channel, fmt::join(names_of(picture), ", "));
}

// The type in the file. R, G and B of a gray image are all its Y.
Depth depth_in_file(const ChannelPlace& place) {
  const bool is_luminance = place.group->is_luminance && place.component < 3;
  return place.group->channels[is_luminance ? 0 : place.component].depth;
}

// A depth that can hold all channels: their common depth in the file if they have one, else float. Uint channels become float.
Depth common_depth(std::span<const std::optional<ChannelPlace>> places) {
  std::optional<Depth> depth;
  for (const std::optional<ChannelPlace>& place : places)
    if (place) depth = !depth || *depth == depth_in_file(*place) ? depth_in_file(*place) : Depth::f32;
  return depth && *depth != Depth::u32 ? *depth : Depth::f32;
}

// Returns whether the new color can be made of these channels as they are stored, and converted later: make_working() decodes R, G
// and B and multiplies them by alpha. It must not do that to alpha and other channels, and it needs the alpha of the old color.
bool can_stay_stored(std::span<const std::optional<ChannelPlace>> places, Transfer transfer, bool is_data,
                     const Picture& picture) {
  if (transfer == Transfer::linear && (is_data || picture.alpha == Alpha::premultiplied)) return true;
  const Group& old = picture.groups.front();
  for (size_t c = 0; c < 4; ++c)
    if (places[c] && (!old.is_color || places[c]->group != &old || (places[c]->component == 3) != (c == 3)))
      return false;
  return is_data || !old.has_alpha() || places[3];
}

// Makes the old color linear, premultiplied and float, unless the new color can be converted later. Returns whether it did.
bool make_working_early(const ChainRequest& request, std::span<const std::optional<ChannelPlace>> places,
                        Picture& picture, std::vector<std::string>& warnings) {
  Group& old = picture.groups.front();
  const bool is_data_chain = makes_content(request.calls, Content::data), was_data = old.is_data;
  const Transfer transfer = is_data_chain && !request.input.transfer ? Transfer::linear : picture.transfer;
  if (can_stay_stored(places, transfer, is_data_chain || was_data, picture)) return false;
  const bool takes_color = std::ranges::any_of(places, [&](const std::optional<ChannelPlace>& place) {
    return place && place->group == &old && place->component < 3;
  });
  old.is_data |= is_data_chain;
  if (takes_color && is_all_hidden(picture))
    warnings.push_back(
        fmt::format("{} (to keep the light, read it with --input-alpha premultiplied)", all_hidden_warning));
  if (auto warning = takes_color ? warning_of_decoding(request.calls, picture, request.input) : std::nullopt)
    warnings.push_back(std::move(*warning));
  make_working(picture, Depth::f32);
  old.is_data = was_data;
  return true;
}

// Makes a color group from these channels. A missing alpha is 1. `prefix` is what the names of its channels begin with.
Group color_of(std::span<const std::optional<ChannelPlace>> places, bool has_alpha, const std::string& prefix,
               Depth depth, Size size) {
  Group color{.depth = depth, .is_color = true};
  for (size_t c = 0; c < 4; ++c)
    if (c < 3 || (has_alpha && places[c]))
      color.channels[c] = {.name = prefix + "RGBA"[c],
                           .depth = common_depth(places[c] ? places.subspan(c, 1) : places)};
  Level& level = color.levels.emplace_back(Level{size, TexelBuffer(texel_count(size) * 4 * bytes_of(color.depth))});
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    for (size_t at = size_t(begin) * size_t(size.width); at < size_t(end) * size_t(size.width); ++at)
      for (size_t c = 0; c < 4; ++c)
        put_number(level.texels.data() + (4 * at + c) * bytes_of(color.depth), color.depth,
                   places[c] ? number_at(*places[c], at)
                   : c == 3  ? 1
                             : 0);
  });
  return color;
}

// R, G and B of a gray image are all its Y.
bool is_same(const ChannelPlace& channel, const ChannelPlace& place) {
  if (channel.group != place.group) return false;
  return channel.component == (place.group->is_luminance && place.component < 3 ? 0 : place.component);
}

// Names the uint channels with values that a float rounds. Empty if there are none.
std::string warning_of_rounding(std::span<const std::optional<ChannelPlace>> places, const Picture& picture) {
  std::vector<std::string> rounded;
  for (const NamedChannel& channel : channels_of(picture)) {
    const auto& [group, component] = channel.place;
    const bool is_taken = std::ranges::any_of(
        places, [&](const std::optional<ChannelPlace>& place) { return place && is_same(channel.place, *place); });
    if (!is_taken || group->depth != Depth::u32) continue;
    const std::span<const uint32_t> numbers = group->levels[0].texels.as<uint32_t>();
    for (size_t at = component; at < numbers.size(); at += 4)
      if (uint64_t(float(numbers[at])) != numbers[at]) {
        rounded.push_back(channel.name);
        break;
      }
  }
  return rounded.empty() ? ""
                         : printable(fmt::format("values above 2^24 of {} are rounded, because the color is float",
                                                 fmt::join(rounded, ", ")));
}

// The channels of the old color, and of its layer beside it, that no new channel is, and a warning of them if there are any.
// `keeps_color`: the op itself changes the color.
TakenChannels drops_of(std::span<const std::optional<ChannelPlace>> places, bool keeps_color, const Picture& picture) {
  std::vector<std::string> dropped, moved;
  for (const NamedChannel& channel : channels_of(picture)) {
    const bool is_taken = std::ranges::any_of(
        places, [&](const std::optional<ChannelPlace>& place) { return place && is_same(channel.place, *place); });
    const bool is_of_color = channel.place.group->is_color;
    const bool is_old = is_of_color ? !keeps_color : is_of_color_layer(channel.name, picture);
    if (is_old && !is_taken) dropped.push_back(channel.name);
    if (!is_of_color && is_taken) moved.push_back(channel.name);
  }
  if (dropped.empty()) return {};
  const std::string warning = printable(
      fmt::format("channels of the input that --list does not name are dropped: {}{}{}", fmt::join(dropped, ", "),
                  moved.empty() ? "" : "; moved to the color: ", fmt::join(moved, ", ")));
  return {.dropped = std::move(dropped), .warnings = {warning}};
}

// Gives each channel of the result the type of its source. A number has the type of the channel that it replaces.
void take_types_of_sources(std::span<const Call> calls, Group& color) {
  const auto is_unnamed = [](const Channel& channel) { return channel.name.empty(); };
  Channel& first = *std::ranges::find_if_not(color.channels, is_unnamed);
  for (Channel& channel : color.channels)
    if (is_unnamed(channel)) channel.depth = first.depth;
  for (const Call& call : calls) {
    if (call.op != &channels_op) continue;
    const ChannelSources sources = channel_sources(call);
    if (sources.has_names()) continue;  // its channels are in their places
    const std::array<Channel, 4> before = color.channels;
    for (size_t c = 0; c < 4; ++c)
      if (const std::optional<size_t> source = component_named(sources.of[c].channel))
        color.channels[c].depth = before[*source].depth;
  }
  // channels that get a name behind the chain get the type of the first one too
  for (const Channel& channel : color.channels)
    if (is_unnamed(channel) && channel.depth == Depth::f32) first.depth = Depth::f32;
}

// Replaces the color by one of these channels, which are no longer other channels. `depth`: of its texels.
void replace_color(std::span<const std::optional<ChannelPlace>> places, bool has_alpha, Depth depth, Picture& picture) {
  const Group& old = picture.groups.front();
  Group color = color_of(places, has_alpha, old.is_color ? layer_prefix(old) : "", depth, picture.size());
  color.is_data = old.is_data;
  for (const std::optional<ChannelPlace>& place : places)
    for (Group& group : picture.groups)
      if (place && place->group == &group) group.channels[place->component].name.clear();
  std::erase_if(picture.groups, [](const Group& group) { return group.is_color; });
  picture.groups.insert(picture.groups.begin(), std::move(color));
}

// Drops these channels, and groups without channels.
void drop_beside_color(std::span<const std::string> dropped, Picture& picture) {
  for (Group& group : std::span(picture.groups).subspan(1))
    for (Channel& channel : group.channels)
      if (std::ranges::find(dropped, channel.name) != dropped.end()) channel.name.clear();
  std::erase_if(picture.groups, [](const Group& group) { return !group.is_color && names_of(group).empty(); });
}

// Makes the color of the channels that the first call names.
TakenChannels make_color(const ChainRequest& request, Picture& picture) {
  const std::span<const Call> calls = request.calls;
  if (calls.empty() || calls.front().op != &channels_op) return {};
  const ChannelSources sources = channel_sources(calls.front());
  const bool has_names = sources.has_names();
  // With names, each channel goes to its place in the result; else R, G, B and A make a color for the op to take them from.
  std::array<std::optional<ChannelPlace>, 4> places;
  for (size_t c = 0; c < 4; ++c)
    if (const std::string& channel = sources.of[c].channel; !channel.empty())
      places[has_names ? c : *component_named(channel)] = place_of(picture, channel);
  const Group& old = picture.groups.front();
  const bool are_of_color = std::ranges::all_of(
      places, [&](const std::optional<ChannelPlace>& place) { return !place || place->group == &old; });
  const bool keeps_color = !has_names && old.is_color && are_of_color;
  const std::vector<std::string> channels = names_of(picture), attributes = names_with_information(picture.attributes);
  TakenChannels taken = drops_of(places, keeps_color, picture);
  if (std::string warning = warning_of_rounding(places, picture); !warning.empty())
    taken.warnings.push_back(std::move(warning));
  if (!keeps_color) {
    const bool is_working = make_working_early(request, places, picture, taken.warnings);
    replace_color(places, sources.has_alpha || !has_names, is_working ? Depth::f32 : common_depth(places), picture);
  }
  drop_beside_color(taken.dropped, picture);
  remove_attributes_of_lost_channels(channels, picture);
  if (auto warning = warning_of_removed(attributes, picture.attributes)) taken.warnings.push_back(std::move(*warning));
  return taken;
}

}  // namespace

TakenChannels take_named_channels(const ChainRequest& request, Picture& picture) {
  const std::span<const Call> calls = request.calls;
  TakenChannels taken = make_color(request, picture);
  const bool has_call = std::ranges::find(calls, &channels_op, &Call::op) != calls.end();
  if (has_call && picture.groups.front().is_color) take_types_of_sources(calls, picture.groups.front());
  return taken;
}

}  // namespace gpupost
