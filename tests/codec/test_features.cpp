// Features of the formats, each by a file made for it: read as the format's own library reads it, refused by the feature's
// name, or read with a warning that names what is left out.
#include "tests/codec/jpeg_files.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfTiledInputFile.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;

namespace {

// A file, and what it is refused with or warned of; "" for neither.
struct Feature {
  std::string name;
  File file;
  std::string refusal = "";
  std::string warning = "";
};

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

// Calls `check(picture)` with what is read of those that are not refused.
template <class Check>
void check_features(const std::vector<Feature>& features, const Check& check) {
  for (const Feature& feature : features) {
    INFO(feature.name);
    if (!feature.refusal.empty()) {
      CHECK(refusal_of(feature.file) == "2 file: " + feature.refusal);
      continue;
    }
    REQUIRE(refusal_of(feature.file) == "");
    const Decoded decoded = decode_bytes(feature.file);
    CHECK(joined(decoded.warnings) == feature.warning);
    check(feature.file, decoded.picture);
  }
}

std::string bytes_of_texels(const Picture& picture) {
  return std::string(text_of(picture.groups.at(0).levels.at(0).texels.bytes()));
}

// An Exif block that says this orientation and nothing else, in either order of bytes.
std::string exif_of(int orientation, bool is_little) {
  if (is_little)
    return std::string("II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0", 18) + char(orientation) + std::string(7, '\0');
  return std::string("MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0", 19) + char(orientation) + std::string(6, '\0');
}

// Rows of any bytes, which every filter makes texels of.
std::string filtered_rows(size_t row_bytes, int height) {
  std::string rows;
  for (int y = 0; y < height; ++y) {
    rows += char(y % 5);
    for (size_t x = 0; x < row_bytes; ++x) rows += char(x * 7 + size_t(y) * x * 13 + size_t(y));
  }
  return rows;
}

// 8 x 8 texels, whose passes of interlacing are of 1 to 4 rows and columns.
File png_of(int bits, int color, bool is_interlaced, const std::vector<PngChunk>& before) {
  constexpr int channels[] = {1, 0, 3, 1, 2, 0, 4};
  const auto row_bytes = [&](int texels) { return size_t((texels * bits * channels[color] + 7) / 8); };
  std::string rows;
  if (!is_interlaced) rows = filtered_rows(row_bytes(8), 8);
  else
    for (const auto& [width, height] : {std::pair(1, 1), {1, 1}, {2, 1}, {2, 2}, {4, 2}, {4, 4}, {8, 4}})
      rows += filtered_rows(row_bytes(width), height);
  std::vector<PngChunk> chunks = {{"IHDR", png_header(8, 8, bits, color, is_interlaced)}};
  chunks.insert(chunks.end(), before.begin(), before.end());
  chunks.insert(chunks.end(), {{"IDAT", zlib_packed(rows)}, {"IEND", ""}});
  return make_png(chunks);
}

void check_as_libpng(const File& file, const Picture& picture) {
  CHECK(bytes_of_texels(picture) == texels_by_libpng(file, picture.groups.at(0).depth));
}

void check_as_libjpeg(const File& file, const Picture& picture) {
  const std::vector<uint8_t> expected = rgb_by_libjpeg(file);
  const std::string ours = bytes_of_texels(picture);
  REQUIRE(ours.size() / 4 == expected.size() / 3);
  size_t difference_count = 0;
  for (size_t texel = 0; texel < expected.size() / 3; ++texel)
    for (size_t channel = 0; channel < 3; ++channel)
      difference_count += uint8_t(ours[4 * texel + channel]) != expected[3 * texel + channel];
  CHECK(difference_count == 0);
}

void check_as_openexr(const File& file, const Picture& picture) {
  MemoryInput stream(file);
  Imf::InputFile reference(stream);
  CHECK(difference_from_openexr(reference, picture) == "");
}

}  // namespace

