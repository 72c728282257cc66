#include "core/codec/blocks/bc1_to_bc5.h"

#include "core/base/half.h"

#include <stb_dxt.h>

#include <algorithm>
#include <cstdlib>
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

// The numbers that the indices stand for.
std::array<uint8_t, 8> numbers_between(int first, int second) {
  std::array<uint8_t, 8> numbers{};
  if (first > second) {
    for (size_t i = 0; i < 8; ++i) numbers[i] = uint8_t(((7 - sevenths[i]) * first + sevenths[i] * second + 3) / 7);
  } else {
    for (size_t i = 0; i < 6; ++i) numbers[i] = uint8_t(((5 - fifths[i]) * first + fifths[i] * second + 2) / 5);
    numbers[7] = 255;
  }
  return numbers;
}

void decode_numbers(const std::byte* block, size_t component, ByteTexels& texels) {
  const std::array<uint8_t, 8> numbers = numbers_between(int(block[0]), int(block[1]));
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

using Numbers = std::array<int, 16>;

// Two numbers with the nearest index for each texel, and the squared error that is left.
struct Choice {
  int first = 0, second = 0;
  std::array<int, 16> indices{};
  int error = 0;
};

Choice nearest(const Numbers& given, int first, int second) {
  Choice choice{.first = first, .second = second};
  const std::array<uint8_t, 8> numbers = numbers_between(first, second);
  for (size_t i = 0; i < given.size(); ++i) {
    int least = 1 << 30;
    for (int index = 0; index < 8; ++index) {
      const int distance = given[i] - numbers[size_t(index)], error = distance * distance;
      if (error < least) choice.indices[i] = index;
      least = std::min(least, error);
    }
    choice.error += least;
  }
  return choice;
}

// The two numbers with the least squared error for the same indices, in the same order.
Choice refined(const Numbers& given, const Choice& choice) {
  const bool has_eight = choice.first > choice.second;
  const int parts = has_eight ? 7 : 5;
  int64_t aa = 0, ab = 0, bb = 0, at = 0, bt = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t index = size_t(choice.indices[i]);
    if (!has_eight && index > 5) continue;
    const int b = has_eight ? sevenths[index] : fifths[index], a = parts - b;
    aa += a * a, ab += a * b, bb += b * b, at += a * given[i], bt += b * given[i];
  }
  const int64_t determinant = aa * bb - ab * ab;
  if (determinant == 0) return choice;
  const auto rounded = [&](int64_t numerator) {
    const int64_t nearest_number = (2 * numerator * parts + determinant) / (2 * determinant);
    return int(std::clamp<int64_t>(nearest_number, 0, 255));
  };
  const int first = rounded(at * bb - bt * ab), second = rounded(bt * aa - at * ab);
  return (first > second) == has_eight ? nearest(given, first, second) : choice;
}

Choice best_from(const Numbers& given, int first, int second) {
  Choice best = nearest(given, first, second);
  for (int round = 0; round < 3 && best.error > 0; ++round) {
    const Choice next = refined(given, best);
    if (next.error >= best.error) break;
    best = next;
  }
  return best;
}

void encode_numbers(const ByteTexels& texels, size_t component, std::byte* block) {
  Numbers given;
  for (size_t i = 0; i < given.size(); ++i) given[i] = texels[i][component];
  const auto [least, most] = std::ranges::minmax(given);
  Choice best = best_from(given, most, least);
  if (least == 0 || most == 255) {  // then six numbers, besides which there are 0 and 255, may be nearer
    int inner_least = 255, inner_most = 0;
    for (const int number : given) {
      if (number > 0) inner_least = std::min(inner_least, number);
      if (number < 255) inner_most = std::max(inner_most, number);
    }
    if (inner_least <= inner_most) {
      const Choice six = best_from(given, inner_least, inner_most);
      if (six.error < best.error) best = six;
    }
  }
  uint64_t bits = uint64_t(best.first) | uint64_t(best.second) << 8;
  for (size_t i = 0; i < given.size(); ++i) bits |= uint64_t(best.indices[i]) << (16 + 3 * i);
  std::memcpy(block, &bits, sizeof bits);
}

