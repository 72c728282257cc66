#include "core/codec/metadata/exif.h"

namespace gpupost {

// TIFF 6.0, section 2; Exif 2.3, tag 0x112.
int orientation_in(Bytes tiff) {
  if (tiff.size() < 8) return 1;
  const bool is_little = starts_with(tiff, "II");
  const auto u16 = [&](size_t at) -> size_t {
    return is_little ? little_at<uint16_t>(tiff, at) : big_u16_at(tiff, at);
  };
  const auto u32 = [&](size_t at) -> size_t {
    return is_little ? little_at<uint32_t>(tiff, at) : big_u32_at(tiff, at);
  };
  const size_t directory = u32(4);
  if (directory + 2 > tiff.size()) return 1;
  for (size_t entry = 0; entry < u16(directory); ++entry) {
    const size_t at = directory + 2 + 12 * entry;
    if (at + 12 > tiff.size()) return 1;
    if (u16(at) != 0x112) continue;
    const size_t orientation = u16(at + 8);
    return orientation >= 1 && orientation <= 8 ? int(orientation) : 1;
  }
  return 1;
}

}  // namespace gpupost