TEST_CASE("PNG of every number of bits and kind of color, interlaced or not, is what libpng reads") {
  std::string palette, alphas;
  for (int i = 0; i < 2; ++i) palette += std::string{char(i * 91), char(40 + i), char(200 - i)};
  alphas = std::string("\x30", 1);
  for (const auto& [bits, color] : {std::pair(1, 0),
                                    {2, 0},
                                    {4, 0},
                                    {8, 0},
                                    {16, 0},
                                    {8, 2},
                                    {16, 2},
                                    {1, 3},
                                    {2, 3},
                                    {4, 3},
                                    {8, 3},
                                    {8, 4},
                                    {16, 4},
                                    {8, 6},
                                    {16, 6}})
    for (const bool is_interlaced : {false, true})
      for (const bool has_transparency : {false, true}) {
        if (has_transparency && color >= 4) continue;
        CAPTURE(bits);
        CAPTURE(color);
        CAPTURE(is_interlaced);
        CAPTURE(has_transparency);
        std::vector<PngChunk> chunks;
        if (color == 3) {
          std::string whole = palette;
          while (whole.size() < size_t(3) << bits) whole += palette;
          chunks.push_back({"PLTE", whole});
        }
        if (has_transparency)
          chunks.push_back({"tRNS", color == 3 ? alphas : color == 2 ? std::string(6, '\0') : std::string(2, '\0')});
        const File file = png_of(bits, color, is_interlaced, chunks);
        REQUIRE(refusal_of(file) == "");
        check_as_libpng(file, decode_bytes(file).picture);
      }
}

TEST_CASE("what a PNG says beside its texels is honored or named") {
  const auto with = [](const std::vector<PngChunk>& chunks) { return png_of(8, 2, false, chunks); };
  const std::string animation = big_u32(2) + big_u32(0);
  check_features({{"upright", with({{"eXIf", exif_of(1, true)}})},
                  {"cut Exif", with({{"eXIf", exif_of(6, true).substr(0, 12)}})},
                  {"animated", with({{"acTL", animation}}), "", "is animated; only its default image is read"},
                  {"PQ", with({{"cICP", std::string("\11\20\0\1", 4)}})},
                  {"HLG", with({{"cICP", std::string("\11\22\0\1", 4)}})},
                  {"of a damaged profile", with({{"iCCP", std::string("wide\0\0", 6) + zlib_packed("wide gamut")}}), "",
                   "the ICC profile is damaged and ignored; without --input-transfer and --input-primaries, the image "
                   "is taken as sRGB"}},
                 check_as_libpng);
}

