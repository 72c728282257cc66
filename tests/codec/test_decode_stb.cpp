#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace gpupost;

namespace {

std::string bytes_of_texels(const Decoded& decoded) {
  return std::string(text_of(decoded.picture.groups.at(0).levels.at(0).texels.bytes()));
}

// A gray picture of 8 bits, its rows with filter 0.
File gray_png(int width, int height, const std::vector<PngChunk>& before = {}) {
  std::string rows;
  for (int y = 0; y < height; ++y) {
    rows += '\0';
    for (int x = 0; x < width; ++x) rows += char(x * 7 + y * 31);
  }
  std::vector<PngChunk> chunks = {{"IHDR", png_header(width, height, 8, 0)}};
  chunks.insert(chunks.end(), before.begin(), before.end());
  chunks.insert(chunks.end(), {{"IDAT", zlib_packed(rows)}, {"IEND", ""}});
  return make_png(chunks);
}

// Samples of a texel, by color type.
int png_samples(int color) { return color == 2 ? 3 : color == 4 ? 2 : color == 6 ? 4 : 1; }

// Filtered rows of any bytes are valid. `bytes`: those to choose from; "" for all. `filters`: how many to choose from.
std::string random_png_rows(int width, int height, int sample_bits, std::string_view bytes, int filters,
                            std::mt19937& random) {
  std::string rows;
  for (int y = 0; width > 0 && y < height; ++y) {
    rows += char(random() % uint32_t(filters));
    for (int i = 0; i < (width * sample_bits + 7) / 8; ++i)
      rows += bytes.empty() ? char(random()) : bytes[random() % bytes.size()];
  }
  return rows;
}

// With every filter, or with rows in which the transparent color occurs.
File random_png(int color, int bits, bool is_interlaced, bool has_transparency, std::mt19937& random) {
  const int width = 1 + int(random() % 40), height = 1 + int(random() % 20);
  const std::string_view bytes = has_transparency ? "\x11\x22" : "";
  const auto rows = [&](int columns, int lines) {
    return random_png_rows(columns, lines, bits * png_samples(color), bytes, has_transparency ? 1 : 5, random);
  };
  std::string data;
  if (!is_interlaced) data = rows(width, height);
  constexpr int starts[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  if (is_interlaced)
    for (const auto& [x, y, step_x, step_y] : starts)
      data += rows((width - x + step_x - 1) / step_x, (height - y + step_y - 1) / step_y);
  std::vector<PngChunk> chunks = {{"IHDR", png_header(width, height, bits, color, is_interlaced)}};
  std::string palette;
  for (int i = 0; i < 3 << bits && color == 3; ++i) palette += char(random());
  if (color == 3) chunks.push_back({"PLTE", palette});
  std::string key;  // the low bits of 0x1111 for each sample
  for (int c = 0; c < png_samples(color); ++c) key += {char(0x1111 % (1 << bits) >> 8), char(0x1111 % (1 << bits))};
  if (has_transparency) chunks.push_back({"tRNS", color == 3 ? std::string("\x40\x80") : key});
  chunks.insert(chunks.end(), {{"IDAT", zlib_packed(data)}, {"IEND", ""}});
  return make_png(chunks);
}

std::string tga_header(int kind, int width, int height, int bits, int descriptor = 0x20) {
  return std::string(2, '\0') + char(kind) + std::string(9, '\0') + little(uint32_t(width), 2) +
         little(uint32_t(height), 2) + char(bits) + char(descriptor);
}

std::string bmp_header(int width, int height, int bits, uint32_t compression, uint32_t palette_bytes) {
  return "BM" + little(0, 8) + little(54 + palette_bytes, 4) + little(40, 4) + little(uint32_t(width), 4) +
         little(uint32_t(height), 4) + little(1, 2) + little(uint32_t(bits), 2) + little(compression, 4) +
         little(0, 20);
}

using Warnings = std::vector<std::string>;
const std::string drop_hint = " (to drop it, run the file through `channels --list R,G,B` with --input-alpha data)";

const std::string hdr_start = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n";

}  // namespace

TEST_CASE("a gray PNG has its value in three colors and no alpha") {
  const Decoded decoded = decode_bytes(gray_png(3, 5));
  CHECK(decoded.picture.format == "png");
  CHECK(decoded.picture.transfer == Transfer::srgb);
  CHECK(decoded.picture.alpha == Alpha::straight);
  CHECK(decoded.picture.size() == Size{3, 5});
  CHECK(decoded.picture.groups[0].is_luminance);
  CHECK_FALSE(decoded.picture.groups[0].has_alpha());
  CHECK(bytes_of_texels(decoded).substr(16, 4) == std::string("\x26\x26\x26\xff", 4));
}

TEST_CASE("16 bits of a PNG are 16 bits, high byte first in the file") {
  const std::string row = std::string("\0\x12\x34\x56\x78\x9a\xbc\xde\xf0", 9);
  const Decoded decoded =
      decode_bytes(make_png({{"IHDR", png_header(1, 1, 16, 6)}, {"IDAT", zlib_packed(row)}, {"IEND", ""}}));
  CHECK(decoded.picture.groups[0].depth == Depth::u16);
  CHECK(decoded.picture.groups[0].has_alpha());
  CHECK(bytes_of_texels(decoded) == "\x34\x12\x78\x56\xbc\x9a\xf0\xde");
}

TEST_CASE("transparent colors of a palette are transparent, and texels with a color beyond it are an error") {
  const auto png_with = [](const std::string& rows) {
    return make_png({{"IHDR", png_header(4, 1, 2, 3)},
                     {"PLTE", "abcdef"},
                     {"tRNS", "\x40"},
                     {"IDAT", zlib_packed(rows)},
                     {"IEND", ""}});
  };
  CHECK(bytes_of_texels(decode_bytes(png_with(std::string("\0\x14", 2)))) ==  // indices 0 1 1 0
        "abc\x40"
        "def\xff"
        "def\xff"
        "abc\x40");
  CHECK(refusal_of(png_with(std::string("\0\x1b", 2))) == "2 file: uses color 3 of its palette, which has 2 colors");
}

TEST_CASE("PNGs of every kind have the texels that libpng reads") {
  std::mt19937 random(7);
  for (const auto& [color, bits] : {std::pair(0, 1),
                                    {0, 2},
                                    {0, 4},
                                    {0, 8},
                                    {0, 16},
                                    {2, 8},
                                    {2, 16},
                                    {3, 1},
                                    {3, 2},
                                    {3, 4},
                                    {3, 8},
                                    {4, 8},
                                    {4, 16},
                                    {6, 8},
                                    {6, 16}})
    for (int trial = 0; trial < 40; ++trial) {
      const bool is_interlaced = trial % 2, has_transparency = trial % 4 < 2 && color < 4;
      CAPTURE(fmt::format("color {}, {} bits, trial {}", color, bits, trial));
      const File file = random_png(color, bits, is_interlaced, has_transparency, random);
      const Decoded decoded = decode_bytes(file);
      const Group& group = decoded.picture.groups[0];
      CHECK(group.depth == (bits == 16 ? Depth::u16 : Depth::u8));
      CHECK(group.is_luminance == (color == 0 || color == 4));
      CHECK(group.has_alpha() == (color >= 4 || has_transparency));
      CHECK(bytes_of_texels(decoded) == texels_by_libpng(file, group.depth));
    }
}

TEST_CASE("every damaged part of a PNG is refused, and named") {
  const File good = gray_png(17, 9);
  CHECK(refusal_of(good) == "");
  File checksum = good;
  checksum[50] ^= std::byte(1);
  CHECK(refusal_of(checksum) == "2 file: chunk IDAT at byte 33 fails its checksum");
  CHECK(refusal_of(File(good.begin(), good.end() - 5)).find("2 file: is cut off") == 0);
  const std::string header = png_header(17, 9, 8, 0);
  std::string data = zlib_packed(std::string(18 * 9, '\0'));
  const auto made = [&](const std::vector<PngChunk>& chunks) { return refusal_of(make_png(chunks)); };
  CHECK(made({{"IHDR", header}, {"IDAT", data}, {"IEND", ""}}) == "");
  CHECK(made({{"IHDR", header}, {"IDAT", zlib_packed(std::string(100, '\0'))}, {"IEND", ""}}).find("is cut off") !=
        std::string::npos);
  CHECK(made({{"IHDR", header}, {"IDAT", zlib_packed(std::string(163, '\0'))}, {"IEND", ""}}).find("more image data") !=
        std::string::npos);
  CHECK(made({{"IHDR", header}, {"IDAT", zlib_packed('\5' + std::string(18 * 9 - 1, '\0'))}, {"IEND", ""}}) ==
        "2 file: has a row with filter 5; PNG has 0 to 4");
  CHECK(made({{"IHDR", header}, {"IEND", ""}}) == "2 file: has no chunk IDAT, which holds the image");
  CHECK(made({{"IHDR", header}, {"IDAT", data}}).find("no chunk IEND") != std::string::npos);
  CHECK(made({{"IDAT", data}, {"IEND", ""}}) == "2 file: starts with chunk IDAT; it must be IHDR");
  CHECK(made({{"CgBI", "1234"}, {"IEND", ""}}) == "2 file: CgBI, Apple's variant of PNG, is not supported");
  CHECK(made({{"IHDR", png_header(17, 9, 8, 3)}, {"IDAT", data}, {"IEND", ""}}).find("no chunk PLTE") !=
        std::string::npos);
  CHECK(made({{"IHDR", png_header(17, 9, 3, 0)}, {"IDAT", data}, {"IEND", ""}}).find("with 3 bits") !=
        std::string::npos);
  CHECK(made({{"IHDR", png_header(40000, 9, 8, 0)}, {"IDAT", data}, {"IEND", ""}}) ==
        "2 file: has 40000 x 9 texels; the limit is 32768 per side (raise it with --max-side)");
  CHECK(made({{"IHDR", png_header(16000, 16000, 8, 0)}, {"IDAT", data}, {"IEND", ""}}).find("cannot yield") !=
        std::string::npos);
  const std::string indexed = png_header(17, 9, 8, 3);
  CHECK(made({{"IHDR", indexed}, {"IDAT", data}, {"PLTE", "abc"}, {"IEND", ""}}).find("comes after the image data") !=
        std::string::npos);
  CHECK(made({{"IHDR", indexed}, {"PLTE", "abcd"}, {"IDAT", data}, {"IEND", ""}}).find("chunk PLTE has 4 bytes") !=
        std::string::npos);
  CHECK(made({{"IHDR", header}, {"tRNS", "abc"}, {"IDAT", data}, {"IEND", ""}}).find("chunk tRNS has 3 bytes") !=
        std::string::npos);
  CHECK(made({{"IHDR", header}, {"IHDR", header}, {"IDAT", data}, {"IEND", ""}}).find("has chunk IHDR twice") !=
        std::string::npos);
  CHECK(made({{"IHDR", header}, {"WHAT", ""}, {"IDAT", data}, {"IEND", ""}}).find("is critical and unknown") !=
        std::string::npos);
  const std::string begin = data.substr(0, 5), rest = data.substr(5);
  CHECK(made({{"IHDR", header}, {"IDAT", begin}, {"IDAT", rest}, {"IEND", ""}}) == "");
  CHECK(made({{"IHDR", header}, {"IDAT", begin}, {"tEXt", "a"}, {"IDAT", rest}, {"IEND", ""}})
            .find("does not directly follow") != std::string::npos);
  data.back() = char(data.back() + 1);  // the checksum of the data
  CHECK(made({{"IHDR", header}, {"IDAT", data}, {"IEND", ""}}) == "2 file: its image data is damaged from byte 33 on");
}

TEST_CASE("color chunks behind the image data of a PNG are ignored, with a warning") {
  const std::string data = zlib_packed(std::string("\0\x40", 2));
  const Decoded late = decode_bytes(make_png({{"IHDR", png_header(1, 1, 8, 0)},
                                              {"IDAT", data},
                                              {"gAMA", big_u32(100000)},
                                              {"tRNS", std::string("\0\x40", 2)},
                                              {"IEND", ""}}));
  CHECK(late.picture.transfer == Transfer::srgb);
  CHECK(!late.picture.groups[0].has_alpha());
  CHECK(late.warnings == std::vector<std::string>{"chunks behind the image data are ignored: gAMA, tRNS"});
}

TEST_CASE("the extension area of a TGA says what its alpha is") {
  const auto made = [](char type, int descriptor, const std::string& texels) {
    const std::string image = tga_header(2, int(texels.size() / 4), 1, 32, descriptor) + texels;
    std::string area(495, '\0');
    area[494] = type;
    return file_of(image + area + little(uint32_t(image.size()), 4) + little(0, 4) +
                   std::string("TRUEVISION-XFILE.\0", 18));
  };
  const std::string texel("\1\2\3\x80", 4), hidden(4, '\0'), opaque(4, '\xff');
  const Warnings told{"its extension says that alpha has no meaning; it is read as alpha" + drop_hint};
  for (const int descriptor : {0x28, 0x20}) {
    CAPTURE(descriptor);
    CHECK(decode_bytes(made(3, descriptor, texel)).picture.alpha == Alpha::straight);
    CHECK(decode_bytes(made(3, descriptor, texel)).warnings.empty());
    CHECK(decode_bytes(made(4, descriptor, texel)).picture.alpha == Alpha::premultiplied);
    CHECK(decode_bytes(made(4, descriptor, texel)).warnings.empty());
    for (const char type : {0, 1, 2}) {
      CHECK(decode_bytes(made(type, descriptor, texel)).warnings == told);
      CHECK(decode_bytes(made(type, descriptor, hidden + opaque)).warnings == told);
      CHECK(decode_bytes(made(type, descriptor, hidden)).warnings.empty());  // ops warn of it
      CHECK(decode_bytes(made(type, descriptor, opaque)).warnings.empty());
      CHECK(decode_bytes(made(type, descriptor, texel), {.alpha = AlphaUse::data}).warnings.empty());
    }
  }
}

TEST_CASE("a TGA and a BMP whose headers name no alpha tell that it is read") {
  const std::string texel("\1\2\3\x80", 4), gray("\1\x80", 2);
  const auto warnings = [](const std::string& file) {
    const Decoded decoded = decode_bytes(file_of(file));
    CHECK(decoded.picture.groups[0].has_alpha());
    return decoded.warnings;
  };
  const Warnings told{"its header says that alpha has no meaning; it is read as alpha" + drop_hint};
  CHECK(warnings(tga_header(2, 1, 1, 32) + texel) == told);
  CHECK(warnings(tga_header(10, 1, 1, 32) + std::string(1, '\0') + texel) == told);
  CHECK(warnings(tga_header(3, 1, 1, 16) + gray) == told);
  CHECK(warnings(tga_header(2, 1, 1, 32, 0x28) + texel).empty());
  CHECK(warnings(tga_header(3, 1, 1, 16, 0x28) + gray).empty());
  CHECK(warnings(bmp_header(1, 1, 32, 0, 0) + texel) == told);
  CHECK(warnings(bmp_header(1, 1, 32, 0, 0) + std::string(4, '\0')).empty());  // opaque
  for (const uint32_t mask : {0u, 0xff000000u}) {
    const std::string file = "BM" + little(0, 8) + little(14 + 108, 4) + little(108, 4) +
                             bmp_header(1, 1, 32, 0, 0).substr(18) + std::string(12, '\0') + little(mask, 4) +
                             std::string(52, '\0') + texel;
    CHECK(warnings(file) == (mask == 0 ? told : Warnings{}));
  }
}

TEST_CASE("a BMP gives the ICC profile that its header embeds, and tells of a linked one") {
  const auto made = [](uint32_t kind, const std::string& profile) {
    std::string header(124, '\0');
    const auto put = [&](size_t at, uint32_t number) { header.replace(at, 4, little(number, 4)); };
    for (const auto& [at, number] : std::vector<std::pair<size_t, uint32_t>>{
             {0, 124}, {4, 1}, {8, 1}, {56, kind}, {112, 124 + 4}, {116, uint32_t(profile.size())}})
      put(at, number);
    header.replace(12, 2, little(1, 2));
    header.replace(14, 2, little(24, 2));
    const std::string rest = std::string("\1\2\3\0", 4) + profile;
    return file_of("BM" + little(uint32_t(14 + 124 + rest.size()), 4) + std::string(4, '\0') + little(14 + 124, 4) +
                   header + rest);
  };
  using Warnings = std::vector<std::string>;
  CHECK(decode_bytes(made(0x4d424544, "no profile")).warnings ==
        Warnings{"the ICC profile is damaged and ignored; without --input-transfer and --input-primaries, the image is "
                 "taken as sRGB"});
  CHECK(decode_bytes(made(0x4c494e4b, "")).warnings ==
        Warnings{"its linked ICC profile is ignored; without --input-transfer and --input-primaries, the image is "
                 "taken as sRGB"});
  CHECK(decode_bytes(made(0x73524742, "")).warnings.empty());
  CHECK(refusal_of(made(0x4d424544, "")) == "");
}

TEST_CASE("a BMP with primaries and gammas other than those of sRGB says that they are ignored") {
  const auto warnings = [](uint32_t kind, const std::vector<double>& endpoints, double gamma) {
    std::string behind = std::string(16, '\0') + little(kind, 4);  // masks, and the kind of color space
    for (const double number : endpoints) behind += little(uint32_t(number * 0x1p30), 4);
    for (int i = 0; i < 3; ++i) behind += little(uint32_t(gamma * 65536), 4);
    const std::string base = bmp_header(1, 1, 24, 0, 0).substr(18);
    return decode_bytes(file_of("BM" + little(0, 8) + little(14 + 108, 4) + little(108, 4) + base + behind +
                                std::string("\1\2\3\0", 4)))
        .warnings;
  };
  const std::vector<double> none(9, 0), srgb{0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79};
  const std::vector<double> wide{0.708, 0.292, 0, 0.17, 0.797, 0.033, 0.131, 0.046, 0.823};
  const Warnings ignored{
      "its endpoints and gammas are ignored; without --input-transfer and --input-primaries, the image is taken as "
      "sRGB"};
  CHECK(warnings(0, none, 0).empty());
  CHECK(warnings(0, srgb, 2.2).empty());
  CHECK(warnings(0, srgb, 0.45455).empty());
  CHECK(warnings(0x73524742, wide, 1).empty());
  CHECK(warnings(0, wide, 2.2) == ignored);
  CHECK(warnings(0, srgb, 1) == ignored);
  CHECK(warnings(0, none, 1) == ignored);
}

TEST_CASE("a PNG says once which color chunk is ignored") {
  const auto warnings = [](const std::vector<PngChunk>& chunks) {
    return decode_bytes(gray_png(3, 3, chunks)).warnings;
  };
  CHECK(warnings({}).empty());
  CHECK(warnings({{"gAMA", big_u32(45455)}}).empty());
  CHECK(warnings({{"gAMA", big_u32(50000)}}).empty());
  CHECK(warnings({{"gAMA", big_u32(0)}}) ==
        Warnings{"chunk gAMA is invalid and ignored; without --input-transfer, the curve is taken as sRGB"});
  CHECK(
      warnings({{"cHRM", "short"}}) ==
      Warnings{
          "chunk cHRM is ignored: it must have 32 bytes; without --input-primaries, the primaries are taken as sRGB"});
  CHECK(warnings({{"sRGB", std::string(1, '\0')}, {"gAMA", big_u32(100000)}}).empty());
  for (const char* code : {"\1\15\0\1", "\11\1\0\1", "\14\10\0\1"})
    CHECK(warnings({{"cICP", std::string(code, 4)}}).empty());
  CHECK(warnings({{"cICP", std::string("\11\20\0\1", 4)}}).empty());
  CHECK(warnings({{"cICP", std::string("\11\12\0\1", 4)}}).at(0).find("transfer number 10") != std::string::npos);
  CHECK(warnings({{"cICP", std::string("\2\15\0\1", 4)}}) ==
        Warnings{"chunk cICP is ignored: primaries number 2 is not supported; without --input-transfer and "
                 "--input-primaries, the image is taken as sRGB"});
  CHECK(warnings({{"cICP", std::string("\2\15\0\1", 4)}, {"gAMA", big_u32(100000)}}) ==
        Warnings{"chunk cICP is ignored: primaries number 2 is not supported; the other color chunks are taken"});
  CHECK(warnings({{"cICP", std::string("\1\15\1\1", 4)}}).at(0).find("its matrix is number 1") != std::string::npos);
  CHECK(warnings({{"cICP", std::string("\1\15\0\0", 4)}}).at(0).find("narrow-range values are not supported") !=
        std::string::npos);
  CHECK(warnings({{"iCCP", std::string("sRGB IEC61966-2.1\0\0x", 20)}}) ==
        Warnings{"chunk iCCP is damaged and ignored; without --input-transfer and --input-primaries, the image is "
                 "taken as sRGB"});
  CHECK(warnings({{"iCCP", std::string("wide\0\0", 6) + zlib_packed("wide gamut")}, {"gAMA", big_u32(100000)}}) ==
        Warnings{"the ICC profile is damaged and ignored; the other color chunks are taken"});
  CHECK(warnings({{"iCCP", std::string("wide\0\0", 6) + zlib_packed("wide gamut")}, {"gAMA", big_u32(0)}}) ==
        Warnings{"the ICC profile is damaged and ignored; the other color chunks are taken",
                 "chunk gAMA is invalid and ignored; without --input-transfer, the curve is taken as sRGB"});
  CHECK(warnings({{"iCCP", std::string("wide\0\0", 6) + zlib_packed("wide gamut")}}) ==
        Warnings{"the ICC profile is damaged and ignored; without --input-transfer and --input-primaries, the image is "
                 "taken as sRGB"});
}

TEST_CASE("the curve of a PNG is the one that its first word on it says") {
  const auto transfer = [](const std::vector<PngChunk>& chunks) {
    return decode_bytes(gray_png(3, 3, chunks)).picture.transfer;
  };
  const PngChunk gamma{"gAMA", big_u32(100000)};
  CHECK(transfer({gamma}) == Transfer::linear);
  CHECK(transfer({}) == Transfer::srgb);
  CHECK(transfer({{"gAMA", big_u32(45455)}}) == Transfer::srgb);
  CHECK(transfer({{"sRGB", std::string(1, '\0')}, gamma}) == Transfer::srgb);
  CHECK(transfer({{"cICP", std::string("\1\15\0\1", 4)}, gamma}) == Transfer::srgb);
  CHECK(transfer({{"cICP", std::string("\1\10\0\1", 4)}}) == Transfer::linear);
  CHECK(transfer({{"cICP", std::string("\1\6\0\1", 4)}, gamma}) == Transfer::bt709);
  CHECK(transfer({{"cICP", std::string("\11\20\0\1", 4)}}) == Transfer::pq);
  CHECK(transfer({{"cICP", std::string("\11\22\0\1", 4)}}) == Transfer::hlg);
  CHECK(transfer({{"iCCP", std::string("sRGB IEC61966-2.1\0\0x", 20)}, gamma}) == Transfer::linear);
  CHECK(transfer({{"iCCP", std::string("sRGB IEC61966-2.1\0\0x", 20)}}) == Transfer::srgb);
  CHECK(transfer({{"iCCP", std::string("wide\0\0", 6) + zlib_packed("wide gamut")}, gamma}) == Transfer::linear);
  const Picture power = decode_bytes(gray_png(3, 3, {{"gAMA", big_u32(40000)}})).picture;
  CHECK(power.transfer == Transfer::power);
  CHECK(power.exponent == 2.5);
  CHECK(decode_bytes(gray_png(3, 3, {{"gAMA", big_u32(50000)}})).picture.exponent == 2);
  CHECK(decode_bytes(gray_png(3, 3, {{"cICP", std::string("\1\4\0\1", 4)}})).picture.exponent == 2.2);
}

TEST_CASE("the primaries of a PNG of colors are those that it says, and none where they are sRGB's") {
  const auto primaries = [](const PngChunk& chunk, int color) {
    const std::string rows(1 + size_t(color == 2 ? 3 : 1), '\0');
    const Picture picture =
        decode_bytes(make_png({{"IHDR", png_header(1, 1, 8, color)}, chunk, {"IDAT", zlib_packed(rows)}, {"IEND", ""}}))
            .picture;
    std::vector<float> numbers;
    if (picture.attributes.empty()) return numbers;
    CHECK(picture.attributes.at(0).name == "chromaticities");
    numbers.resize(picture.attributes.at(0).value.size() / 4);
    std::memcpy(numbers.data(), picture.attributes.at(0).value.data(), 4 * numbers.size());
    return numbers;
  };
  const std::vector<float> rec2020 = {0.708f, 0.292f, 0.170f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.3290f};
  const auto chunk_of = [](const std::vector<uint32_t>& numbers) {
    std::string data;
    for (const uint32_t number : numbers) data += big_u32(number);
    return PngChunk{"cHRM", data};
  };
  const PngChunk wide = chunk_of({31270, 32900, 70800, 29200, 17000, 79700, 13100, 4600});
  const PngChunk usual = chunk_of({31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000});
  const PngChunk code = {"cICP", std::string("\11\15\0\1", 4)};
  CHECK(primaries(wide, 2) == rec2020);
  CHECK(primaries(code, 2) == rec2020);
  CHECK(primaries(wide, 0).empty());  // gray has none
  CHECK(primaries(usual, 2).empty());
  CHECK(primaries({"cICP", std::string("\1\15\0\1", 4)}, 2).empty());
}

TEST_CASE("TGA runs are walked to the last texel") {
  const std::string plain = tga_header(2, 3, 1, 24) + "abcdefghi";
  CHECK(bytes_of_texels(decode_bytes(file_of(plain))) ==
        "cba\xff"
        "fed\xff"
        "ihg\xff");
  CHECK(refusal_of(file_of(plain.substr(0, plain.size() - 1))).find("2 file: is cut off") == 0);
  const std::string footer = std::string(8, '\1') + std::string("TRUEVISION-XFILE.\0", 18);
  CHECK(refusal_of(file_of(plain + footer)) == "");
  CHECK(refusal_of(file_of(plain + std::string(5, '\0'))) == "");
  CHECK(decode_bytes(file_of(plain)).warnings.empty());
  CHECK(decode_bytes(file_of((plain + footer).substr(0, plain.size() + 20))).warnings ==
        Warnings{"20 bytes behind the image are ignored; they have no footer"});
  const std::string runs = tga_header(10, 5, 1, 24) + "\x82" + "abc" + "\x01" + "defghi";
  CHECK(refusal_of(file_of(runs)) == "");
  CHECK(refusal_of(file_of(runs + "junk")) == "2 file: is cut off: 4 bytes follow the image, without a footer");
  for (size_t cut = 18; cut < runs.size(); ++cut)
    CHECK(refusal_of(file_of(runs.substr(0, cut))).find("2 file: is cut off") == 0);
  CHECK(refusal_of(file_of(tga_header(10, 2, 1, 24) + "\x82" + "abc")).find("ends after the image") !=
        std::string::npos);
  CHECK(refusal_of(file_of(tga_header(2, 3, 1, 24, 0x30) + "abcdefghi")).find("right to left") != std::string::npos);
}

TEST_CASE("a color map beside the true color or the gray of a TGA is skipped") {
  for (const auto& [kind, bits, texels, expected] : {std::tuple(2, 24, "abcdef",
                                                                "cba\xff"
                                                                "fed\xff"),
                                                     {10, 24,
                                                      "\x81"
                                                      "abc",
                                                      "cba\xff"
                                                      "cba\xff"},
                                                     {3, 8, "ab",
                                                      "aaa\xff"
                                                      "bbb\xff"},
                                                     {2, 16, "\xff\x7f\x10\x42",
                                                      "\xff\xff\xff\xff"
                                                      "\x84\x84\x84\xff"}}) {
    std::string header = tga_header(kind, 2, 1, bits);
    header[0] = 5;   // bytes of text
    header[1] = 1;   // it has a map
    header[3] = 7;   // first entry, which counts only for indices
    header[5] = 2;   // entries
    header[7] = 24;  // bits of an entry
    const std::string file = header + "text." + "mapmap" + texels;
    CHECK(bytes_of_texels(decode_bytes(file_of(file))) == expected);
    CHECK(refusal_of(file_of(file.substr(0, file.size() - 1))).find("2 file: is cut off") == 0);
  }
}

TEST_CASE("TGA colors of 16 bits have the alpha that the header says, also in runs and palettes") {
  // red, green with alpha, 1/31 of blue
  const std::string red = little(31 << 10, 2), green = little(0x8000 | 31 << 5, 2), dark = little(1, 2);
  const auto texels = [](const std::string& file, bool has_alpha) {
    const Decoded decoded = decode_bytes(file_of(file));
    CHECK(decoded.picture.groups[0].has_alpha() == has_alpha);
    return bytes_of_texels(decoded);
  };
  const auto expected = [](char alpha) {
    return std::string("\xff\0\0", 3) + alpha + std::string("\0\xff\0\xff", 4) + std::string("\0\0\x08", 3) + alpha;
  };
  for (const auto& [bits, descriptor, has_alpha] :
       {std::tuple(16, 0x21, true), {16, 0x20, false}, {15, 0x20, false}, {15, 0x21, false}}) {
    CAPTURE(bits);
    CAPTURE(descriptor);
    const std::string all = expected(has_alpha ? '\0' : '\xff');
    CHECK(texels(tga_header(2, 3, 1, bits, descriptor) + red + green + dark, has_alpha) == all);
    CHECK(texels(tga_header(10, 4, 1, bits, descriptor) + "\x81" + red + "\x01" + green + dark, has_alpha) ==
          all.substr(0, 4) + all);
    std::string mapped = tga_header(9, 3, 1, 8, descriptor);
    mapped[1] = 1;
    mapped[5] = 3;
    mapped[7] = char(bits);
    CHECK(texels(mapped + red + green + dark + std::string("\2\0\1\2", 4), has_alpha) == all);
  }
  CHECK(refusal_of(file_of(tga_header(2, 2, 1, 16, 0x21) + red + "a")).find("is cut off") != std::string::npos);
}

TEST_CASE("BMP palettes of every header are read whole") {
  const std::string palette = std::string("\x01\x02\x03\0\x11\x12\x13\0", 8);
  const auto with_row = [&](const std::string& row, int bits) {
    return file_of(bmp_header(3, 1, bits, 0, 8) + palette + row);
  };
  const std::string colors("\3\2\1\xff\x13\x12\x11\xff\3\2\1\xff", 12);
  CHECK(bytes_of_texels(decode_bytes(with_row(std::string("\0\1\0\xff", 4), 8))) == colors);
  CHECK(bytes_of_texels(decode_bytes(with_row(std::string("\x01\x0f\0\0", 4), 4))) == colors);
  CHECK(bytes_of_texels(decode_bytes(with_row(std::string("\x5f\0\0\0", 4), 1))) == colors);
  const std::string beyond = "uses color 5 of its palette, which has 2 colors";
  CHECK(refusal_of(with_row(std::string("\0\1\5\0", 4), 8)).find(beyond) != std::string::npos);
  CHECK(refusal_of(with_row(std::string("\x05\0\0\0", 4), 4)).find(beyond) != std::string::npos);
  // an old header of 12 bytes, 3 bytes a color, 256 of them: stb_image 2.27 counts 252
  std::string old = "BM" + little(0, 8) + little(26 + 768, 4) + little(12, 4) + little(1, 2) + little(1, 2) +
                    little(1, 2) + little(8, 2);
  for (int color = 0; color < 256; ++color) old += std::string(3, char(color));
  CHECK(bytes_of_texels(decode_bytes(file_of(old + "\xfe" + std::string(3, '\0')))) == "\xfe\xfe\xfe\xff");
}

TEST_CASE("BMP bit fields are read from every header, with bytes before the data") {
  const std::string fields = little(0x0000ff, 4) + little(0x00ff00, 4) + little(0xff0000, 4);
  const std::string alpha = little(0xff000000, 4), texels = "abc\x80" + std::string("def\x40");
  const auto read = [&](uint32_t header_bytes, const std::string& behind, const std::string& gap) {
    const std::string base = bmp_header(2, 1, 32, 3, 0).substr(18);
    const auto data_at = uint32_t(18 + base.size() + behind.size() + gap.size());
    return bytes_of_texels(decode_bytes(
        file_of("BM" + little(0, 8) + little(data_at, 4) + little(header_bytes, 4) + base + behind + gap + texels)));
  };
  CHECK(read(40, fields, "") == "abc\xff" + std::string("def\xff"));
  CHECK(read(40, fields, "gap!") == "abc\xff" + std::string("def\xff"));
  CHECK(read(52, fields, "") == "abc\xff" + std::string("def\xff"));
  CHECK(read(52, fields, "gap!") == "abc\xff" + std::string("def\xff"));
  CHECK(read(56, fields + alpha, "") == texels);
  CHECK(read(108, fields + alpha + std::string(52, '\0'), "a gap") == texels);
  CHECK(read(124, fields + alpha + std::string(68, '\0'), "") == texels);
  const std::string twice = little(0xff, 4) + little(0xff, 4) + little(0xff00, 4);
  CHECK(refusal_of(file_of(bmp_header(2, 1, 32, 3, 12) + twice + texels)) ==
        "2 file: BMP bit fields 0xff, 0xff and 0xff00 are not supported: empty, or of one bit twice");
}

TEST_CASE("a BMP that is cut off or compressed is refused") {
  const std::string whole = bmp_header(2, -2, 24, 0, 0) + std::string(16, 'x');
  CHECK(refusal_of(file_of(whole)) == "");
  CHECK(refusal_of(file_of(whole.substr(0, whole.size() - 1))) ==
        "2 file: is cut off: its data ends at byte 70, the file has 69");
  CHECK(refusal_of(file_of(bmp_header(2, 2, 8, 1, 0) + whole)) == "2 file: BMP compression RLE8 is not supported");
  CHECK(refusal_of(file_of(bmp_header(2, 2, 2, 0, 0) + whole)) == "2 file: BMP with 2 bits per texel is not supported");
}

TEST_CASE("Radiance rows are floats, in runs or flat") {
  const std::string flat = hdr_start + "-Y 1 +X 2\n" + "\x80\x40\x20\x81" + "\x80\x80\x80\x80";
  const Decoded decoded = decode_bytes(file_of(flat));
  CHECK(decoded.picture.groups[0].depth == Depth::f32);
  CHECK(decoded.picture.transfer == Transfer::linear);
  const auto texels = decoded.picture.groups[0].levels[0].texels.as<float>();
  CHECK(texels[0] == 1.0f);
  CHECK(texels[1] == 0.5f);
  CHECK(texels[3] == 1.0f);
  CHECK(texels[4] == 0.5f);
  CHECK(refusal_of(file_of(flat.substr(0, flat.size() - 1))).find("2 file: is cut off") == 0);
}

TEST_CASE("a Radiance header's primaries are taken, and what is not is named") {
  const auto decoded = [](const std::string& lines) {
    return decode_bytes(file_of("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n" + lines + "\n-Y 1 +X 1\n" + "\x80\x40\x20\x81"));
  };
  const Decoded wide = decoded("PRIMARIES= 0.708 0.292 0.170 0.797 0.131 0.046 0.3127 0.3290\n");
  CHECK(wide.warnings.empty());
  REQUIRE(wide.picture.attributes.size() == 1);
  CHECK(wide.picture.attributes[0].name == "chromaticities");
  CHECK(decoded("PRIMARIES=0.7347 0.2653 0 1 0.0001 -0.077 0.32168 0.33767\n").picture.attributes.size() == 1);
  CHECK(decoded("PRIMARIES=0.64 0.33 0.30 0.60 0.15 0.06 0.3127 0.3290\n").picture.attributes.empty());
  for (const char* numbers : {"0.7 0.3", "a b c d e f g h", "0.7 0.3 0.2 0.8 0.1 0.1 0.3 -1",
                              "0.7 0.3 0.2 0.8 0.1 3 0.3 0.3", "0 0 0 0 0 0 0 0"})
    CHECK(decoded(fmt::format("PRIMARIES={}\n", numbers)).warnings ==
          Warnings{"PRIMARIES in the header is ignored: it must have 8 numbers from -1 to 2, those of white above 0"});
  CHECK(decoded("EXPOSURE=2\nEXPOSURE=3\nGAMMA=2.2\n").warnings ==
        Warnings{"EXPOSURE of the header is ignored: values stay as they are stored",
                 "GAMMA of the header is ignored: values stay as they are stored"});
}

TEST_CASE("a Radiance header with lines that end in CR LF is refused by name") {
  for (const char* magic : {"#?RADIANCE", "#?RGBE"})
    CHECK(refusal_of(file_of(magic + std::string("\r\nFORMAT=32-bit_rle_rgbe\r\n\r\n-Y 1 +X 1\r\n\x80\x40\x20\x81"))) ==
          "2 file: has lines that end in CR LF; Radiance files have LF. Copy the file as binary data, not as text");
}

TEST_CASE("Radiance runs that are cut, empty or too long are refused, and do not hang") {
  const std::string start = hdr_start + "-Y 1 +X 8\n" + std::string("\2\2\0\x08", 4);
  const std::string run = "\x88\x80";
  CHECK(refusal_of(file_of(start + run + run + run + run)) == "");
  for (size_t cut = 0; cut < 8; ++cut)
    CHECK(refusal_of(file_of((start + run + run + run + run).substr(0, start.size() + cut))).find("is cut off") !=
          std::string::npos);
  CHECK(refusal_of(file_of(start + run + run + run + std::string(40, '\0'))).find("has a run of 0 texels") !=
        std::string::npos);
  CHECK(refusal_of(file_of(start + "\x89\x80" + run + run + run)).find("has a run of 9 texels") != std::string::npos);
  CHECK(refusal_of(file_of(hdr_start + "-Y 1 +X 2\n" + "\1\1\1\5" + "abcd")).find("old run-length") !=
        std::string::npos);
  CHECK(refusal_of(file_of(hdr_start + "+Y 1 +X 2\n" + "abcdabcd")).find("are not supported") != std::string::npos);
}
