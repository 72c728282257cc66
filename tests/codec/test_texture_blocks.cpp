// KTX2 and DDS files with block compression: their headers, what is read of blocks made by hand, and how much encoding loses.
#include "core/base/error.h"
#include "core/base/half.h"
#include "core/codec/blocks/block.h"
#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <cstring>

using namespace gpupost;

namespace {

constexpr Size ramp_size{13, 6};  // blocks reach beyond two edges

struct Kind {
  Compression compression;
  const char* names;  // channels of the image
  Transfer transfer;
  uint32_t vulkan, dxgi;
  size_t block_bytes;
  uint8_t model;     // of the data format descriptor
  const char* seen;  // channels as they are read
};

const Kind kinds[] = {
    {Compression::bc1, "RGB", Transfer::srgb, 132, 72, 8, 128, "RGB"},
    {Compression::bc1, "RGB", Transfer::linear, 131, 71, 8, 128, "RGB"},
    {Compression::bc1, "Y", Transfer::srgb, 132, 72, 8, 128, "RGB"},
    {Compression::bc3, "RGBA", Transfer::srgb, 138, 78, 16, 130, "RGBA"},
    {Compression::bc3, "RGBA", Transfer::linear, 137, 77, 16, 130, "RGBA"},
    {Compression::bc4, "Y", Transfer::linear, 139, 80, 8, 131, "Y"},
    {Compression::bc5, "RG", Transfer::linear, 141, 83, 16, 132, "RG"},
    {Compression::bc6h, "RGB", Transfer::linear, 143, 95, 16, 133, "RGB"},
    {Compression::bc7, "RGBA", Transfer::srgb, 146, 99, 16, 134, "RGBA"},
    {Compression::bc7, "RGB", Transfer::linear, 145, 98, 16, 134, "RGB"},
};

Depth depth_of(const Kind& kind) { return *block_depth_of(kind.compression); }

// Ramps that differ in each channel; alpha falls from opaque.
Picture ramp_of(const Kind& kind) {
  Picture picture = noise_of_channels(kind.names, depth_of(kind), kind.transfer, ramp_size, 0);
  for (Level& level : picture.groups[0].levels)
    for (int y = 0; y < level.size.height; ++y)
      for (int x = 0; x < level.size.width; ++x)
        for (int c = 0; c < 4; ++c) {
          const size_t at = 4 * (size_t(y) * size_t(level.size.width) + size_t(x)) + size_t(c);
          const int number = c == 3                 ? 255 - 2 * x
                             : kind.names[0] == 'Y' ? 40 + 9 * x
                                                    : 40 + (c + 1) * 4 * x + (3 - c) * 6 * y;
          if (is_float(depth_of(kind)))
            level.texels.as<uint16_t>()[at] = half_from_float(c == 3 ? 1 : float(number) / 16);
          else level.texels.as<uint8_t>()[at] = uint8_t(number);
        }
  return picture;
}

Encoded encoded_as(const char* format, const Picture& picture, const Kind& kind) {
  return encode(
      *format_named(format), picture,
      {.depth = depth_of(kind), .compression = kind.compression, .mipmapped = true, .transfer = kind.transfer});
}

File bytes_of_file(const Encoded& encoded) { return {encoded.bytes.bytes().begin(), encoded.bytes.bytes().end()}; }

std::string names_of_color(const Picture& picture) {
  std::string names;
  for (const Channel& channel : picture.groups[0].channels) names += channel.name;
  return names;
}

double value_at(const Level& level, Depth depth, size_t at) {
  if (depth == Depth::half) return float_from_half(level.texels.as<uint16_t>()[at]) * 16;
  return level.texels.as<uint8_t>()[at];
}

// Root mean square over the channels that are read.
double error_of_level(const Picture& seen, const Picture& made, int level, const std::string& names) {
  const Level& a = seen.groups[0].levels[0];
  const Level& b = made.groups[0].levels[size_t(level)];
  const Depth depth = made.groups[0].depth;
  REQUIRE(a.size == b.size);
  double sum = 0;
  size_t count = 0;
  for (size_t c = 0; c < 4; ++c) {
    if (names == "Y" ? c > 0 : c >= names.size()) continue;
    for (size_t at = c; at < 4 * texel_count(a.size); at += 4, ++count)
      sum += std::pow(value_at(a, depth, at) - value_at(b, depth, at), 2);
  }
  return std::sqrt(sum / double(count));
}

size_t block_count(int level) {
  const Size of_level = level_size(ramp_size, level);
  return size_t((of_level.width + 3) / 4) * size_t((of_level.height + 3) / 4);
}

// A DDS without the DX10 header, of one block.
File named_dds(const std::string& name, const std::string& block) {
  File file(128);
  const auto patch = [&](size_t at, uint32_t number) { std::memcpy(&file[at], &number, sizeof number); };
  std::memcpy(file.data(), "DDS ", 4);
  patch(4, 124);
  patch(12, 4);
  patch(16, 4);
  patch(76, 32);
  patch(80, 4);
  std::memcpy(&file[84], name.data(), 4);
  const auto bytes = std::as_bytes(std::span(block));
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

std::array<int, 4> texel_of(const Decoded& decoded, size_t texel) {
  const auto bytes = decoded.picture.groups[0].levels[0].texels.as<uint8_t>();
  return {bytes[4 * texel], bytes[4 * texel + 1], bytes[4 * texel + 2], bytes[4 * texel + 3]};
}

using Texel = std::array<int, 4>;

// Pure red and pure blue; texels 0 to 3 have the indices 0 to 3, the others 0.
const std::string red_over_blue = std::string("\x00\xf8\x1f\x00\xe4\x00\x00\x00", 8);
const std::string blue_under_red = std::string("\x1f\x00\x00\xf8\xe4\x00\x00\x00", 8);
// Numbers 200 and 60, then 60 and 200; texels 0 to 7 have the indices 0 to 7.
const std::string eight_numbers = std::string("\xc8\x3c\x88\xc6\xfa\x00\x00\x00", 8);
const std::string six_numbers = std::string("\x3c\xc8\x88\xc6\xfa\x00\x00\x00", 8);

}  // namespace

TEST_CASE("another encoder of blocks can stand in") {
  const Kind& kind = kinds[8];
  EncodeOptions options{.depth = Depth::u8, .compression = kind.compression, .transfer = kind.transfer};
  BlockFormat asked{};
  options.block_encoder = [&](BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks) {
    CHECK(texels.size() == 4 * texel_count(size));
    asked = format;
    std::ranges::fill(blocks, std::byte{0x5a});
  };
  const Encoded made = encode(*format_named("dds"), ramp_of(kind), options);
  CHECK(asked == BlockFormat::bc7);
  CHECK(made.bytes.bytes().back() == std::byte{0x5a});
}

TEST_CASE("files of blocks have the numbers of their format, and are read with little loss at every level") {
  for (const Kind& kind : kinds)
    for (const char* format : {"ktx2", "dds"}) {
      CAPTURE(format);
      CAPTURE(int(kind.compression));
      CAPTURE(kind.names);
      const Picture made = ramp_of(kind);
      const Encoded encoded = encoded_as(format, made, kind);
      CHECK(encoded.warnings.empty());
      const File file = bytes_of_file(encoded);
      const int levels = level_count_of(ramp_size);
      size_t bytes = 0;
      for (int level = 0; level < levels; ++level) bytes += kind.block_bytes * block_count(level);
      if (std::string(format) == "ktx2") {
        CHECK(little_at<uint32_t>(file, 12) == kind.vulkan);
        CHECK(little_at<uint32_t>(file, 16) == 1);  // bytes of what a change of byte order would swap
        const size_t descriptor = little_at<uint32_t>(file, 48);
        CHECK(byte_at(file, descriptor + 12) == kind.model);
        CHECK(byte_at(file, descriptor + 14) == (kind.transfer == Transfer::srgb ? 2 : 1));
        CHECK(little_at<uint32_t>(file, descriptor + 16) == 0x0303);  // 4 x 4 texels
        CHECK(byte_at(file, descriptor + 20) == kind.block_bytes);
        CHECK(little_at<uint64_t>(file, 80) + kind.block_bytes * block_count(0) == file.size());
        CHECK(little_at<uint64_t>(file, 80) % kind.block_bytes == 0);
      } else {
        CHECK(little_at<uint32_t>(file, 128) == kind.dxgi);
        CHECK(little_at<uint32_t>(file, 8) == 0xa1007);  // with the bytes of level 0, not of a row
        CHECK(little_at<uint32_t>(file, 20) == kind.block_bytes * block_count(0));
        CHECK(file.size() == 148 + bytes);
      }
      for (int level = 0; level < levels; ++level) {
        const Decoded decoded = decode_bytes(file, {.level = level});
        CHECK(decoded.warnings.empty());
        CHECK(names_of_color(decoded.picture) == kind.seen);
        CHECK(decoded.picture.compression == compression_names[size_t(kind.compression)]);
        CHECK(decoded.picture.groups[0].depth == depth_of(kind));
        CHECK(decoded.picture.transfer == kind.transfer);
        CHECK(error_of_level(decoded.picture, made, level, kind.names) < 7);
      }
    }
}

TEST_CASE("blocks are read as their documents say") {
  const Decoded four = decode_bytes(named_dds("DXT1", red_over_blue));
  CHECK(names_of_color(four.picture) == "RGB");
  CHECK(four.picture.transfer == Transfer::srgb);
  CHECK(texel_of(four, 0) == Texel{255, 0, 0, 255});
  CHECK(texel_of(four, 1) == Texel{0, 0, 255, 255});
  CHECK(texel_of(four, 2) == Texel{170, 0, 85, 255});
  CHECK(texel_of(four, 3) == Texel{85, 0, 170, 255});
  const Decoded three = decode_bytes(named_dds("DXT1", blue_under_red));
  CHECK(names_of_color(three.picture) == "RGBA");
  CHECK(texel_of(three, 2) == Texel{128, 0, 128, 255});
  CHECK(texel_of(three, 3) == Texel{0, 0, 0, 0});

  // alpha of 4 bits, and the order of the colors has no meaning
  const std::string alphas = std::string("\x10\x32\xff\xff\xff\xff\xff\xff", 8);
  const Decoded bc2 = decode_bytes(named_dds("DXT3", alphas + blue_under_red));
  CHECK(texel_of(bc2, 0) == Texel{0, 0, 255, 0});
  CHECK(texel_of(bc2, 1) == Texel{255, 0, 0, 17});
  CHECK(texel_of(bc2, 3) == Texel{170, 0, 85, 51});
  CHECK(bc2.picture.alpha == Alpha::straight);
  CHECK(decode_bytes(named_dds("DXT2", alphas + red_over_blue)).picture.alpha == Alpha::premultiplied);

  const Decoded bc3 = decode_bytes(named_dds("DXT5", eight_numbers + red_over_blue));
  const int eight[] = {200, 60, 180, 160, 140, 120, 100, 80}, six[] = {60, 200, 88, 116, 144, 172, 0, 255};
  for (size_t i = 0; i < 8; ++i) CHECK(texel_of(bc3, i)[3] == eight[i]);
  CHECK(decode_bytes(named_dds("DXT4", eight_numbers + red_over_blue)).picture.alpha == Alpha::premultiplied);
  for (const char* name : {"ATI1", "BC4U"}) {
    const Decoded bc4 = decode_bytes(named_dds(name, six_numbers));
    CHECK(names_of_color(bc4.picture) == "Y");
    CHECK(bc4.picture.transfer == Transfer::linear);
    for (size_t i = 0; i < 8; ++i) CHECK(texel_of(bc4, i) == Texel{six[i], six[i], six[i], 255});
  }
  for (const char* name : {"ATI2", "BC5U"}) {
    const Decoded bc5 = decode_bytes(named_dds(name, six_numbers + eight_numbers));
    CHECK(names_of_color(bc5.picture) == "RG");
    for (size_t i = 0; i < 8; ++i) CHECK(texel_of(bc5, i) == Texel{six[i], eight[i], 0, 255});
  }
}

TEST_CASE("blocks with a sign hold -1 to 1") {
  const auto value = [](const Decoded& decoded, size_t texel, size_t c) {
    return float_from_half(decoded.picture.groups[0].levels[0].texels.as<uint16_t>()[4 * texel + c]);
  };
  // 127 and -127, then the same with indices of six numbers; -128 counts as -127
  const std::string falling = std::string("\x7f\x81\x88\xc6\xfa\x00\x00\x00", 8);
  const std::string rising = std::string("\x80\x7f\x88\xc6\xfa\x00\x00\x00", 8);
  const Decoded bc5 = decode_bytes(named_dds("BC5S", falling + rising));
  CHECK(names_of_color(bc5.picture) == "RG");
  CHECK(bc5.picture.groups[0].depth == Depth::half);
  const double eight[] = {1, -1, 5 / 7.0, 3 / 7.0, 1 / 7.0, -1 / 7.0, -3 / 7.0, -5 / 7.0};
  const double six[] = {-1, 1, -0.6, -0.2, 0.2, 0.6, -1, 1};
  for (size_t i = 0; i < 8; ++i) {
    CHECK(value(bc5, i, 0) == doctest::Approx(eight[i]).epsilon(0.001));
    CHECK(value(bc5, i, 1) == doctest::Approx(six[i]).epsilon(0.001));
  }
  const Decoded bc4 = decode_bytes(named_dds("BC4S", rising));
  CHECK(names_of_color(bc4.picture) == "Y");
  CHECK(value(bc4, 2, 2) == doctest::Approx(-0.6).epsilon(0.001));
}

TEST_CASE("blocks without alpha refuse an image that has some, and one or two channels drop the others by name") {
  const Picture translucent = ramp_of({Compression::bc3, "RGBA", Transfer::srgb});
  const auto encode_as = [&](Compression compression, const Picture& picture, Transfer transfer) {
    return encode(*format_named("ktx2"), picture,
                  {.depth = Depth::u8, .compression = compression, .transfer = transfer});
  };
  CHECK(encoding_error_of([&] { encode_as(Compression::bc1, translucent, Transfer::srgb); }) ==
        "--compression bc1: it holds no alpha, and the image has alpha other than 1; choose bc3 or bc7, or drop alpha "
        "with `channels --list R,G,B`");
  Picture opaque = ramp_of({Compression::bc3, "RGBA", Transfer::linear});
  for (size_t at = 3; at < 4 * texel_count(ramp_size); at += 4)
    opaque.groups[0].levels[0].texels.as<uint8_t>()[at] = 255;
  CHECK(encode_as(Compression::bc1, opaque, Transfer::linear).warnings.empty());
  CHECK(encode_as(Compression::bc4, opaque, Transfer::linear).warnings ==
        std::vector<std::string>{"bc4 holds only one channel; dropped channels: G B"});
  CHECK(encode_as(Compression::bc5, opaque, Transfer::linear).warnings ==
        std::vector<std::string>{"bc5 holds only two channels; dropped channels: B"});
}

TEST_CASE("BC6H counts NaN, values below 0 and infinities that it cannot hold") {
  const Kind kind{Compression::bc6h, "RGB", Transfer::linear};
  Picture picture = ramp_of(kind);
  const auto halves = picture.groups[0].levels[0].texels.as<uint16_t>();
  halves[0] = 0x7e00;              // NaN
  halves[4] = 0xc000;              // -2
  halves[8] = 0xfc00;              // -infinity
  halves[12] = 0x7c00;             // infinity
  halves[13] = 0x8000;             // -0
  halves[3] = half_from_float(1);  // alpha is not looked at
  const Encoded encoded =
      encode(*format_named("dds"), picture, {.depth = Depth::half, .compression = Compression::bc6h});
  CHECK(encoded.warnings == std::vector<std::string>{"0.9 % of the values are below 0 and were clamped",
                                                     "number of values that were NaN and became 0: 1",
                                                     "number of values above 65504 that were clamped: 1"});
}

TEST_CASE("BC6H counts each value that it cannot hold once") {
  for (const auto& [names, count] : {std::pair("RGB", "2"), {"Y", "1"}}) {
    Picture picture = noise_of_channels(names, Depth::f32, Transfer::linear, {4, 4}, 0);
    Group& color = picture.groups[0];
    color.levels.resize(1);
    const auto floats = color.levels[0].texels.as<float>();
    std::ranges::fill(floats, 1.0f);
    for (const auto& [texel, value] : {std::pair(size_t(0), std::nanf("")), {1, -70000.0f}, {2, 70000.0f}})
      std::fill_n(&floats[4 * texel], color.is_luminance ? 3 : 2, value);
    const Encoded encoded =
        encode(*format_named("dds"), picture, {.depth = Depth::half, .compression = Compression::bc6h});
    CHECK(encoded.warnings ==
          std::vector<std::string>{color.is_luminance ? "6.2 % of the values are below 0 and were clamped"
                                                      : "4.2 % of the values are below 0 and were clamped",
                                   fmt::format("number of values that were NaN and became 0: {}", count),
                                   fmt::format("number of values above 65504 that were clamped: {}", count)});
  }
}

TEST_CASE("layers and faces of blocks are parts") {
  const Kind kind{Compression::bc4, "Y", Transfer::linear};
  std::vector<Picture> faces;
  for (int face = 0; face < 6; ++face) {
    faces.push_back(noise_of_channels("Y", Depth::u8, Transfer::linear, {8, 8}, 0));
    for (Level& level : faces.back().groups[0].levels) std::memset(level.texels.data(), 40 * face, level.texels.size());
  }
  std::vector<Source> sources;
  for (const Picture& face : faces) sources.push_back({.picture = &face});
  for (const char* format : {"ktx2", "dds"}) {
    const Encoded encoded =
        encode(*format_named(format), sources, Arrangement::cube,
               {.depth = Depth::u8, .compression = kind.compression, .mipmapped = true, .transfer = Transfer::linear});
    for (int face = 0; face < 6; ++face)
      for (int level = 0; level < 4; ++level)
        CHECK(texel_of(decode_bytes(bytes_of_file(encoded), {.part = std::to_string(face), .level = level}), 0)[0] ==
              40 * face);
  }
}
