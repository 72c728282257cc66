// What the PNG writer writes is read back with libpng, which shares no code with it.
#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/codec/common/parallel_deflate.h"
#include "core/image/to_working.h"
#include "tests/support/error_of.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <png.h>
#include <zlib.h>

#include <cmath>

using namespace gpupost;

namespace {

constexpr Size hard_sizes[] = {{1, 1}, {3, 5}, {17, 9}, {257, 129}, {1, 100}, {700, 300}};

// A file as libpng sees it.
struct Read {
  Size size;
  int bits = 0;
  int components = 0;
  bool is_srgb = false;
  double gamma = 0;
  std::vector<uint16_t> numbers;
};

Read read_png(const TexelBuffer& bytes) {
  struct Source {
    const std::byte* at;
    const std::byte* end;
  } source{bytes.data(), bytes.data() + bytes.size()};
  png_structp png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, nullptr, [](png_structp, png_const_charp text) { throw std::runtime_error(text); },
      [](png_structp, png_const_charp text) { throw std::runtime_error(text); });
  png_infop info = png_create_info_struct(png);
  png_set_read_fn(png, &source, [](png_structp reader, png_bytep to, size_t count) {
    auto* from = static_cast<Source*>(png_get_io_ptr(reader));
    if (count > size_t(from->end - from->at)) throw std::runtime_error("the file is too short");
    std::memcpy(to, from->at, count);
    from->at += count;
  });
  png_read_png(png, info, PNG_TRANSFORM_SWAP_ENDIAN, nullptr);
  Read read;
  read.size = {int(png_get_image_width(png, info)), int(png_get_image_height(png, info))};
  read.bits = png_get_bit_depth(png, info);
  read.components = png_get_channels(png, info);
  int intent = -1;
  read.is_srgb = png_get_sRGB(png, info, &intent) != 0 && intent == PNG_sRGB_INTENT_PERCEPTUAL;
  png_get_gAMA(png, info, &read.gamma);
  for (int y = 0; y < read.size.height; ++y) {
    const png_bytep row = png_get_rows(png, info)[y];
    for (int i = 0; i < read.size.width * read.components; ++i)
      read.numbers.push_back(read.bits == 8 ? row[i] : reinterpret_cast<const uint16_t*>(row)[i]);
  }
  CHECK(source.at == source.end);
  png_destroy_read_struct(&png, &info, nullptr);
  return read;
}

Encoded encode_png(const Picture& picture, const EncodeOptions& options) {
  return encode(*format_named("png"), picture, options);
}

enum class Kind { gray, gray_alpha, rgb, rgba };

Picture picture_of(Size size, Kind kind, Depth depth, const BitsOf& bits_of) {
  const bool is_gray = kind == Kind::gray || kind == Kind::gray_alpha;
  const bool has_alpha = kind == Kind::gray_alpha || kind == Kind::rgba;
  const Channel none;
  const Channel alpha = has_alpha ? Channel{"A", depth} : none;
  Picture picture = color_picture_of(
      made_group(is_gray ? std::array{Channel{"Y", depth}, none, none, alpha}
                         : std::array{Channel{"R", depth}, Channel{"G", depth}, Channel{"B", depth}, alpha},
                 depth, size, 1, bits_of));
  picture.groups[0].is_luminance = is_gray;
  return picture;
}

// Integers as a PNG holds them.
Picture integer_picture(Size size, Kind kind, Depth depth) {
  const bool is_gray = kind == Kind::gray || kind == Kind::gray_alpha;
  const bool has_alpha = kind == Kind::gray_alpha || kind == Kind::rgba;
  Picture picture = picture_of(size, kind, depth, [=](int x, int y, size_t c, int) {
    if (c == 3 && !has_alpha) return ~0u;
    return hash_of(uint32_t(x), uint32_t(y), is_gray && c < 3 ? 0 : uint32_t(c), 0) >> 8;
  });
  picture.transfer = Transfer::srgb;
  picture.alpha = Alpha::straight;
  return picture;
}

std::vector<uint16_t> expected_numbers(const Picture& picture) {
  const Group& group = picture.groups[0];
  const TexelBuffer& texels = group.levels[0].texels;
  std::vector<uint16_t> numbers;
  for (size_t i = 0; i < texel_count(group.levels[0].size) * 4; ++i)
    if (!group.channels[i % 4].name.empty())
      numbers.push_back(group.depth == Depth::u8 ? texels.as<uint8_t>()[i] : texels.as<uint16_t>()[i]);
  return numbers;
}

}  // namespace

