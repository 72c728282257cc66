// Radiance HDR and TGA files, read back by decoders of the tests' own.
#include "core/codec/codec.h"
#include "core/image/primaries.h"
#include "tests/support/error_of.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

Picture picture_of(Size size, std::string_view names, Depth depth, const BitsOf& bits_of) {
  std::array<Channel, 4> channels;
  for (const char name : names) channels[name == 'Y' ? 0 : std::string_view("RGBA").find(name)] = {{name}, depth};
  Group group = made_group(channels, depth, size, 1, bits_of);
  group.is_luminance = names.starts_with('Y');
  Picture picture = color_picture_of(std::move(group));
  if (depth == Depth::u8) {
    picture.transfer = Transfer::srgb;
    picture.alpha = Alpha::straight;
  }
  return picture;
}

Picture floats(Size size, std::string_view names, const std::function<float(int x, int y, size_t component)>& value) {
  return picture_of(size, names, Depth::f32,
                    [&](int x, int y, size_t c, int) { return bits_of_float(value(x, y, c)); });
}

Encoded hdr_of(const Picture& picture) { return encode(*format_named("hdr"), picture, {.depth = Depth::f32}); }
Encoded tga_of(const Picture& picture) { return encode(*format_named("tga"), picture, {.depth = Depth::u8}); }

std::string_view header_of(const Encoded& file) {
  const std::string_view text = text_of(file.bytes.bytes());
  return text.substr(0, text.find("\n-Y "));
}

// R, G and B of each texel: mantissas times 2^(exponent - 136). Source: Radiance, color.c.
std::vector<double> read_rgbe(const Encoded& file, Size size) {
  const std::string_view text = text_of(file.bytes.bytes());
  size_t at = text.find('\n', text.find("\n-Y ") + 1) + 1;
  const auto next = [&] { return int(uint8_t(text.at(at++))); };
  std::vector<double> colors;
  for (int y = 0; y < size.height; ++y) {
    std::vector<int> row;  // all of R, of G, of B, of the exponents
    const bool has_runs = size.width >= 8 && size.width < 32768;
    if (has_runs) {
      CHECK(next() == 2);
      CHECK(next() == 2);
      CHECK((next() << 8 | next()) == size.width);
      while (row.size() < 4 * size_t(size.width)) {
        const int length = next();
        if (length > 128) row.insert(row.end(), size_t(length) - 128, next());
        else
          for (int i = 0; i < length; ++i) row.push_back(next());
      }
    } else {
      row.resize(4 * size_t(size.width));
      for (int x = 0; x < size.width; ++x)
        for (int c = 0; c < 4; ++c) row[size_t(c * size.width + x)] = next();
    }
    REQUIRE(row.size() == 4 * size_t(size.width));
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < 3; ++c) {
        const int exponent = row[size_t(3 * size.width + x)];
        const int mantissa = row[size_t(c * size.width + x)];
        colors.push_back(exponent == 0 ? 0 : std::ldexp(mantissa, exponent - 136));
      }
  }
  CHECK(at == text.size());
  return colors;
}

float noise(int x, int y, size_t c) {
  const float exponent = float(hash_of(uint32_t(x), uint32_t(y), 0, 1) >> 8) * 0x1p-24f * 20 - 10;
  return std::exp2(exponent) * float(hash_of(uint32_t(x), uint32_t(y), uint32_t(c), 0) >> 8) * 0x1p-24f;
}

}  // namespace

TEST_CASE("an HDR has each color within half a step of the written exponent, and not darker in the mean") {
  for (const Size size : {Size{1, 1}, Size{7, 3}, Size{8, 1}, Size{257, 129}}) {
    const std::vector<double> read = read_rgbe(hdr_of(floats(size, "RGB", noise)), size);
    REQUIRE(read.size() == 3 * texel_count(size));
    double errors = 0;
    for (size_t i = 0; i < texel_count(size); ++i) {
      const int x = int(i) % size.width, y = int(i) / size.width;
      // the largest has 128 to 255 steps
      const double step = std::ldexp(1.0, std::ilogb(std::max({read[3 * i], read[3 * i + 1], read[3 * i + 2]})) - 7);
      for (size_t c = 0; c < 3; ++c) {
        const double error = read[3 * i + c] - noise(x, y, c);
        CHECK(std::abs(error) <= 0.50001 * step);
        errors += error / step;
      }
    }
    if (texel_count(size) > 1000) CHECK(std::abs(errors / double(read.size())) < 0.01);
  }
}

TEST_CASE("an HDR rounds all colors once if the largest rounds up to a power of two") {
  const float values[][3] = {{0.9987f, 0.2863f, 0.3f}, {255.5f, 0.99f, 1.01f}, {255.4f, 1.4f, 1.6f}};
  const Encoded file = hdr_of(floats({3, 1}, "RGB", [&](int x, int, size_t c) { return c == 3 ? 1 : values[x][c]; }));
  CHECK(read_rgbe(file, {3, 1}) == std::vector<double>{1, 37.0 / 128, 38.0 / 128, 256, 0, 2, 255, 1, 2});
}

TEST_CASE("an HDR that is read and written again has the same colors") {
  const Size size{61, 47};
  const std::vector<double> first = read_rgbe(hdr_of(floats(size, "RGB", noise)), size);
  const auto stored = [&](int x, int y, size_t c) {
    return c == 3 ? 1.0f : float(first[3 * size_t(y * size.width + x) + c]);
  };
  CHECK(read_rgbe(hdr_of(floats(size, "RGB", stored)), size) == first);
}

