#include "core/codec/blocks/bc1_to_bc5.h"

#include "core/base/half.h"

#include <stb_dxt.h>

#include <algorithm>
#include <cstring>

namespace gpupost {
namespace {

template <class Number>
Number number_at(const std::byte* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

using Color = std::array<uint8_t, 4>;

Color color_of(uint16_t bits) {
  const int red = bits >> 11, green = bits >> 5 & 63, blue = bits & 31;
  return {uint8_t(red << 3 | red >> 2), uint8_t(green << 2 | green >> 4), uint8_t(blue << 3 | blue >> 2), 255};
}

// (a first + b second) / (a + b), rounded to nearest
Color between(const Color& first, const Color& second, int a, int b) {
  Color made{0, 0, 0, 255};
  for (size_t c = 0; c < 3; ++c) made[c] = uint8_t((a * first[c] + b * second[c] + (a + b) / 2) / (a + b));
  return made;
}

bool has_transparent_color(const std::byte* block) {
  return number_at<uint16_t>(block) <= number_at<uint16_t>(block + 2);
}

// Fills in R, G, B and, of BC1, alpha. In BC2 and BC3, the order of both colors has no meaning.
void decode_colors(const std::byte* block, bool is_bc1, ByteTexels& texels) {
  const Color first = color_of(number_at<uint16_t>(block)), second = color_of(number_at<uint16_t>(block + 2));
  std::array<Color, 4> colors{first, second};
  if (is_bc1 && has_transparent_color(block)) {
    colors[2] = between(first, second, 1, 1);
    colors[3] = {0, 0, 0, 0};
  } else {
    colors[2] = between(first, second, 2, 1);
    colors[3] = between(first, second, 1, 2);
  }
  const auto indices = number_at<uint32_t>(block + 4);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = colors[indices >> 2 * i & 3];
}

// The index of each texel, 3 bits each.
uint64_t indices_at(const std::byte* block) { return number_at<uint64_t>(block) >> 16; }

// The weights of the second number, in sevenths, or in fifths where the first is not larger. 6 and 7 are then the lowest and the
// highest number.
constexpr int sevenths[] = {0, 7, 1, 2, 3, 4, 5, 6}, fifths[] = {0, 5, 1, 2, 3, 4};

void decode_numbers(const std::byte* block, size_t component, ByteTexels& texels) {
  const int first = int(block[0]), second = int(block[1]);
  std::array<uint8_t, 8> numbers{};
  if (first > second) {
    for (size_t i = 0; i < 8; ++i) numbers[i] = uint8_t(((7 - sevenths[i]) * first + sevenths[i] * second + 3) / 7);
  } else {
    for (size_t i = 0; i < 6; ++i) numbers[i] = uint8_t(((5 - fifths[i]) * first + fifths[i] * second + 2) / 5);
    numbers[7] = 255;
  }
  const uint64_t indices = indices_at(block);
  for (size_t i = 0; i < texels.size(); ++i) texels[i][component] = numbers[indices >> 3 * i & 7];
}

void decode_signed_numbers(const std::byte* block, size_t component, HalfTexels& texels) {
  const auto number = [&](size_t at) { return std::max(int(int8_t(block[at])), -127); };
  const int first = number(0), second = number(1);
  std::array<float, 8> numbers{0, 0, 0, 0, 0, 0, -1, 1};
  const bool has_eight = int8_t(block[0]) > int8_t(block[1]);
  const int parts = has_eight ? 7 : 5;
  for (size_t i = 0; i < size_t(parts) + 1; ++i) {
    const int weight = has_eight ? sevenths[i] : fifths[i];
    numbers[i] = float((parts - weight) * first + weight * second) / float(127 * parts);
  }
  const uint64_t indices = indices_at(block);
  for (size_t i = 0; i < texels.size(); ++i) texels[i][component] = half_from_float(numbers[indices >> 3 * i & 7]);
}

HalfTexels opaque_black() {
  HalfTexels texels{};
  for (auto& texel : texels) texel[3] = half_from_float(1);
  return texels;
}

ByteTexels opaque_black_bytes() {
  ByteTexels texels{};
  for (auto& texel : texels) texel[3] = 255;
  return texels;
}

unsigned char* bytes_at(std::byte* block) { return reinterpret_cast<unsigned char*>(block); }

}  // namespace

ByteTexels decode_bc1(const std::byte* block) {
  ByteTexels texels;
  decode_colors(block, true, texels);
  return texels;
}

ByteTexels decode_bc2(const std::byte* block) {
  ByteTexels texels;
  decode_colors(block + 8, false, texels);
  const auto alphas = number_at<uint64_t>(block);
  for (size_t i = 0; i < texels.size(); ++i) texels[i][3] = uint8_t(17 * (alphas >> 4 * i & 15));
  return texels;
}

ByteTexels decode_bc3(const std::byte* block) {
  ByteTexels texels;
  decode_colors(block + 8, false, texels);
  decode_numbers(block, 3, texels);
  return texels;
}

ByteTexels decode_bc4(const std::byte* block) {
  ByteTexels texels = opaque_black_bytes();
  decode_numbers(block, 0, texels);
  return texels;
}

ByteTexels decode_bc5(const std::byte* block) {
  ByteTexels texels = opaque_black_bytes();
  decode_numbers(block, 0, texels);
  decode_numbers(block + 8, 1, texels);
  return texels;
}

HalfTexels decode_signed_bc4(const std::byte* block) {
  HalfTexels texels = opaque_black();
  decode_signed_numbers(block, 0, texels);
  return texels;
}

HalfTexels decode_signed_bc5(const std::byte* block) {
  HalfTexels texels = opaque_black();
  decode_signed_numbers(block, 0, texels);
  decode_signed_numbers(block + 8, 1, texels);
  return texels;
}

void encode_bc1(const ByteTexels& texels, std::byte* block) {
  stb_compress_dxt_block(bytes_at(block), texels.front().data(), 0, STB_DXT_HIGHQUAL);
}

void encode_bc3(const ByteTexels& texels, std::byte* block) {
  stb_compress_dxt_block(bytes_at(block), texels.front().data(), 1, STB_DXT_HIGHQUAL);
}

void encode_bc4(const ByteTexels& texels, std::byte* block) {
  std::array<uint8_t, 16> numbers;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = texels[i][0];
  stb_compress_bc4_block(bytes_at(block), numbers.data());
}

void encode_bc5(const ByteTexels& texels, std::byte* block) {
  std::array<uint8_t, 32> numbers;
  for (size_t i = 0; i < texels.size(); ++i) std::copy_n(texels[i].begin(), 2, numbers.begin() + 2 * i);
  stb_compress_bc5_block(bytes_at(block), numbers.data());
}

}  // namespace gpupost
