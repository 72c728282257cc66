#include "core/pipeline/apply_to.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/channel_names.h"
#include "core/image/split_groups.h"
#include "core/op/parse.h"
#include "core/ops/stats/reference.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

ApplyTo parse_apply_to(std::string_view text) {
  ApplyTo apply_to;
  for (const std::string_view name : split_at_commas(text)) {
    if (name.empty())
      fail(Exit::usage, "--apply-to {} has an empty name; expected color, all, or names like Z,N.X", text);
    if (name == "all") apply_to.is_all = true;
    else if (name != "color") apply_to.names.emplace_back(name);
  }
  return apply_to;
}

// Can the call mix texels of channels other than color? One that only moves them gives the same result by any route.
static bool can_mix(const Call& call) {
  const std::vector<Call> beside_color = calls_for_other_channels({&call, 1});
  return !beside_color.empty() && !is_exact(beside_color.front());
}

// An example that mixes texels shows it: a turn by 90 degrees does not, one by 30 degrees does.
bool takes_apply_to(const Op& op) {
  return op.channels == Channels::all && std::ranges::any_of(op.doc.examples, [&](std::string_view example) {
           const Call call = parse_call(op, example);
           return route_of(call, false) != Route::by_op && route_of(call, true) == Route::by_op && can_mix(call);
         });
}

// Returns whether `name` is the channel or its layer.
static bool is_meant(std::string_view name, std::string_view channel) {
  return channel == name || (channel.starts_with(name) && channel.substr(name.size()).starts_with('.'));
}

static void check_name(std::string_view name, const Picture& picture) {
  std::vector<std::string> mixable;
  const Channel* unmixable = nullptr;
  bool is_found = false, is_uint = false, can_filter = false;
  for (const Group& group : picture.groups)
    for (const Channel& channel : group.channels) {
      if (group.is_color || channel.name.empty()) continue;
      if (!group.has_ids()) mixable.push_back(channel.name);
      if (!is_meant(name, channel.name)) continue;
      is_found = true;
      if (!group.has_ids()) can_filter = true;
      else if (!unmixable || unmixable->name != name) unmixable = &channel, is_uint = group.depth == Depth::u32;
    }
  const std::string expected = mixable.empty()
                                   ? "leave --apply-to out; the image has no other float channels"
                                   : fmt::format("expected color, all, or some of {}", fmt::join(mixable, ", "));
  if (!is_found)
    fail(Exit::usage, "--apply-to {}: the image has no channel or layer of this name besides color; {}", name,
         expected);
  if (unmixable && (!can_filter || unmixable->name == name))
    fail(Exit::usage, "--apply-to {}: channel {} is {}, which ops cannot filter; {}", name, unmixable->name,
         is_uint ? "uint" : "of a Cryptomatte", expected);
}

void check_apply_to(const ApplyTo& apply_to, const Picture& picture) {
  for (const std::string& name : apply_to.names) check_name(name, picture);
}

void keep_only_color(const ApplyTo& apply_to, std::string_view dropped_by, Picture& picture) {
  if (apply_to.is_all || !apply_to.names.empty())
    fail(Exit::usage, "--apply-to filters other channels, and {} drops them; leave out one of both", dropped_by);
  picture.groups.resize(1);
}

static bool is_applied(const ApplyTo& apply_to, const Channel& channel) {
  return apply_to.is_all ||
         std::ranges::any_of(apply_to.names, [&](const std::string& name) { return is_meant(name, channel.name); });
}

void split_groups(const ApplyTo& apply_to, Picture& picture) {
  split_groups(picture, [&](const Channel& channel) { return is_applied(apply_to, channel); });
}

bool is_applied(const ApplyTo& apply_to, const Group& group) {
  return std::ranges::any_of(
      group.channels, [&](const Channel& channel) { return !channel.name.empty() && is_applied(apply_to, channel); });
}

std::vector<std::string> names_not_applied(const ApplyTo& apply_to, const Picture& picture) {
  std::vector<std::string> names;
  for (const Group& group : picture.groups)
    if (!group.is_color && !group.has_ids() && !is_applied(apply_to, group))
      std::ranges::move(names_of(group), std::back_inserter(names));
  return names;
}

