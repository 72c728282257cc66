// How channels beside the color (depth, ids, normals, other layers) go through a chain: what --apply-to says. Pure.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The channels beside the color that ops filter as they filter the color. No name and not `is_all`: none of them.
struct ApplyTo {
  bool is_all = false;
  std::vector<std::string> names;  // channels ("Z") or layers ("diffuse" for all of "diffuse.*")
};

// From "color", "all" or a list of names with commas. Throws Error(Exit::usage) for a list with an empty name.
ApplyTo parse_apply_to(std::string_view text);

// Throws Error(Exit::usage) where the picture has no such channel, or one whose integers no op may mix.
void check_apply_to(const ApplyTo& apply_to, const Picture& picture);

// Splits groups so that each group beside the color is filtered as a whole or not at all.
void split_groups(const ApplyTo& apply_to, Picture& picture);

// Do ops filter this group? It is beside the color, and split_groups() has been called.
bool is_applied(const ApplyTo& apply_to, const Group& group);
// The channels of floats beside the color that ops do not filter, groups in their order.
std::vector<std::string> names_not_applied(const ApplyTo& apply_to, const Picture& picture);

// How a channel beside the color goes through a call.
enum class Route {
  by_op,       // as the color does
  by_nearest,  // each texel of the result is one texel of the input
  past,        // it stays as it is
};

// The route of a channel of floats through one of calls_for_other_channels(). A channel that is not applied never gets numbers that are mixed from several texels,
// but for levels: mips makes them of every channel.
Route route_of(const Call& call, bool is_applied);

// Calls that a group beside the color goes through together, by_op or by_nearest.
struct Step {
  Route route = Route::by_op;
  std::vector<Call> calls;
};

// The steps of a group of floats beside the color, in order; without the calls that it goes past.
std::vector<Step> steps_beside_color(std::span<const Call> calls, bool is_applied);

// Says which calls treat the channels of these names in another way than the color; "" where none does.
std::string note_of_routes(std::span<const Call> calls, std::span<const std::string> names);

}  // namespace gpupost
