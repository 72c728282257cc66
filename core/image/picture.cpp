#include "core/image/picture.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace gpupost {

std::string_view name_of(Depth depth) {
  switch (depth) {
    case Depth::u8: return "8";
    case Depth::u16: return "16";
    case Depth::u32: return "uint";
    case Depth::half: return "16f";
    case Depth::f32: return "32f";
  }
  return "?";
}

int level_count_of(Size base) { return int(std::bit_width(unsigned(std::max(base.width, base.height)))); }

double rounding(double magnitude, Depth depth) {
  const double relative = depth == Depth::f32 ? 3 * 0x1p-22 : 3 * 0x1p-11;
  const double absolute = depth == Depth::u8 ? 0.6 / 255  // as far off as Direct3D lets conversions be
                          : depth == Depth::half
                              ? 0x1p-24
                              : 0x1p-116;  // a sum of many products below 2^-126, which devices may flush to 0
  return relative * magnitude + absolute;
}

double largest(Depth depth) {
  return depth == Depth::u8 ? 1 : depth == Depth::half ? 65504 : std::numeric_limits<float>::max();
}

}  // namespace gpupost
