#include "core/image/number.h"

namespace gpupost {

void fill_alpha(TexelBuffer& texels, Depth depth) {
  const auto fill = [&]<class Word>(Word one) {
    const std::span<Word> words = texels.as<Word>();
    for (size_t i = 3; i < words.size(); i += 4) words[i] = one;
  };
  if (depth == Depth::u8) fill(uint8_t(0xff));
  else if (depth == Depth::u16) fill(uint16_t(0xffff));
  else if (depth == Depth::half) fill(half_from_float(1));
  else fill(1.0f);
}

}  // namespace gpupost
