// What R, G and B of a picture are, where it says so.
#pragma once

#include "core/picture.h"

#include <array>
#include <optional>

namespace gpupost {

struct Chromaticity {
  double x = 0, y = 0;
};

struct Primaries {
  Chromaticity red, green, blue, white;
};

constexpr Primaries rec709{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}};

// To 0.001.
bool are_same(const Primaries& a, const Primaries& b);
// Those of a picture that has an attribute `chromaticities`, where they are others than Rec.709's and make sense. Source: OpenEXR, standard attributes.
std::optional<Primaries> other_primaries(const Picture& picture);
// Removes an attribute `chromaticities` that says nothing of colors, as zeros or primaries in one line. Returns the warning if
// there was one.
std::optional<std::string> drop_senseless_primaries(Picture& picture);
// Says that a picture is of Rec.709.
void set_rec709(Picture& picture);

// Rows of the matrix from linear R, G and B of these primaries to those of Rec.709, white to white by Bradford's method.
// Source: SMPTE RP 177, ICC.1:2022 annex E.
std::array<std::array<double, 3>, 3> to_rec709(const Primaries& primaries);

// Makes those colours of a picture Rec.709's: linear ones, of 32-bit floats.
void make_rec709(Picture& picture, const Primaries& primaries);
// Makes colours of Rec.709 those of these primaries, likewise.
void leave_rec709(Picture& picture, const Primaries& primaries);

}  // namespace gpupost