using Thirds = std::array<std::array<int, 2>, 256>;

// For each byte the two numbers of `bits` bits of which two thirds of the first and a third of the second are the nearest to it.
Thirds thirds_of(int bits) {
  Thirds pairs{};
  const auto widened = [&](int number) { return number << (8 - bits) | number >> (2 * bits - 8); };
  for (int value = 0; value < 256; ++value) {
    int least = 1 << 30;
    for (int first = 0; first < 1 << bits; ++first)
      for (int second = 0; second < 1 << bits; ++second) {
        const int error = std::abs(2 * widened(first) + widened(second) - 3 * value);
        const int cost = 1024 * error + std::abs(first - second);
        if (cost < least) pairs[size_t(value)] = {first, second};
        least = std::min(least, cost);
      }
  }
  return pairs;
}

// A block of one color.
void encode_color(const Color& color, std::byte* block) {
  static const Thirds of_5_bits = thirds_of(5), of_6_bits = thirds_of(6);
  const auto packed = [&](size_t end) {
    return uint64_t(of_5_bits[color[0]][end] << 11 | of_6_bits[color[1]][end] << 5 | of_5_bits[color[2]][end]);
  };
  // index 2 of all texels, or 3 where the order of the endpoints is the other
  const uint64_t first = packed(0), second = packed(1);
  const uint64_t bits = first > second   ? first | second << 16 | uint64_t(0xaaaaaaaa) << 32
                        : first < second ? second | first << 16 | uint64_t(0xffffffff) << 32
                                         : first | second << 16;
  std::memcpy(block, &bits, sizeof bits);
}

void encode_colors(const ByteTexels& texels, std::byte* block) {
  const auto is_first = [&](const Color& texel) {
    return std::equal(texel.begin(), texel.begin() + 3, texels[0].begin());
  };
  if (std::ranges::all_of(texels, is_first)) return encode_color(texels[0], block);
  ByteTexels opaque = texels;
  for (auto& texel : opaque) texel[3] = 255;
  stb_compress_dxt_block(reinterpret_cast<unsigned char*>(block), opaque.front().data(), 0, STB_DXT_HIGHQUAL);
}

ByteTexels opaque_black() {
  ByteTexels texels{};
  for (auto& texel : texels) texel[3] = 255;
  return texels;
}

HalfTexels opaque_black_halves() {
  HalfTexels texels{};
  for (auto& texel : texels) texel[3] = half_from_float(1);
  return texels;
}

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
  ByteTexels texels = opaque_black();
  decode_numbers(block, 0, texels);
  return texels;
}

ByteTexels decode_bc5(const std::byte* block) {
  ByteTexels texels = opaque_black();
  decode_numbers(block, 0, texels);
  decode_numbers(block + 8, 1, texels);
  return texels;
}

HalfTexels decode_signed_bc4(const std::byte* block) {
  HalfTexels texels = opaque_black_halves();
  decode_signed_numbers(block, 0, texels);
  return texels;
}

HalfTexels decode_signed_bc5(const std::byte* block) {
  HalfTexels texels = opaque_black_halves();
  decode_signed_numbers(block, 0, texels);
  decode_signed_numbers(block + 8, 1, texels);
  return texels;
}

void encode_bc1(const ByteTexels& texels, std::byte* block) { encode_colors(texels, block); }

void encode_bc3(const ByteTexels& texels, std::byte* block) {
  encode_numbers(texels, 3, block);
  encode_colors(texels, block + 8);
}

void encode_bc4(const ByteTexels& texels, std::byte* block) { encode_numbers(texels, 0, block); }

void encode_bc5(const ByteTexels& texels, std::byte* block) {
  encode_numbers(texels, 0, block);
  encode_numbers(texels, 1, block + 8);
}

}  // namespace gpupost
