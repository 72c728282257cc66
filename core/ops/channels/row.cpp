// Channels reordered, filled and dropped.
#include "core/ops/channels/row.h"
#include "core/op/point.h"
#include "core/ops/channels/list.h"

#include <array>

namespace gpupost {

namespace {

// The component that an output channel is, -1: a number. Channels that were taken by name stand in their places.
std::array<int, 4> components_of(const ChannelSources& sources) {
  std::array<int, 4> components{};
  for (size_t c = 0; c < 4; ++c) {
    const std::string& channel = sources.of[c].channel;
    components[c] = channel.empty() ? -1 : sources.has_names() ? int(c) : int(*component_named(channel));
  }
  return components;
}

std::vector<ShaderParam> fields(const Call& call) {
  const ChannelSources sources = channel_sources(call);
  const std::array<int, 4> components = components_of(sources);
  std::vector<ShaderParam> made;
  for (size_t c = 0; c < 4; ++c) {
    const char name = "RGBA"[c];
    made.push_back(
        {.name = {name, '_', 'i', 'n'}, .value = double(components[c]), .is_integer = true, .is_literal = true});
    made.push_back({.name = {name, '_', 'i', 's'}, .value = sources.of[c].number});
  }
  return made;
}

std::function<Color(const Color&)> texel(const Call& call, const Planes&) {
  const ChannelSources sources = channel_sources(call);
  return [sources, components = components_of(sources)](const Color& c) {
    Color made;
    for (size_t k = 0; k < 4; ++k) made[k] = components[k] < 0 ? sources.of[k].number : c[size_t(components[k])];
    return made;
  };
}

Needs needs(const Call& call) {
  if (!channel_sources(call).has_names()) return {};
  return {.front = "channels other than R, G, B and A need this op to be the first"};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = by_values(call, inputs);
  const ChannelSources sources = channel_sources(call);
  const auto& [channel, number] = sources.of[3];
  made.has_alpha = sources.has_alpha;
  if (channel != "A") made.may_be_transparent = !channel.empty() || number != 1;
  return made;
}

}  // namespace

const Op channels_op = point_op({
    .name = "channels",
    .doc = {.group = OpGroup::channels,
            .summary = "Reorder, fill or drop channels",
            .description =
                "--list gives the sources of R, G, B and A, in this order. A source is R, G, B or A of the input, or "
                "a number. A source can name its target, and then stand anywhere: `R,G,B=0.5,A=1` sets B to 0.5 and A "
                "to 1, `B=R,R=B,G=G` exchanges R and B. Without a fourth source the result has no alpha.\nValues are "
                "copied as they are in the chain: linear light, premultiplied. R, G and B of a gray image are all "
                "Y.\nIf `channels` is the first op, --list may name any channel that `gpupost info` prints: `Z,Z,Z` "
                "or `R,G,B,depth.Z`. A channel such as Z moves: the output has it as R, G, B or A, and no longer under "
                "its own name. Its values stay as stored, also with --input-transfer and --input-alpha. R, G, B and A "
                "that --list does not name are dropped. A warning says so if one of them is uint, or if --list names "
                "channels such as Z. All other channels stay, unless --drop-channels is given. The global option "
                "--layer makes the channels of one layer R, G and B; the result is in that layer.",
            .citation = "oiiotool --ch",
            .examples = {"--list B,G,R,A", "--list R,G,B=0.5,A=1", "--list R,R,R"}},
    .params = {{.name = "list",
                .help = "Sources of R, G, B and A, in this order: each C is a channel or a number",
                .kind = ParamKind::text,
                .form = {.syntax = "C,C,C or C,C,C,C",
                         .matches = [](std::string_view text) { return channel_sources(text).has_value(); }},
                .presence = Presence::required}},
    .needs = needs,
    .output = output,
    .point = Point{.kernel = "channels/channels.glsl", .fields = fields, .texel = texel},
});

}  // namespace gpupost
