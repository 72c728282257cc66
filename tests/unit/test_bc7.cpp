// Decodes blocks of BC7 that are made here by hand, and encodes texels to hold the decoded ones against them.
#include "core/codec/blocks/bc7.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

// Other files that are compiled together with this one have helpers of the same names.
namespace gpupost::bc7 {
namespace {

using Block = std::array<std::byte, 16>;

// A hexadecimal digit a texel.
size_t digit_at(std::string_view digits, size_t texel) {
  return size_t(digits[texel] <= '9' ? digits[texel] - '0' : digits[texel] - 'a' + 10);
}

struct Indices {
  std::string_view digits;
  int bits;
};

// Fields of a block from its lowest bit on.
class BlockWriter {
 public:
  BlockWriter& add(const std::vector<int>& values, int bits) {
    for (const int value : values)
      for (int bit = 0; bit < bits; ++bit, ++at_) block_[at_ / 8] |= std::byte(value >> bit & 1) << int(at_ % 8);
    return *this;
  }
  // The highest bit of the index of an anchor is left out.
  BlockWriter& add_indices(const Indices& indices, const std::vector<size_t>& anchors) {
    for (size_t texel = 0; texel < 16; ++texel)
      add({int(digit_at(indices.digits, texel))}, indices.bits - int(std::ranges::count(anchors, texel)));
    return *this;
  }
  Block finish() const {
    CHECK(at_ == 128);
    return block_;
  }