TEST_CASE("metadata that is not kept is named, and what almost every file has is not") {
  struct Named {
    std::string name;
    File file;
    std::string kinds;  // "" for no warning
  };
  const auto png = [](const std::vector<PngChunk>& chunks) { return png_of(8, 2, false, chunks); };
  const auto physical = [](uint32_t x, uint32_t y, char unit) {
    return std::vector<PngChunk>{{"pHYs", big_u32(x) + big_u32(y) + unit}};
  };
  const auto jpeg = [](const std::string& application1) { return make_jpeg({.application1 = application1}); };
  // the orientation, and the tag Artist or a resolution of 300 dots per inch
  const std::string artist("MM\0*\0\0\0\x08\0\2\1\x12\0\3\0\0\0\1\0\1\0\0\1\x3b\0\2\0\0\0\4you\0\0\0\0\0", 38);
  const auto resolution = [](char unit, char dots) {
    return std::string("MM\0*\0\0\0\x08\0\2\1\x28\0\3\0\0\0\1\0", 19) + unit +
           std::string("\0\0\1\x1a\0\5\0\0\0\1\0\0\0\x26\0\0\0\0\0\0\0", 21) + dots + std::string("\0\0\0\1", 4);
  };
  const std::string wide(
      "MM\0*\0\0\0\x08\0\2\1\x1a\0\5\0\0\0\1\0\0\0\x26\1\x1b\0\5\0\0\0\1\0\0\0\x2e\0\0\0\0"
      "\0\0\0\x24\0\0\0\1\0\0\0\x48\0\0\0\1",
      54);
  const std::string fine("MM\0*\0\0\0\x08\0\1\1\x1a\0\5\0\0\0\1\0\0\0\x1a\0\0\0\0\0\0\1\x2c\0\0\0\1", 34);
  const std::string loop("MM\0*\0\0\0\x08\0\1\x87\x69\0\4\0\0\0\1\0\0\0\x08\0\0\0\0", 26);
  const std::string exif("Exif\0\0", 6);
  const std::vector<Named> files = {
      {"PNG alone", png({}), ""},
      {"text", png({{"tEXt", std::string("Copyright\0me", 12)}}), "text"},
      {"text of each kind",
       png({{"zTXt", std::string("Author\0\0x", 9)}, {"iTXt", std::string("Title\0\0\0\0\0x", 11)}}), "text"},
      {"XMP", png({{"iTXt", std::string("XML:com.adobe.xmp\0\0\0\0\0<x/>", 26)}}), "XMP"},
      {"raw IPTC", png({{"zTXt", std::string("Raw profile type iptc\0\0x", 24)}}), "IPTC"},
      {"raw IPTC of Photoshop", png({{"zTXt", std::string("Raw profile type 8bim\0\0x", 24)}}), "IPTC"},
      {"date", png({{"tIME", std::string("\7\xe4\1\1\0\0\0", 7)}}), "date"},
      {"PNG upright", png({{"eXIf", exif_of(1, true)}}), ""},
      {"PNG with an artist", png({{"eXIf", artist}}), "Exif"},
      {"Exif of 300 dots per inch", png({{"eXIf", fine}}), "Exif"},
      {"Exif of 96 dots per inch", png({{"eXIf", resolution(2, 96)}}), ""},
      {"Exif of 97 dots per inch", png({{"eXIf", resolution(2, 97)}}), "Exif"},
      {"Exif of 37 dots per centimeter", png({{"eXIf", resolution(3, 37)}}), ""},
      {"Exif of 38 dots per centimeter", png({{"eXIf", resolution(3, 38)}}), "Exif"},
      {"Exif that points to itself", png({{"eXIf", loop}}), "Exif"},
      {"Exif of wide pixels", png({{"eXIf", wide}}), "pixel aspect ratio (2)"},
      {"JPEG with Exif of wide pixels", jpeg(exif + wide), "pixel aspect ratio (2)"},
      {"cut Exif", png({{"eXIf", artist.substr(0, 20)}}), ""},
      {"Exif of a few bytes", png({{"eXIf", "MM"}}), ""},
      {"96 dots per inch", png(physical(3780, 3780, 1)), ""},
      {"300 dots per inch", png(physical(11811, 11811, 1)), "resolution (300 dots per inch)"},
      {"square pixels", png(physical(1, 1, 0)), ""},
      {"a resolution without a unit", png(physical(20000, 20000, 0)), ""},
      {"wide pixels", png(physical(1, 2, 0)), "pixel aspect ratio (2)"},
      {"pixels of no size", png(physical(0, 2, 0)), ""},
      {"JPEG alone", jpeg(""), ""},
      {"JPEG upright", jpeg(exif + exif_of(1, false)), ""},
      {"JPEG with an artist", jpeg(exif + artist), "Exif"},
      {"JPEG with XMP", jpeg(std::string("http://ns.adobe.com/xap/1.0/\0<x/>", 33)), "XMP"},
      {"several kinds", png({{"eXIf", artist}, {"tEXt", std::string("Title\0x", 7)}, physical(1, 3, 0)[0]}),
       "Exif, text, pixel aspect ratio (3)"},
  };
  for (const Named& named : files) {
    INFO(named.name);
    REQUIRE(refusal_of(named.file) == "");
    const Decoded decoded = decode_bytes(named.file);
    CHECK(joined(decoded.warnings) == "");
    CHECK(joined(decoded.write_warnings) ==
          (named.kinds.empty() ? "" : "metadata of this file is not kept: " + named.kinds));
  }
}

TEST_CASE("JPEG of every kind is what libjpeg reads, refused by its name, or warned of") {
  using enum JpegColor;
  const std::string exif("Exif\0\0", 6), icc = std::string("ICC_PROFILE\0\1\1", 14) + "wide gamut";
  const std::string inexact = "CMYK without a profile is converted to RGB; colors are not exact";
  check_features({{"gray", make_jpeg({.color = gray})},
                  {"luminance and chroma", make_jpeg({})},
                  {"chroma of half the rows", make_jpeg({.down = 2})},
                  {"chroma of a quarter", make_jpeg({.across = 2, .down = 2})},
                  {"progressive", make_jpeg({.across = 2, .down = 2, .is_progressive = true})},
                  {"progressive gray", make_jpeg({.color = gray, .is_progressive = true})},
                  {"restarts", make_jpeg({.restart_rows = 1})},
                  {"RGB with Adobe's marker", make_jpeg({.color = rgb})},
                  {"RGB by its names", make_jpeg({.color = rgb, .has_adobe_marker = false})},
                  {"CMYK", make_jpeg({.color = JpegColor::cmyk}), "", inexact},
                  {"YCCK", make_jpeg({.color = ycck}), "", inexact},
                  {"four without Adobe's marker", make_jpeg({.color = JpegColor::cmyk, .has_adobe_marker = false}),
                   "JPEG of four components without Adobe's marker is not supported"},
                  {"arithmetic", make_jpeg({.is_arithmetic = true})},
                  {"chroma of half the columns", make_jpeg({.across = 2})},
                  {"chroma of half the columns, even", make_jpeg({.width = 38, .across = 2})},
                  {"upright", make_jpeg({.application1 = exif + exif_of(1, false)})},
                  {"of a damaged profile", make_jpeg({.application2 = icc}), "",
                   "the ICC profile is damaged and ignored; without --input-transfer and --input-primaries, the image "
                   "is taken as sRGB"}},
                 check_as_libjpeg);
}

