// Primaries of R, G and B.
#pragma once

#include "core/image/color_matrices.h"
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
  // Matrix3 rows to X, Y and Z under the white of Rec. 709, if R = G = B = 1 is not white. Files do not record them.
  std::optional<Matrix3> to_xyz = std::nullopt;
};

constexpr Primaries rec709{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}};
constexpr Primaries rec2020{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}};
constexpr Primaries p3_d65{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}};
constexpr Primaries adobe_rgb{{0.64, 0.33}, {0.21, 0.71}, {0.15, 0.06}, {0.3127, 0.3290}};
constexpr Primaries ap0{{0.7347, 0.2653}, {0.0, 1.0}, {0.0001, -0.0770}, {0.32168, 0.33767}};
constexpr Primaries ap1{{0.713, 0.293}, {0.165, 0.830}, {0.128, 0.044}, {0.32168, 0.33767}};
// R, G and B are X, Y and Z, with the white of Rec. 709.
constexpr Primaries cie_xyz{{1, 0}, {0, 1}, {0, 0}, {1.0 / 3, 1.0 / 3}};

constexpr Chromaticity d50{0.345703, 0.358539};  // the white of ICC profiles

struct NamedPrimaries {
  std::string_view name;  // name on the command line
  Primaries primaries;
};
// Sources: ITU-R BT.709, BT.2020; SMPTE RP 431-2, EG 432-1; SMPTE ST 2065-1, S-2014-004; Adobe RGB (1998); ISO 22028-2.
constexpr NamedPrimaries named_primaries[] = {
    {"rec709", rec709},
    {"rec2020", rec2020},
    {"p3-d65", p3_d65},
    {"p3-dci", {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}}},
    {"adobe", adobe_rgb},
    {"prophoto", {{0.734699, 0.265301}, {0.159597, 0.840403}, {0.036598, 0.000105}, {0.345704, 0.358540}}},
    {"ap0", ap0},
    {"ap1", ap1},
};
// Parses a name, or eight numbers with commas: x and y of red, green, blue and white. Nothing if invalid.
std::optional<Primaries> parse_primaries(const std::string& text);
// The name of such primaries, or "other primaries".
std::string_view name_of(const Primaries& primaries);
// The named primaries that equal these after adaptation to the same white, within the rounding of files.
std::optional<Primaries> nearest_named(const Primaries& seen);

// The primaries of a space with these Matrix3 rows to X, Y and Z under light of `white`. Empty if a color has none.
std::optional<Primaries> primaries_of_xyz(const Matrix3& to_xyz, Chromaticity white);

// A color conversion.
struct PrimariesChange {
  Primaries from, to;
};

// Equal within 0.001.
bool are_same(const Primaries& a, const Primaries& b);
// The primaries of an image from its attribute `chromaticities`, if they differ from Rec. 709 and are valid. Source:
// OpenEXR, standard attributes.
std::optional<Primaries> other_primaries(const Picture& picture);
// The primaries of an attribute `chromaticities`. Empty if it is invalid, such as zeros or primaries on one line.
std::optional<Primaries> primaries_in(const Attribute& attribute);
// Removes an invalid attribute `chromaticities`. Returns the warning, if any.
std::optional<std::string> drop_senseless_primaries(Picture& picture);
// Records primaries of an image. An image without primaries stays so if they are Rec. 709.
void set_primaries(Picture& picture, const Primaries& primaries);

// The luminance of R, G and B in these primaries; that of white is 1.
Vector3 luminance_weights_of(const Primaries& primaries);

// The product for light that may be infinite. It stays so: a sum with it would be NaN where weights are 0 or differ in sign.
Vector3 product_of_light(const Matrix3& matrix, Vector3 light);
// Matrix3 rows between linear R, G and B of any primaries, with Bradford adaptation. Source: SMPTE RP 177, ICC.1:2022 annex E.
Matrix3 conversion(const PrimariesChange& change);

// Returns whether equal R, G and B stay equal.
bool keeps_gray(const Matrix3& matrix);

// Matrix3 rows from linear Rec. 709 under light of this white to the white of Rec. 709, with Bradford adaptation.
Matrix3 white_change(Chromaticity white);

// Converts the colors of an image, which must be linear 32-bit floats, but keeps the recorded primaries.
void convert_primaries(Picture& picture, const PrimariesChange& change);

}  // namespace gpupost
