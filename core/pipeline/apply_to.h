// How channels other than color (depth, ids, normals, other layers) go through a chain, from --apply-to.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The channels of --apply-to that ops filter like color. Without names and `is_all`: none.
struct ApplyTo {
  bool is_all = false;
  std::vector<std::string> names;  // channels ("Z") or layers ("diffuse" for all of "diffuse.*")
};

// Parses "color", "all" or a list of names with commas. Throws Error(Exit::usage) if a name is empty.
ApplyTo parse_apply_to(std::string_view text);

// Returns whether the op filters channels of --apply-to, and others not.
bool takes_apply_to(const Op& op);

// Throws Error(Exit::usage) if the image has no such channel, or if it has ids.
void check_apply_to(const ApplyTo& apply_to, const Picture& picture);

// For an option or an op that drops other channels. Throws Error(Exit::usage) if they are to be filtered.
void keep_only_color(const ApplyTo& apply_to, std::string_view dropped_by, Picture& picture);

// Splits groups so that each group other than color is filtered completely or not at all.
void split_groups(const ApplyTo& apply_to, Picture& picture);

// Returns whether ops filter this group, which is not color. Call split_groups() before.
bool is_applied(const ApplyTo& apply_to, const Group& group);
// The float channels other than color that ops do not filter, in order of groups.
std::vector<std::string> names_not_applied(const ApplyTo& apply_to, const Picture& picture);

// How a call treats a channel other than color.
enum class Route {
  by_op,       // filtered like color
  by_nearest,  // each texel takes the nearest texel of the input
  past,        // unchanged
};

// The route of a float channel through one of calls_for_other_channels(). Values of channels that are not applied are
// never mixed, except for levels: mips makes levels of every channel.
Route route_of(const Call& call, bool is_applied);

// Calls that a group other than color goes through together, with the same route.
struct Step {
  Route route = Route::by_op;
  std::vector<Call> calls;
};

// The steps of a float group other than color, in order. Calls with Route::past are left out.
std::vector<Step> steps_beside_color(std::span<const Call> calls, bool is_applied);
// The steps of a group with ids, which are not measured: the nearest texel, and for floats point ops.
std::vector<Step> steps_of_ids(std::span<const Call> calls, const Group& group);

// A note about colors of type uint, which take the nearest texel where an op would filter colors; "" if there are none.
std::string note_of_uint_colors(std::span<const Call> calls, const Picture& picture);

// A note about alphas of layers that are filtered in spite of --keep-alpha; "" if there are none.
std::string note_of_alphas(std::span<const Call> calls, const ApplyTo& apply_to, const Picture& picture);

// A note that lists calls that treat these channels differently from color; "" if none.
std::string note_of_routes(std::span<const Call> calls, std::span<const std::string> names);

}  // namespace gpupost