TEST_CASE("EXR of any order of lines, with long names and pixels that are not square is what OpenEXR reads") {
  const std::vector<Channel> long_names = {{"B", Depth::half},
                                           {"G", Depth::half},
                                           {"R", Depth::half},
                                           {"a.name.of.more.than.thirty.one.letters.Z", Depth::f32}};
  check_features({{"tiles in any order", make_exr({.line_order = Imf::RANDOM_Y, .tile_side = 16})},
                  {"tiles from below", make_exr({.line_order = Imf::DECREASING_Y, .tile_side = 16})},
                  {"long names", make_exr({.channels = long_names})},
                  {"negative windows", make_exr({.min_x = -20, .min_y = -30})},
                  {"a display window inside", make_exr({.change_header =
                                                            [](Imf::Header& header) {
                                                              header.displayWindow() = Imath::Box2i({2, 3}, {9, 11});
                                                            }})},
                  {"pixels twice as wide",
                   make_exr({.change_header = [](Imf::Header& header) { header.pixelAspectRatio() = 2; }})}},
                 check_as_openexr);
}

TEST_CASE("of a rip-mapped EXR the levels that have both sides halved are read") {
  const File file = make_exr({.tile_side = 16, .level_mode = Imf::RIPMAP_LEVELS});
  for (const int level : {0, 1, 2}) {
    MemoryInput stream(file);
    Imf::TiledInputFile reference(stream);
    const Decoded decoded = decode_bytes(file, {.level = level});
    CHECK(difference_from_openexr(reference, level, decoded.picture) == "");
    CHECK(decoded.warnings ==
          std::vector<std::string>{"is a ripmap; only its levels with equal x and y level are read"});
  }
}

TEST_CASE("deep data are refused by name") {
  CHECK(refusal_of(make_exr_of_deep_tiles(17, 9)) ==
        "2 file: holds deep data; give --flatten to composite its samples");
}

namespace {

// Two texels side by side, or above each other.
std::string tga(int kind, int bits, int descriptor, const std::string& data, const std::string& map = "",
                bool is_upright = false) {
  const int map_entry_bytes = map.empty() ? 0 : 3;
  return std::string(1, '\0') + char(!map.empty()) + char(kind) + little(0, 2) +
         little(uint32_t(map.empty() ? 0 : map.size() / size_t(map_entry_bytes)), 2) + char(8 * map_entry_bytes) +
         little(0, 4) + little(is_upright ? 1 : 2, 2) + little(is_upright ? 2 : 1, 2) + char(bits) + char(descriptor) +
         map + data;
}

std::string bmp(int width, int height, int bits, uint32_t compression, const std::string& data) {
  return "BM" + little(0, 8) + little(54, 4) + little(40, 4) + little(uint32_t(width), 4) +
         little(uint32_t(height), 4) + little(1, 2) + little(uint32_t(bits), 2) + little(compression, 4) +
         little(0, 20) + data;
}

std::string hdr(const std::string& lines, const std::string& size) {
  return "#?RADIANCE\n" + lines + "\n" + size + "\n" + "\x80\x40\x20\x81\x80\x80\x80\x80";
}

// A file of two texels, and what they are in R, G, B and A; or its refusal.
struct Texels {
  std::string name, file, expected, refusal = "";
};

void check_texels(const std::vector<Texels>& rows) {
  for (const Texels& row : rows) {
    INFO(row.name);
    const std::string refusal = refusal_of(file_of(row.file));
    CHECK(refusal == (row.refusal.empty() ? "" : "2 file: " + row.refusal));
    if (refusal.empty()) CHECK(bytes_of_texels(decode_bytes(file_of(row.file)).picture) == row.expected);
  }
}

}  // namespace

