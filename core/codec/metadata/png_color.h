// Reads the color information of PNG chunks.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/image/primaries.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct ColorChunks {
  std::optional<Bytes> gamma, chromaticities, profile, code_points, srgb;
};

// x and y of red, green, blue and white, as in the EXR attribute.
using Chromaticities = std::array<float, 8>;
bool is_rec709(const Chromaticities& numbers);  // with the rounding of files
Chromaticities chromaticities_of(const Primaries& primaries);

struct Colors {
  Transfer transfer = Transfer::srgb;
  double exponent = 1;                           // exponent of Transfer::power
  std::optional<Chromaticities> chromaticities;  // empty: Rec. 709, which sRGB uses too
  std::vector<std::byte> profile;                // an ICC profile that replaces the other members; empty: none
  std::vector<std::string> warnings;             // information that is ignored
  // The colors if the profile cannot be used. Null: sRGB.
  std::shared_ptr<const Colors> without_profile = nullptr;
};

// The end of warnings about color information that is ignored.
inline constexpr std::string_view taken_as_srgb =
    "without --input-transfer and --input-primaries, the image is taken as sRGB";
inline constexpr std::string_view taken_as_linear =
    "without --input-transfer and --input-primaries, the image is taken as linear Rec. 709";

// The number of primaries in ITU-T H.273, table 2, if they have one.
std::optional<int> code_of(const Primaries& primaries);

// Reads the first chunk that exists, in the order cICP, iCCP, sRGB, gAMA and cHRM. PNG specification, third edition,
// 4.3.
Colors colors_of(const ColorChunks& chunks);

}  // namespace gpupost
