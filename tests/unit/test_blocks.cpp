// BC1 to BC5 as they are encoded; tests/codec/test_texture_blocks.cpp holds how they are read against their documents.
#include "core/codec/blocks/bc1_to_bc5.h"

#include <doctest/doctest.h>

#include <random>

using namespace gpupost;

namespace {

ByteTexels block_of(const std::array<int, 16>& numbers) {
  ByteTexels texels;
  for (size_t i = 0; i < 16; ++i) texels[i] = {uint8_t(numbers[i]), uint8_t(255 - numbers[i]), 0, uint8_t(numbers[i])};
  return texels;
}

// The sum of squared errors of one component.
int error_of(const ByteTexels& texels, const ByteTexels& seen, size_t component) {
  int sum = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int distance = texels[i][component] - seen[i][component];
    sum += distance * distance;
  }
  return sum;
}

int error_of_bc4(const ByteTexels& texels) {
  std::array<std::byte, 8> block;
  encode_bc4(texels, block.data());
  return error_of(texels, decode_bc4(block.data()), 0);
}

}  // namespace

TEST_CASE("one number, two numbers and even steps are exact in BC4") {
  for (int number = 0; number < 256; ++number) {
    std::array<int, 16> numbers;
    numbers.fill(number);
    CHECK(error_of_bc4(block_of(numbers)) == 0);
    numbers[5] = 255 - number;
    CHECK(error_of_bc4(block_of(numbers)) == 0);
    for (int i = 0; i < 16; ++i) numbers[size_t(i)] = std::min(number, 185) + 10 * (i % 8);
    CHECK(error_of_bc4(block_of(numbers)) == 0);
  }
}

TEST_CASE("a block of one color is within one step of it in BC1, on either side, and gray has no tint in the mean") {
  int red = 0, green = 0, exact = 0;
  for (int value = 0; value < 256; ++value) {
    ByteTexels texels;
    texels.fill({uint8_t(value), uint8_t(value), uint8_t(255 - value), 255});
    std::array<std::byte, 8> block;
    encode_bc1(texels, block.data());
    const ByteTexels seen = decode_bc1(block.data());
    for (const auto& texel : seen) CHECK(texel == seen[0]);
    CHECK(std::abs(seen[0][0] - value) <= 1);
    CHECK(std::abs(seen[0][1] - value) <= 1);
    CHECK(std::abs(seen[0][2] - (255 - value)) <= 1);
    red += seen[0][0] - value;
    green += seen[0][1] - value;
    exact += seen[0][1] == value;
  }
  CHECK(std::abs(red) <= 10);
  CHECK(std::abs(green) <= 10);
  CHECK(exact == 246);
}

TEST_CASE("0 and 255 beside six near numbers are exact, as cut-outs need them") {
  std::array<int, 16> numbers{0, 255, 100, 101, 102, 103, 104, 105, 0, 255, 100, 101, 102, 103, 104, 105};
  CHECK(error_of_bc4(block_of(numbers)) == 0);
  numbers = {0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 255, 255, 0, 255, 0, 255};
  std::array<std::byte, 16> block;
  encode_bc3(block_of(numbers), block.data());
  CHECK(error_of(block_of(numbers), decode_bc3(block.data()), 3) == 0);
}

TEST_CASE("noise loses less than what eight steps from the least to the most number would") {
  std::mt19937 random(1);
  int64_t sum = 0, plain = 0;
  for (int round = 0; round < 500; ++round) {
    std::array<int, 16> numbers;
    for (int& number : numbers) number = int(random() % 256);
    const auto [least, most] = std::ranges::minmax(numbers);
    for (const int number : numbers) {
      int nearest = 1 << 30;
      for (int i = 0; i <= 7; ++i) {
        const int step = (i * least + (7 - i) * most + 3) / 7;
        nearest = std::min(nearest, (number - step) * (number - step));
      }
      plain += nearest;
    }
    sum += error_of_bc4(block_of(numbers));
  }
  CHECK(double(sum) < 0.9 * double(plain));
}

TEST_CASE("both channels of BC5 stand alone, and the color of BC1 and BC3 does not depend on alpha") {
  std::array<int, 16> numbers;
  for (size_t i = 0; i < 16; ++i) numbers[i] = 20 + 10 * int(i % 8);
  const ByteTexels texels = block_of(numbers);
  std::array<std::byte, 16> block;
  encode_bc5(texels, block.data());
  const ByteTexels seen = decode_bc5(block.data());
  CHECK(error_of(texels, seen, 0) == 0);
  CHECK(error_of(texels, seen, 1) == 0);
  ByteTexels opaque = texels;
  for (auto& texel : opaque) texel[3] = 255;
  std::array<std::byte, 16> other;
  encode_bc3(texels, block.data());
  encode_bc1(opaque, other.data());
  CHECK(std::equal(block.begin() + 8, block.end(), other.begin()));
  ByteTexels single;
  for (size_t i = 0; i < 16; ++i) single[i] = {248, 252, 248, uint8_t(16 * i)};
  encode_bc3(single, block.data());
  for (const auto& texel : decode_bc3(block.data()))
    for (size_t c = 0; c < 3; ++c) CHECK(std::abs(texel[c] - single[0][c]) <= 1);
}
