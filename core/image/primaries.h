// What R, G and B of a picture are, where it says so.
#pragma once

#include "core/image/picture.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gpupost {

struct Chromaticity {
  double x = 0, y = 0;
};

struct Primaries {
  Chromaticity red, green, blue, white;
};

constexpr Primaries rec709{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}};
constexpr Primaries rec2020{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}};
// R, G and B are X, Y and Z, under the white of Rec.709 whatever their own white is.
constexpr Primaries cie_xyz{{1, 0}, {0, 1}, {0, 0}, {1.0 / 3, 1.0 / 3}};

struct NamedPrimaries {
  std::string_view name;  // as it is typed
  Primaries primaries;
};
// Sources: ITU-R BT.709, BT.2020; SMPTE RP 431-2, EG 432-1; SMPTE ST 2065-1, S-2014-004; Adobe RGB (1998); ISO 22028-2.
constexpr NamedPrimaries named_primaries[] = {
    {"rec709", rec709},
    {"rec2020", rec2020},
    {"p3-d65", {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}}},
    {"p3-dci", {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}}},
    {"adobe", {{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}, {0.3127, 0.3290}}},
    {"prophoto", {{0.734699, 0.265301}, {0.159597, 0.840403}, {0.036598, 0.000105}, {0.345704, 0.358540}}},
    {"ap0", {{0.7347, 0.2653}, {0.0, 1.0}, {0.0001, -0.0770}, {0.32168, 0.33767}}},
    {"ap1", {{0.713, 0.293}, {0.165, 0.830}, {0.128, 0.044}, {0.32168, 0.33767}}},
};
// By name, or eight numbers with commas: x and y of red, green, blue and white. Empty: neither, or no primaries of colors.
std::optional<Primaries> parse_primaries(const std::string& text);
// Those that have a name and are these once they are adapted to the same white, to what files round to.
std::optional<Primaries> nearest_named(const Primaries& seen);

// What a conversion makes of colors.
struct PrimariesChange {
  Primaries from, to;
};

// To 0.001.
bool are_same(const Primaries& a, const Primaries& b);
// Those of a picture that has an attribute `chromaticities`, where they are others than Rec.709's and make sense. Source: OpenEXR, standard attributes.
std::optional<Primaries> other_primaries(const Picture& picture);
// Removes an attribute `chromaticities` that says nothing of colors, as zeros or primaries in one line. Returns the warning if
// there was one.
std::optional<std::string> drop_senseless_primaries(Picture& picture);
// Says what primaries a picture is of. One that says nothing is of Rec.709 and stays so.
void set_primaries(Picture& picture, const Primaries& primaries);

// Rows of the matrix from linear R, G and B of these primaries to those of Rec.709, white to white by Bradford's method.
// Source: SMPTE RP 177, ICC.1:2022 annex E.
std::array<std::array<double, 3>, 3> to_rec709(const Primaries& primaries);
// The same between any primaries.
std::array<std::array<double, 3>, 3> conversion(const PrimariesChange& change);

// Makes those colors of a picture Rec.709's: linear ones, of 32-bit floats.
void make_rec709(Picture& picture, const Primaries& primaries);
// Converts those colors, likewise, and leaves what the picture says of them.
void convert_primaries(Picture& picture, const PrimariesChange& change);

}  // namespace gpupost