TEST_CASE("an HDR holds no negative, infinite or huge values, and says so") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[][3] = {{-1, 0, 0.5f}, {NAN, 1, 2}, {infinity, 0, 0}, {3e38f, 1, 0}, {1e-40f, 0, 0}, {0, 0, 0}};
  const Encoded file = hdr_of(floats({6, 1}, "RGB", [&](int x, int, size_t c) { return c == 3 ? 1 : values[x][c]; }));
  const double most = std::ldexp(255, 119);
  CHECK(read_rgbe(file, {6, 1}) == std::vector<double>{0, 0, 0.5, 0, 1, 2, most, 0, 0, most, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(file.warnings == std::vector<std::string>{"hdr holds no negative values; number of values that became 0: 1",
                                                  "number of values that were NaN and became 0: 1",
                                                  "number of values above 1.69e+38 that were clamped: 2"});
}

TEST_CASE("an HDR has gray as a color, primaries in its header, and alpha composited over black") {
  const Encoded gray = hdr_of(floats({9, 2}, "Y", [](int x, int, size_t) { return float(x); }));
  const std::vector<double> read = read_rgbe(gray, {9, 2});
  for (size_t i = 0; i < read.size(); ++i) CHECK(read[i] == double(i / 3 % 9));
  CHECK(header_of(gray) == "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n");

  Picture picture = floats({9, 2}, "RGBA", [](int, int, size_t) { return 0.25f; });
  set_primaries(picture, ap1);
  const Encoded file = hdr_of(picture);
  CHECK(read_rgbe(file, {9, 2}) == std::vector<double>(54, 0.25));
  CHECK(file.warnings == std::vector<std::string>{"hdr holds no alpha; the image is composited over black"});
  CHECK(header_of(file) ==
        "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nPRIMARIES=0.713 0.293 0.165 0.83 0.128 0.044 0.32168 0.33767\n");
}

TEST_CASE("a TGA holds the bytes of gray, RGB and RGBA; gray with alpha becomes RGBA") {
  const Size size{61, 5};
  for (const std::string_view names : {"Y", "YA", "RGB", "RGBA"}) {
    const bool is_gray = names.starts_with('Y'), has_alpha = names.ends_with('A');
    const auto value = [&](int x, int y, size_t c) -> uint32_t {  // x / 9: runs of equal texels, and others
      if (c == 3) return has_alpha ? 100 + uint32_t(y) : 255;
      return hash_of(uint32_t(y < 2 ? x / 9 : x), uint32_t(y), is_gray ? 0 : uint32_t(c), 0) & 255;
    };
    const Encoded file = tga_of(
        picture_of(size, names, Depth::u8, [&](int x, int y, size_t c, int) -> uint32_t { return value(x, y, c); }));
    CHECK(file.warnings.empty());
    const Bytes bytes = file.bytes.bytes();
    const size_t texel_bytes = has_alpha ? 4 : is_gray ? 1 : 3;
    CHECK(byte_at(bytes, 2) == (texel_bytes == 1 ? 11 : 10));
    CHECK(little_at<uint16_t>(bytes, 12) == size.width);
    CHECK(little_at<uint16_t>(bytes, 14) == size.height);
    CHECK(byte_at(bytes, 16) == 8 * texel_bytes);
    CHECK(byte_at(bytes, 17) == (has_alpha ? 8 : 0));  // rows from the bottom
    size_t at = 18;
    std::vector<size_t> order{2, 1, 0, 3};
    if (texel_bytes == 1) order = {0};
    order.resize(texel_bytes);
    for (size_t i = 0; i < texel_count(size);) {
      const int head = byte_at(bytes, at++);
      const bool is_run = head > 127;
      for (int k = 0; k <= (head & 127); ++k, ++i) {
        const int x = int(i) % size.width, y = size.height - 1 - int(i) / size.width;
        for (size_t b = 0; b < texel_bytes; ++b) CHECK(byte_at(bytes, at + b) == value(x, y, order[b]));
        if (!is_run) at += texel_bytes;
      }
      if (is_run) at += texel_bytes;
    }
    CHECK(at == bytes.size());
  }
}

TEST_CASE("a TGA of linear values gives a warning") {
  const Picture picture = floats({2, 2}, "RGB", [](int, int, size_t) { return 0.5f; });
  CHECK(encode(*format_named("tga"), picture, {.depth = Depth::u8}).warnings.empty());
  CHECK(encode(*format_named("tga"), picture, {.depth = Depth::u8, .transfer = Transfer::linear}).warnings ==
        std::vector<std::string>{"tga records no transfer curve; programs will take the values as sRGB"});
}

TEST_CASE("a TGA of 16 bits is refused") {
  const Picture picture = floats({2, 2}, "RGB", [](int, int, size_t) { return 0.5f; });
  const Picture wide = color_picture_of(made_group({{{"Y", Depth::u8}, {}, {}, {}}}, Depth::u8, {65536, 1}, 1,
                                                   [](int, int, size_t, int) { return 255u; }));
  CHECK(encoding_error_of([&] { encode(*format_named("tga"), wide, {.depth = Depth::u8}); }) ==
        "tga holds at most 65535 texels per side; the image has 65536 x 1");
  CHECK(encoding_error_of([&] { encode(*format_named("tga"), picture, {.depth = Depth::u16}); }) ==
        "tga holds 8 bits, not 16; use --bits 8");
}
