// Resampling filters and their reference in double precision.
#pragma once

#include "core/op/op.h"

#include <optional>
#include <string_view>
#include <vector>

namespace gpupost {

// With their names as choices of an option.
enum class Filter {
  box,
  triangle,
  kaiser,
  mitchell,
  lanczos3,
  catmull_rom,
  cubic,
  lanczos2,
  lanczos4,
  lanczos6,
  gaussian,
  nearest  // only of resize; it copies texels
};
inline constexpr std::string_view filter_names[] = {"box",      "triangle",    "kaiser",   "mitchell",
                                                    "lanczos3", "catmull-rom", "cubic",    "lanczos2",
                                                    "lanczos4", "lanczos6",    "gaussian", "nearest"};
enum class Border { clamp, repeat, mirror, black, renormalize };
inline constexpr std::string_view border_names[] = {"clamp", "repeat", "mirror", "black", "renormalize"};

// Meaning of R, G and B: colors, or directions of a normal map, 2 c - 1. Means of directions are normalized to length
// 1. The length before that is dropped, or kept in alpha, which lower levels then use.
enum class Normals { none, length_dropped, length_in_alpha };
inline constexpr std::string_view normals_names[] = {"none", "length-dropped", "length-in-alpha"};

// Position of result texels on the source along an axis: the middle of result texel i is at ((2 i + 1) from + phase) /
// (2 to) source texels.
struct Scale {
  int from = 1, to = 1, phase = 0;
  bool operator==(const Scale&) const = default;
};
struct Scales {
  Scale x, y;
  bool operator==(const Scales&) const = default;
};

// Filter settings of a call.
struct Filtering {
  Filter filter = Filter::box;
  Border border = Border::clamp;
  bool compresses = false;  // --hicomp
  Normals normals = Normals::none;
  std::optional<Scales> scales;  // empty: the whole source becomes the whole result
  bool limits_ringing = false;   // --ringing limit; only for filters with negative weights
};

// Options of ops that filter; the default of --filter is given. `has_all` adds the filters after lanczos3.
Param filter_param(Filter def, bool has_all = false);
Param border_param();
// The input of a call with --border. Texels from beyond the border are transparent with `black`.
Output behind_border(const Call& call, std::span<const Output> inputs);
Param hicomp_param();
Param ringing_param();
Filtering filtering_of(const Call& call);

Scales scales_of(const Filtering& filtering, Size from, Size to);

// Index of the texel for position t of a side of n texels, which may be outside. Black and renormalized borders have
// none.
int continued(int t, int n, Border border);

bool has_negative_weights(Filter filter);

// Half of the width of a filter, in texels of the coarser side.
double support_of(Filter filter);

// Resamples a level, by definition.
Planes filtered(const Planes& from, Size to, const Filtering& filtering);
// Allowed error of the device, if `from` has this error.
Planes filtered_tolerance(const Planes& from, const Planes& error, Size to, const Filtering& filtering, Depth depth);

}  // namespace gpupost
