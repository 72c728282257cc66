#include "core/picture.h"

#include <algorithm>
#include <bit>

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

}  // namespace gpupost
