// ICC profiles, by lcms2: applied to what is read, and made for what is written.
#pragma once

#include "core/codec/metadata/raster.h"
#include "core/image/primaries.h"

namespace gpupost {

// Makes of inks color, and applies the profile of `raster.colors`, if there is one. A profile of primaries and curves that
// Transfer knows leaves the numbers as they are, and says so. Curves of other shapes are undone, which leaves linear floats
// of the profile's own primaries. A profile of tables leaves linear floats of Rec. 709. A profile that is damaged, or of
// another kind of color, is ignored with a warning.
void apply_profile(Raster& raster, const Limits& limits, const TexelAllocator& lend);

// A profile of these primaries, or of gray, and this curve. The same bytes each time.
std::vector<std::byte> profile_of(const Primaries& primaries, Transfer transfer, bool is_gray);

}  // namespace gpupost