Route route_of(const Call& call, bool is_applied) {
  const Op& op = *call.op;
  if (op.channels != Channels::all) return Route::past;
  if (op.makes == Makes::statistics && measure_of(call) == Measure::extremes)
    return Route::past;  // measures luminance, which only color has
  const bool mixes_nothing = op.point || op.makes == Makes::statistics;
  if (is_applied || op.makes == Makes::levels || mixes_nothing) return Route::by_op;
  const Footprint footprint = footprint_of(call, {1, 1});
  return footprint.nearest || footprint.copied ? Route::by_nearest : Route::past;
}

template <class RouteOf>
static std::vector<Step> steps_of(std::span<const Call> calls, const RouteOf& route_of_call) {
  std::vector<Step> steps;
  for (const Call& call : calls_for_other_channels(calls)) {
    const Route route = route_of_call(call);
    if (route == Route::past) continue;
    if (steps.empty() || steps.back().route != route) steps.push_back({.route = route, .calls = {}});
    steps.back().calls.push_back(call);
  }
  return steps;
}

std::vector<Step> steps_beside_color(std::span<const Call> calls, bool is_applied) {
  return steps_of(calls, [&](const Call& call) { return route_of(call, is_applied); });
}

std::vector<Step> steps_of_ids(std::span<const Call> calls, const Group& group) {
  return steps_of(calls, [&](const Call& call) {
    if (call.op->point) return group.depth == Depth::u32 ? Route::past : route_of(call, false);
    const bool is_moved = call.op->makes != Makes::statistics && route_of(call, false) != Route::past;
    return is_moved ? Route::by_nearest : Route::past;
  });
}

// The calls that would mix texels of channels other than color, if those did not take this route.
static std::vector<std::string> calls_of_route(std::span<const Call> calls, Route route) {
  std::vector<std::string> texts;
  for (const Call& call : calls)
    if (can_mix(call) && route_of(call, false) == route) texts.push_back(fmt::format("`{}`", call.text()));
  return texts;
}

std::string note_of_uint_colors(std::span<const Call> calls, const Picture& picture) {
  const std::vector<std::string> nearest = calls_of_route(calls, Route::by_nearest);
  std::vector<std::string> colors;
  for (const Group& group : picture.groups)
    for (const std::string& name : names_of(group))
      if (group.depth == Depth::u32 && (name == "R" || name == "G" || name == "B" || name == "Y"))
        colors.push_back(name);
  if (colors.empty() || nearest.empty()) return "";
  return fmt::format("channels {} are uint, so {} takes the nearest texel", fmt::join(colors, " "),
                     fmt::join(nearest, ", "));
}

std::string note_of_alphas(std::span<const Call> calls, const ApplyTo& apply_to, const Picture& picture) {
  const auto call = std::ranges::find_if(
      calls, [](const Call& one) { return one.op->param("keep-alpha") && one.flag("keep-alpha"); });
  std::vector<std::string> alphas;
  for (const Group& group : picture.groups)
    for (const std::string& name : names_of(group))
      if (!group.is_color && !group.has_ids() && is_applied(apply_to, group) && name.ends_with(".A"))
        alphas.push_back(name);
  if (call == calls.end() || alphas.empty()) return "";
  return fmt::format("channels {} are filtered, because --keep-alpha of `{}` keeps only the alpha of the color",
                     fmt::join(alphas, " "), call->text());
}

std::string note_of_routes(std::span<const Call> calls, std::span<const std::string> names) {
  const std::vector<std::string> nearest = calls_of_route(calls, Route::by_nearest),
                                 past = calls_of_route(calls, Route::past);
  if (names.empty() || (nearest.empty() && past.empty())) return "";
  std::string text =
      fmt::format("channels {} are not filtered, because --apply-to does not name them:", fmt::join(names, " "));
  if (!nearest.empty()) text += fmt::format(" {} takes the nearest texel", fmt::join(nearest, ", "));
  if (!past.empty())
    text += fmt::format("{} {} leaves them as they are", nearest.empty() ? "" : ",", fmt::join(past, ", "));
  return text + " (--apply-to all filters them like the color)";
}

}  // namespace gpupost
