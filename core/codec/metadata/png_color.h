// What the chunks of a PNG say of its colors, as far as it can be honored exactly.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/image/primaries.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

struct ColorChunks {
  std::optional<Bytes> gamma, chromaticities, profile, code_points, srgb;
};

// x and y of red, green, blue and white, as the attribute of an EXR has them.
using Chromaticities = std::array<float, 8>;
bool is_rec709(const Chromaticities& numbers);  // to within what files round to

struct Colors {
  Transfer transfer = Transfer::srgb;
  double exponent = 1;                           // of Transfer::power
  std::optional<Chromaticities> chromaticities;  // none: those of Rec. 709, which sRGB has too
  std::vector<std::byte> profile;                // an ICC profile that says it all in the place of these; empty: none
  std::vector<std::string> warnings;             // what is said and ignored
};

// Their number in ITU-T H.273, table 2, where they have one.
std::optional<int> code_of(const Primaries& primaries);

// Of several chunks the first counts, in the order cICP, iCCP, sRGB, gAMA and cHRM. PNG specification, third edition, 4.3.
Colors colors_of(const ColorChunks& chunks);

}  // namespace gpupost