TEST_CASE("libpng reads every bit of what is written, in every size and kind") {
  for (const Size size : hard_sizes) {
    for (const Kind kind : {Kind::gray, Kind::gray_alpha, Kind::rgb, Kind::rgba}) {
      for (const Depth depth : {Depth::u8, Depth::u16}) {
        CAPTURE(size.width);
        CAPTURE(int(kind));
        CAPTURE(int(depth));
        const Picture picture = integer_picture(size, kind, depth);
        const Encoded encoded = encode_png(picture, {.depth = depth});
        CHECK(encoded.warnings.empty());
        const Read read = read_png(encoded.bytes);
        CHECK(read.size == size);
        CHECK(read.bits == (depth == Depth::u8 ? 8 : 16));
        CHECK(read.components == int(kind) + 1);
        CHECK(read.is_srgb);
        CHECK(read.numbers == expected_numbers(picture));
      }
    }
  }
}

TEST_CASE("a working picture is written straight and sRGB") {
  for (const Depth depth : {Depth::u8, Depth::u16}) {
    const Picture picture = picture_of({257, 129}, Kind::rgba, Depth::f32, [](int x, int y, size_t c, int) {
      const float alpha = float(y) / 128;
      return bits_of_float(c == 3 ? alpha : float(x) / 256 * alpha);
    });
    const Encoded encoded = encode_png(picture, {.depth = depth});
    CHECK(encoded.warnings.empty());
    const Read read = read_png(encoded.bytes);
    const double most = depth == Depth::u8 ? 255 : 65535;
    for (size_t i = 0; i < read.numbers.size(); i += 4) {
      const double share = double(i / 4 % 257) / 256;
      const auto y = int(i / 4 / 257);
      CHECK(read.numbers[i + 3] == std::round(y / 128.0 * most));
      const double expected = y == 0 ? 0 : std::round(srgb_encode(share) * most);
      CHECK(std::abs(read.numbers[i] - expected) <= (depth == Depth::u8 ? 0 : 1));  // float's quotient at 16 bit
    }
  }
}

TEST_CASE("a linear PNG says so") {
  const Picture picture =
      picture_of({17, 9}, Kind::rgb, Depth::half, [](int x, int, size_t, int) { return bits_of_half(float(x) / 16); });
  const Read read = read_png(encode_png(picture, {.depth = Depth::u8, .transfer = Transfer::linear}).bytes);
  CHECK_FALSE(read.is_srgb);
  CHECK(read.gamma == doctest::Approx(1));
  for (size_t x = 0; x < 17; ++x) CHECK(read.numbers[3 * x] == std::round(double(x) / 16 * 255));
}

TEST_CASE("a picture that is display-encoded already is not encoded again") {
  Picture picture =
      picture_of({17, 9}, Kind::rgb, Depth::half, [](int x, int, size_t, int) { return bits_of_half(float(x) / 16); });
  picture.transfer = Transfer::srgb;
  const Read encoded = read_png(encode_png(picture, {.depth = Depth::u8}).bytes);
  const Read linear = read_png(encode_png(picture, {.depth = Depth::u8, .transfer = Transfer::linear}).bytes);
  for (size_t x = 0; x < 17; ++x) {
    CHECK(encoded.numbers[3 * x] == std::round(double(x) / 16 * 255));
    CHECK(linear.numbers[3 * x] == std::round(srgb_decode(double(x) / 16) * 255));
  }
}

TEST_CASE("8 bit become 16 bit and back") {
  const Picture picture = integer_picture({257, 129}, Kind::rgb, Depth::u8);
  const Read read = read_png(encode_png(picture, {.depth = Depth::u16}).bytes);
  const std::vector<uint16_t> bytes = expected_numbers(picture);
  REQUIRE(read.numbers.size() == bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) REQUIRE(read.numbers[i] == bytes[i] * 257);
}

