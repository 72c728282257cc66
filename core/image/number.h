// Values of texels in memory, one at a time.
#pragma once

#include "core/base/half.h"
#include "core/image/picture.h"

#include <cmath>
#include <cstring>

namespace gpupost {

// 8 and 16 bits are numbers from 0 to 1.
inline double number_at(const std::byte* from, Depth depth) {
  const auto read = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return number;
  };
  switch (depth) {
    case Depth::u8: return double(read(uint8_t())) / 255;
    case Depth::u16: return double(read(uint16_t())) / 65535;
    case Depth::u32: return double(read(uint32_t()));
    case Depth::half: return double(float_from_half(read(uint16_t())));
    case Depth::f32: return double(read(float()));
  }
  return 0;
}

// The inverse of number_at(), for all depths but u32.
inline void put_number(std::byte* to, Depth depth, double number) {
  const auto write = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  if (depth == Depth::u8) write(uint8_t(std::lround(255 * number)));
  else if (depth == Depth::u16) write(uint16_t(std::lround(65535 * number)));
  else if (depth == Depth::half) write(half_from_float(float(number)));
  else write(float(number));
}

// Sets alpha of all texels to 1.
void fill_alpha(TexelBuffer& texels, Depth depth);

}  // namespace gpupost
