// Filters that make a picture smaller or larger: their names and their definition in double.
#pragma once

#include "core/op/op.h"

#include <optional>
#include <string_view>
#include <vector>

namespace gpupost {

// In the order of their names as choices of an option.
enum class Filter { box, triangle, kaiser, mitchell, lanczos3 };
enum class Border { clamp, repeat, mirror, black, renormalize };

// What R, G and B are: colors, or the directions of a normal map, as 2 c - 1 of them. Means of those are normalized
// to length 1; the length before that is dropped, or kept in alpha, where levels below take it into account.
enum class Normals { none, length_dropped, length_in_alpha };

// How texels of the result lie on those of the source, along one axis: the middle of texel i of the result lies at
// ((2 i + 1) from + phase) / (2 to) texels of the source.
struct Scale {
  int from = 1, to = 1, phase = 0;
  bool operator==(const Scale&) const = default;
};
struct Scales {
  Scale x, y;
  bool operator==(const Scales&) const = default;
};

// How a call filters.
struct Filtering {
  Filter filter = Filter::box;
  Border border = Border::clamp;
  bool compresses = false;  // --hicomp
  Normals normals = Normals::none;
  std::optional<Scales> scales;  // empty: all of the source becomes all of the result
};

// The options of ops that filter, the filter's default aside.
Param filter_param(Filter def);
Param border_param();
Param hicomp_param();
Filtering filtering_of(const Call& call);

Scales scales_of(const Filtering& filtering, Size from, Size to);

// The texel of a side of n that stands for texel t of its endless continuation; black and renormalized borders have none.
int continued(int t, int n, Border border);

// Half the width of a filter in texels of the coarser side.
double support_of(Filter filter);

// One level of another size by the definition.
Planes filtered(const Planes& from, Size to, const Filtering& filtering);
// What the device may be off by there, where `from` is off by `error`.
Planes filtered_tolerance(const Planes& from, const Planes& error, Size to, const Filtering& filtering, Depth depth);

}  // namespace gpupost