TEST_CASE("what is clipped is said, and what is dropped") {
  Picture picture = picture_of({10, 10}, Kind::rgb, Depth::f32, [](int x, int y, size_t c, int) {
    if (y == 0 && c == 0) return bits_of_float(2);
    if (x == 0 && y < 3 && c == 1) return bits_of_float(-1);
    return bits_of_float(x == 9 && y == 9 ? std::nanf("") : 0.5f);
  });
  picture.groups.push_back(made_group({{{"Z", Depth::f32}, {"m", Depth::f32}}}, Depth::f32, {10, 10}, 1,
                                      [](int, int, size_t, int) { return 0u; }));
  picture.attributes = {{.name = "owner", .type = "string", .value = {}}, {.name = "x", .type = "int", .value = {}}};
  picture.display_window = {-1, -2, 20, 20};
  const Encoded encoded = encode_png(picture, {.depth = Depth::u8});
  CHECK(encoded.warnings ==
        std::vector<std::string>{
            "3.3 % of the values are above 1 and were clamped", "1.0 % of the values are below 0 and were clamped",
            "number of values that were NaN and became 0: 3", "png holds only color and alpha; dropped channels: Z m",
            "png holds no such attributes; dropped: owner x",
            "png holds no windows; the offset 1,2 of the data window is dropped"});
  CHECK(read_png(encoded.bytes).numbers[0] == 255);
}

TEST_CASE("the level asked for is written") {
  Picture picture = integer_picture({17, 9}, Kind::rgb, Depth::u8);
  picture.groups[0].levels.push_back(made_level({8, 4}, Depth::u8, 1, [](int, int, size_t, int) { return 7u; }));
  const Encoded encoded = encode_png(picture, {.depth = Depth::u8, .level = 1});
  CHECK(encoded.warnings.empty());
  CHECK(read_png(encoded.bytes).size == Size{8, 4});
  CHECK(read_png(encoded.bytes).numbers[0] == 7);
  CHECK(encoding_error_of([&] { encode_png(picture, {.depth = Depth::u8, .level = 2}); }) ==
        "png: level 2 does not exist; the image has 2 levels");
}

TEST_CASE("what a PNG cannot be is refused") {
  Picture picture = integer_picture({3, 5}, Kind::rgb, Depth::u8);
  CHECK(encoding_error_of([&] { encode_png(picture, {.depth = Depth::half}); }) ==
        "png holds 8 and 16 bits, not 16f; use --bits 8");
  picture.groups[0].is_color = false;
  picture.groups[0].channels = {{{"Z", Depth::f32}, {"N.X", Depth::f32}}};
  CHECK(encoding_error_of([&] { encode_png(picture, {.depth = Depth::u8}); }) ==
        "png needs R, G and B, or Y; the image has Z N.X; choose channels with `channels --list`, or write EXR");
  picture.groups[0].depth = Depth::u32;
  picture.groups[0].channels = {{{"B", Depth::u32}, {"G", Depth::u32}, {"R", Depth::u32}}};
  CHECK(encoding_error_of([&] { encode_png(picture, {.depth = Depth::u8}); }) ==
        "png cannot hold color of type uint; expected an EXR output");
}

TEST_CASE("zlib gives back what was compressed, across pieces") {
  for (const size_t count : {size_t(0), size_t(1), size_t(1) << 20, (size_t(1) << 20) + 1, size_t(3'500'000)}) {
    CAPTURE(count);
    std::vector<std::byte> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = std::byte(i < count / 2 ? hash_of(uint32_t(i), 0, 0, 0) : i / 1000);
    const ZlibStream stream = zlib_compress(bytes);
    std::vector<std::byte> whole;
    for (const auto& piece : stream.pieces) whole.insert(whole.end(), piece.begin(), piece.end());
    std::vector<std::byte> back(count + 1);
    uLongf back_count = uLongf(back.size());
    CHECK(uncompress(reinterpret_cast<Bytef*>(back.data()), &back_count, reinterpret_cast<const Bytef*>(whole.data()),
                     uLong(whole.size())) == Z_OK);
    back.resize(back_count);
    CHECK(back == bytes);
  }
}

TEST_CASE("a flat picture becomes a small PNG") {
  const Picture picture =
      picture_of({700, 700}, Kind::rgba, Depth::half, [](int, int, size_t, int) { return bits_of_half(1); });
  CHECK(encode_png(picture, {.depth = Depth::u8}).bytes.size() < 10'000);
  CHECK(encode_png(picture, {.depth = Depth::u16}).bytes.size() < 20'000);
}