 private:
  Block block_{};
  size_t at_ = 0;
};

// Weights of steps are rounded to 64ths, then the result.
int mix(int first, int second, size_t index, int bits) {
  const int weight = int(64.0 * double(index) / ((1 << bits) - 1) + 0.5);
  return int((first * (64 - weight) + second * weight) / 64.0 + 0.5);
}

// `pairs` has a digit a texel. `endpoints` are 8 bits wide, two a pair. `indices` has those of R, G, B and alpha.
void check_texels(const Block& block, std::string_view pairs, const std::vector<std::array<int, 4>>& endpoints,
                  const std::array<Indices, 4>& indices) {
  const ByteTexels texels = decode_bc7(block.data());
  for (size_t texel = 0; texel < 16; ++texel)
    for (size_t channel = 0; channel < 4; ++channel) {
      const size_t first = 2 * digit_at(pairs, texel), index = digit_at(indices[channel].digits, texel);
      const int expected = mix(endpoints[first][channel], endpoints[first + 1][channel], index, indices[channel].bits);
      CHECK_MESSAGE(int(texels[texel][channel]) == expected, "texel ", texel, " channel ", channel);
    }
}

constexpr std::string_view one_pair = "0000000000000000";
constexpr int reserved = 8;  // no bit of the first byte is set

Block random_block(std::mt19937& random, int mode) {
  Block block;
  for (std::byte& byte : block) byte = std::byte(random() & 255);
  block[0] = mode == reserved ? std::byte{0} : (block[0] & std::byte(0xfe << mode & 255)) | std::byte(1 << mode);
  return block;
}

ByteTexels encode_and_decode(const ByteTexels& texels) {
  Block block;
  encode_bc7(texels, block.data());
  return decode_bc7(block.data());
}

ByteTexels constant(const std::array<uint8_t, 4>& color) {
  ByteTexels texels;
  texels.fill(color);
  return texels;
}

// Texels of color(x, y).
template <class Color>
ByteTexels make_texels(const Color& color) {
  ByteTexels texels;
  for (size_t texel = 0; texel < 16; ++texel) texels[texel] = color(int(texel % 4), int(texel / 4));
  return texels;
}

int squared_error(const ByteTexels& a, const ByteTexels& b) {
  int sum = 0;
  for (size_t texel = 0; texel < 16; ++texel)
    for (size_t channel = 0; channel < 4; ++channel) {
      const int difference = int(a[texel][channel]) - int(b[texel][channel]);
      sum += difference * difference;
    }
  return sum;
}

int squared_error(const ByteTexels& texels) { return squared_error(encode_and_decode(texels), texels); }

}  // namespace

TEST_CASE("BC7 mode 0 has three pairs and a p bit for each endpoint") {
  const Indices indices{"0123456776543210", 3};
  BlockWriter writer;
  writer.add({1}, 1).add({0}, 4);
  writer.add({10, 0, 15, 1, 2, 3}, 4).add({5, 6, 7, 8, 9, 10}, 4).add({11, 12, 13, 14, 15, 0}, 4);
  writer.add({1, 0, 1, 1, 0, 0}, 1).add_indices(indices, {0, 3, 15});
  check_texels(writer.finish(), "0011001102212222",
               {{173, 90, 189, 255},
                {0, 99, 198, 255},
                {255, 123, 222, 255},
                {24, 140, 239, 255},
                {33, 148, 247, 255},
                {49, 165, 0, 255}},
               {indices, indices, indices, indices});
}

TEST_CASE("BC7 mode 1 has two pairs and a p bit for each pair") {
  const Indices indices{"3210765401234563", 3};
  BlockWriter writer;
  writer.add({2}, 2).add({13}, 6);
  writer.add({63, 0, 32, 21}, 6).add({1, 2, 3, 4}, 6).add({60, 50, 40, 30}, 6);
  writer.add({1, 0}, 1).add_indices(indices, {0, 15});
  check_texels(writer.finish(), "0000000011111111",
               {{255, 6, 243, 255}, {2, 10, 203, 255}, {129, 12, 161, 255}, {84, 16, 120, 255}},
               {indices, indices, indices, indices});
}

TEST_CASE("BC7 mode 2 has three pairs and no p bits") {
  const Indices indices{"0121230013013123", 2};
  BlockWriter writer;
  writer.add({4}, 3).add({63}, 6);
  writer.add({31, 0, 16, 1, 2, 3}, 5).add({5, 6, 7, 8, 9, 10}, 5).add({11, 12, 13, 14, 15, 30}, 5);
  writer.add_indices(indices, {0, 3, 8});
  check_texels(writer.finish(), "0111201122012220",
               {{255, 41, 90, 255},
                {0, 49, 99, 255},
                {132, 57, 107, 255},
                {8, 66, 115, 255},
                {16, 74, 123, 255},
                {24, 82, 247, 255}},
               {indices, indices, indices, indices});
}

TEST_CASE("BC7 mode 3 has two pairs and a p bit for each endpoint") {
  const Indices indices{"0312230013213123", 2};
  BlockWriter writer;
  writer.add({8}, 4).add({17}, 6);
  writer.add({127, 0, 64, 33}, 7).add({1, 2, 3, 4}, 7).add({100, 90, 80, 70}, 7);
  writer.add({1, 0, 0, 1}, 1).add_indices(indices, {0, 2});
  check_texels(writer.finish(), "0111000100000000",
               {{255, 3, 201, 255}, {0, 4, 180, 255}, {128, 6, 160, 255}, {67, 9, 141, 255}},
               {indices, indices, indices, indices});
}

TEST_CASE("BC7 mode 4 has second indices, which color or alpha uses") {
  const Indices two{"1312230013213123", 2}, three{"3210765401234567", 3};
  const auto block = [&](int rotation, int selection) {
    BlockWriter writer;
    writer.add({16}, 5).add({rotation}, 2).add({selection}, 1);
    writer.add({31, 4}, 5).add({0, 17}, 5).add({9, 30}, 5).add({63, 5}, 6);
    return writer.add_indices(two, {0}).add_indices(three, {0}).finish();
  };
  check_texels(block(0, 0), one_pair, {{255, 0, 74, 255}, {33, 140, 247, 20}}, {two, two, two, three});
  check_texels(block(0, 1), one_pair, {{255, 0, 74, 255}, {33, 140, 247, 20}}, {three, three, three, two});
  check_texels(block(2, 1), one_pair, {{255, 255, 74, 0}, {33, 20, 247, 140}}, {three, two, three, three});
}

TEST_CASE("BC7 mode 5 has alpha apart, or a channel in its place") {
  const Indices color{"1312230013213123", 2}, alpha{"0132103213021122", 2};
  const auto block = [&](int rotation) {
    BlockWriter writer;
    writer.add({32}, 6).add({rotation}, 2);
    writer.add({127, 1}, 7).add({64, 32}, 7).add({5, 100}, 7).add({7, 200}, 8);
    return writer.add_indices(color, {0}).add_indices(alpha, {0}).finish();
  };
  check_texels(block(0), one_pair, {{255, 129, 10, 7}, {2, 64, 201, 200}}, {color, color, color, alpha});
  check_texels(block(1), one_pair, {{7, 129, 10, 255}, {200, 64, 201, 2}}, {alpha, color, color, color});
  check_texels(block(2), one_pair, {{255, 7, 10, 129}, {2, 200, 201, 64}}, {color, alpha, color, color});
  check_texels(block(3), one_pair, {{255, 129, 7, 10}, {2, 64, 200, 201}}, {color, color, alpha, color});
}

TEST_CASE("BC7 mode 6 has one pair and 16 steps") {
  const Indices indices{"0123456789abcdef", 4};
  BlockWriter writer;
  writer.add({64}, 7).add({127, 0}, 7).add({3, 60}, 7).add({64, 64}, 7).add({0, 127}, 7);
  writer.add({0, 1}, 1).add_indices(indices, {0});
  check_texels(writer.finish(), one_pair, {{254, 6, 128, 0}, {1, 121, 129, 255}}, {indices, indices, indices, indices});
}

TEST_CASE("BC7 mode 7 has two pairs with alpha") {
  const Indices indices{"1312231013213123", 2};
  BlockWriter writer;
  writer.add({128}, 8).add({34}, 6);
  writer.add({31, 0, 16, 1}, 5).add({5, 6, 7, 8}, 5).add({30, 20, 10, 2}, 5).add({0, 31, 9, 18}, 5);
  writer.add({1, 0, 1, 1}, 1).add_indices(indices, {0, 6});
  check_texels(writer.finish(), "0101101001011010",
               {{255, 44, 247, 4}, {0, 48, 162, 251}, {134, 60, 85, 77}, {12, 69, 20, 150}},
               {indices, indices, indices, indices});
}

// The sum was taken from texels that OpenImageIO 2.4 had decoded to the same values.
TEST_CASE("BC7 blocks of all modes and partitions decode as another decoder does it") {
  std::mt19937 random(7);
  uint64_t sum = 0;
  for (int count = 0; count < 9000; ++count)
    for (const auto& texel : decode_bc7(random_block(random, count % 9).data()))
      for (const uint8_t value : texel) sum = sum * 31 + value;
  CHECK(sum == 1691474401680057922u);
}

TEST_CASE("BC7 blocks of a reserved mode are transparent black") {
  std::mt19937 random(3);
  CHECK(decode_bc7(random_block(random, reserved).data()) == ByteTexels{});
}

TEST_CASE("a block of one color comes back exactly from BC7") {
  std::mt19937 random(1);
  for (int gray = 0; gray < 256; ++gray)
    for (const int alpha : {255, gray, 0}) {
      const ByteTexels texels = constant({uint8_t(gray), uint8_t(gray), uint8_t(gray), uint8_t(alpha)});
      CHECK(encode_and_decode(texels) == texels);
    }
  for (int count = 0; count < 500; ++count) {
    const auto byte = [&] { return uint8_t(random()); };
    const ByteTexels texels = constant({byte(), byte(), byte(), byte()});
    CHECK(encode_and_decode(texels) == texels);
  }
}

TEST_CASE("an opaque block stays opaque in BC7") {
  std::mt19937 random(2);
  for (int count = 0; count < 2000; ++count) {
    const int spread = 1 << count % 9;  // of the values in a block
    const ByteTexels texels = make_texels([&](int, int) {
      const auto byte = [&] { return uint8_t(100 * (spread < 256) + int(random() % uint32_t(spread))); };
      return std::array<uint8_t, 4>{byte(), byte(), byte(), 255};
    });
    for (const auto& texel : encode_and_decode(texels)) REQUIRE(texel[3] == 255);
  }
}

TEST_CASE("a block of a gradient comes back with little error from BC7") {
  for (int slope = 1; slope <= 15; ++slope) {
    const ByteTexels texels = make_texels([&](int x, int y) {
      const int at = slope * (x + 4 * y);
      return std::array<uint8_t, 4>{uint8_t(at), uint8_t(255 - at), uint8_t(20 + at / 2), 255};
    });
    CHECK_MESSAGE(squared_error(texels) <= 60, "slope ", slope);
  }
}

// One pair has an error of about 30,000 here and, in the next case, of 168,000.
TEST_CASE("BC7 has a pair of endpoints for each of two regions") {
  const ByteTexels texels = make_texels([](int x, int y) {
    const uint8_t at = uint8_t(40 * y);
    return x < 2 ? std::array<uint8_t, 4>{at, 0, 255, 255} : std::array<uint8_t, 4>{255, at, 0, 255};
  });
  CHECK(squared_error(texels) < 500);
}

TEST_CASE("BC7 has a pair of endpoints for each of three regions") {
  const ByteTexels texels = make_texels([](int x, int y) {
    const uint8_t at = uint8_t(50 * y);
    if (x == 3) return std::array<uint8_t, 4>{at, at, 0, 255};
    return x < 2 ? std::array<uint8_t, 4>{at, 0, 255, 255} : std::array<uint8_t, 4>{255, at, 200, 255};
  });
  CHECK(squared_error(texels) < 500);
}

TEST_CASE("a block of two colors comes back with an error of at most 1 a value from BC7") {
  std::mt19937 random(4);
  for (int count = 0; count < 500; ++count) {
    const auto byte = [&] { return uint8_t(random()); };
    const bool is_opaque = count % 2 == 0;
    const std::array<std::array<uint8_t, 4>, 2> colors{{{byte(), byte(), byte(), is_opaque ? uint8_t(255) : byte()},
                                                        {byte(), byte(), byte(), is_opaque ? uint8_t(255) : byte()}}};
    const ByteTexels texels = make_texels([&](int, int) { return colors[random() % 2]; });
    CHECK(squared_error(texels) <= 64);
  }
}

// With one index for all channels there would be an error of about 216,000.
TEST_CASE("BC7 fits a channel apart that changes by itself") {
  for (size_t apart = 0; apart < 4; ++apart) {
    const ByteTexels texels = make_texels([&](int x, int y) {
      const uint8_t along = uint8_t(20 + 60 * y);
      std::array<uint8_t, 4> texel{along, along, along, along};
      texel[apart] = uint8_t(10 + 70 * x);
      return texel;
    });
    CHECK_MESSAGE(squared_error(texels) <= 100, "channel ", apart);
  }
}

TEST_CASE("BC7 keeps alphas of 0 and 255") {
  std::mt19937 random(5);
  for (int count = 0; count < 300; ++count) {
    const int slope = int(random() % 12);
    const ByteTexels texels = make_texels([&](int x, int y) {
      const uint8_t at = uint8_t(60 + slope * (x + y));
      return std::array<uint8_t, 4>{at, uint8_t(at / 2), uint8_t(200 - at), uint8_t(random() % 2 * 255)};
    });
    const ByteTexels decoded = encode_and_decode(texels);
    for (size_t texel = 0; texel < 16; ++texel) CHECK(decoded[texel][3] == texels[texel][3]);
    CHECK(squared_error(decoded, texels) <= 600);
  }
}

TEST_CASE("opaque black and white, and other colors of 0 and 255 on a line, are exact in BC7") {
  std::mt19937 random(7);
  constexpr std::array<uint8_t, 4> pairs[][2] = {{{0, 0, 0, 255}, {255, 255, 255, 255}},
                                                 {{0, 0, 255, 255}, {255, 0, 255, 255}}};
  for (const auto& [first, second] : pairs)
    for (const unsigned share : {2u, 6u, 16u})
      for (int count = 0; count < 100; ++count)
        CHECK(squared_error(make_texels([&](int, int) { return random() % share == 0 ? second : first; })) == 0);
}

// Mode 6 alone has a mean squared error of 3000 with alpha and 2600 without it.
TEST_CASE("BC7 encodes noise with a bounded error") {
  std::mt19937 random(6);
  for (const bool is_opaque : {false, true}) {
    double sum = 0;
    for (int count = 0; count < 500; ++count)
      sum += squared_error(make_texels([&](int, int) {
        const auto byte = [&] { return uint8_t(random()); };
        return std::array<uint8_t, 4>{byte(), byte(), byte(), is_opaque ? uint8_t(255) : byte()};
      }));
    CHECK(sum / (500 * 16 * (is_opaque ? 3 : 4)) < (is_opaque ? 1100 : 1900));
  }
}

}  // namespace gpupost::bc7
