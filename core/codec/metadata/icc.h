// Applies and makes ICC profiles with lcms2.
#pragma once

#include "core/codec/metadata/raster.h"
#include "core/image/primaries.h"

namespace gpupost {

// Converts CMYK to RGB, and applies the profile of `raster.colors` as `use` says. A profile with primaries and a curve that Transfer
// supports leaves the values unchanged and records both. With other curves, values become linear floats in the
// primaries of the profile. A profile with tables, or in which R = G = B = 1 is not white, gives linear floats in Rec. 709.
// A damaged or unsuitable profile is ignored with a warning.
void apply_profile(Raster& raster, ProfileUse use, const Limits& limits, const TexelAllocator& lend);

// Makes a profile with these primaries, or for gray, and this curve. The bytes are always the same.
std::vector<std::byte> profile_of(const Primaries& primaries, Transfer transfer, bool is_gray);

}  // namespace gpupost