TEST_CASE("TGA of every kind is read right or refused by its name") {
  const std::string two =
      "abc\xff"
      "def\xff";
  check_texels(
      {{"gray", tga(3, 8, 0x20, "ad"),
        "aaa\xff"
        "ddd\xff"},
       {"gray in runs",
        tga(11, 8, 0x20,
            "\x81"
            "a"),
        "aaa\xff"
        "aaa\xff"},
       {"gray and alpha",
        tga(3, 16, 0x28,
            "a\x40"
            "d\x80"),
        "aaa\x40"
        "ddd\x80"},
       {"colors", tga(2, 24, 0x20, "cbafed"), two},
       {"colors and alpha",
        tga(2, 32, 0x28,
            "cba\x40"
            "fed\x80"),
        "abc\x40"
        "def\x80"},
       {"colors of 15 bits", tga(2, 16, 0x20, little(0x7c00, 2) + little(0x03e0, 2)),
        std::string("\xff\0\0\xff\0\xff\0\xff", 8)},
       {"steps of 15 bits", tga(2, 16, 0x20, little(0x1e84, 2) + little(0x7fff, 2)),
        std::string("\x39\xa5\x21\xff\xff\xff\xff\xff", 8)},  // 7, 20 and 4 of 31
       {"a palette", tga(1, 8, 0x20, std::string("\1\0", 2), "fedcba"), two},
       {"a palette in runs", tga(9, 8, 0x20, "\1" + std::string("\1\0", 2), "fedcba"), two},
       {"from below", tga(2, 24, 0, "fedcba", "", true), two},
       {"from above", tga(2, 24, 0x20, "cbafed", "", true), two},
       {"from the right", tga(2, 24, 0x30, "fedcba"), "", "TGA with columns from right to left is not supported"},
       {"interleaved", tga(2, 24, 0x60, "cbafed"), "", "TGA with interleaved rows is not supported"}});
}

TEST_CASE("BMP of every kind is read right or refused by its name") {
  const std::string two =
      "abc\xff"
      "def\xff";
  check_texels({{"from below", bmp(1, 2, 24, 0, std::string("fed\0cba\0", 8)), two},
                {"from above", bmp(1, -2, 24, 0, std::string("cba\0fed\0", 8)), two},
                {"of 16 bits", bmp(2, 1, 16, 0, little(0x7c00, 2) + little(0x03e0, 2)),
                 std::string("\xff\0\0\xff\0\xff\0\xff", 8)},
                {"RLE4", bmp(2, 1, 4, 2, "data"), "", "BMP compression RLE4 is not supported"},
                {"RLE8", bmp(2, 1, 8, 1, "data"), "", "BMP compression RLE8 is not supported"},
                {"a JPEG within", bmp(2, 1, 0, 4, "data"), "", "BMP with 0 bits per texel is not supported"}});
}

TEST_CASE("Radiance pictures of every kind are read right, refused by name, or warned of") {
  const std::string format = "FORMAT=32-bit_rle_rgbe\n", size = "-Y 1 +X 2";
  const auto ignored = [](const std::string& name) {
    return name + " of the header is ignored: values stay as they are stored";
  };
  const std::string sizes = "Radiance images other than \"-Y height +X width\" are not supported";
  check_features({{"plain", file_of(hdr(format, size))},
                  {"exposures", file_of(hdr(format + "EXPOSURE=2\nEXPOSURE=3\n", size)), "", ignored("EXPOSURE")},
                  {"corrected", file_of(hdr(format + "COLORCORR=1 2 3\n", size)), "", ignored("COLORCORR")},
                  {"primaries", file_of(hdr("PRIMARIES=0.64 0.33 0.29 0.6 0.15 0.06 0.333 0.333\n" + format, size))},
                  {"XYZE", file_of(hdr("FORMAT=32-bit_rle_xyze\n", size)), "Radiance images in XYZE are not supported"},
                  {"from below", file_of(hdr(format, "+Y 1 +X 2")), sizes},
                  {"from the right", file_of(hdr(format, "-Y 1 -X 2")), sizes},
                  {"columns first", file_of(hdr(format, "+X 2 -Y 1")), sizes}},
                 [](const File&, const Picture& picture) {
                   const auto numbers = picture.groups.at(0).levels.at(0).texels.as<float>();
                   CHECK(numbers[0] == 1.0f);
                   CHECK(numbers[1] == 0.5f);
                   CHECK(numbers[2] == 0.25f);
                 });
}
