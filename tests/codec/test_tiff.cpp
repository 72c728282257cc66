// TIFF files, made by libtiff and read here, or the other way round.
#include "tests/codec/make_files.h"
#include "tests/support/temporary_folder.h"

#include "core/base/half.h"
#include "core/image/primaries.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <lcms2.h>
#include <tiffio.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>

using namespace gpupost;

namespace {

struct Recipe {
  int width = 37, height = 21;
  int bits = 8;
  bool is_float = false;
  int samples = 3;
  int photometric = PHOTOMETRIC_RGB;
  int alpha = -1;  // EXTRASAMPLE_*, of the last sample
  int compression = COMPRESSION_NONE;
  int predictor = 1;
  int tile_side = 0;
  int rows_per_strip = 5;
  bool is_planar = false;
  int orientation = ORIENTATION_TOPLEFT;
  std::string mode = "w";
  std::function<void(TIFF*)> add_tags = [](TIFF*) {};
};

// Number of a sample, before it is cut to its bits.
uint32_t number_at(int x, int y, int sample) {
  return uint32_t(x * 2654435761u + y * 40503u + sample * 97u + x * y * 31u);
}

float float_at(int x, int y, int sample) { return float(int(number_at(x, y, sample) % 2001) - 1000) / 256; }

uint32_t stored_at(const Recipe& recipe, int x, int y, int sample) {
  if (!recipe.is_float) return number_at(x, y, sample) & (recipe.bits == 32 ? ~0u : (1u << recipe.bits) - 1);
  const float value = float_at(x, y, sample);
  return recipe.bits == 16 ? half_from_float(value) : std::bit_cast<uint32_t>(value);
}

// Samples `first` to `last` of a block, packed row by row.
std::vector<uint8_t> block_of(const Recipe& recipe, int x0, int y0, int width, int height, int first, int last) {
  std::vector<uint8_t> bytes;
  for (int y = y0; y < y0 + height; ++y) {
    std::vector<uint8_t> row((size_t(width) * size_t(last - first) * size_t(recipe.bits) + 7) / 8);
    size_t bit = 0;
    for (int x = x0; x < x0 + width; ++x)
      for (int sample = first; sample < last; ++sample, bit += size_t(recipe.bits)) {
        const uint32_t number =
            stored_at(recipe, std::min(x, recipe.width - 1), std::min(y, recipe.height - 1), sample);
        if (recipe.bits < 8) row[bit / 8] |= uint8_t(number << (8 - recipe.bits - int(bit % 8)));
        else std::memcpy(&row[bit / 8], &number, size_t(recipe.bits) / 8);
      }
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  return bytes;
}

File file_at(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return file_of(text);
}

void add_page(TIFF* tiff, const Recipe& recipe) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, recipe.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, recipe.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, recipe.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, recipe.samples);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, recipe.is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, recipe.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, recipe.is_planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, recipe.compression);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, recipe.orientation);
  if (recipe.predictor != 1) TIFFSetField(tiff, TIFFTAG_PREDICTOR, recipe.predictor);
  const auto alpha = uint16_t(recipe.alpha);
  if (recipe.alpha >= 0) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  if (recipe.photometric == PHOTOMETRIC_PALETTE) {
    std::vector<uint16_t> map[3];
    for (int i = 0; i < 1 << recipe.bits; ++i)
      for (int c = 0; c < 3; ++c) map[c].push_back(uint16_t((i * 37 + c * 11) % 256 * 257));
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0].data(), map[1].data(), map[2].data());
  }
  recipe.add_tags(tiff);
  const int side = recipe.tile_side;
  if (side > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, side);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, side);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, recipe.rows_per_strip);
  }
  uint32_t index = 0;
  for (int plane = 0; plane < (recipe.is_planar ? recipe.samples : 1); ++plane) {
    const int first = recipe.is_planar ? plane : 0, last = recipe.is_planar ? plane + 1 : recipe.samples;
    for (int y = 0; y<recipe.height; y += side> 0 ? side : recipe.rows_per_strip)
      for (int x = 0; x<recipe.width; x += side> 0 ? side : recipe.width, ++index) {
        std::vector<uint8_t> block =
            side > 0
                ? block_of(recipe, x, y, side, side, first, last)
                : block_of(recipe, 0, y, recipe.width, std::min(recipe.rows_per_strip, recipe.height - y), first, last);
        if (side > 0) TIFFWriteEncodedTile(tiff, index, block.data(), tmsize_t(block.size()));
        else TIFFWriteEncodedStrip(tiff, index, block.data(), tmsize_t(block.size()));
      }
  }
  TIFFWriteDirectory(tiff);
}

File make_tiff(const std::vector<Recipe>& pages) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/made.tif";
  TIFF* tiff = TIFFOpen(path.c_str(), pages.front().mode.c_str());
  REQUIRE(tiff);
  for (const Recipe& page : pages) add_page(tiff, page);
  TIFFClose(tiff);
  return file_at(path);
}

// Number of a component as it is read: of 255 for fewer bits than 8.
double read_at(const Picture& picture, int x, int y, size_t component) {
  const Group& group = picture.groups.at(0);
  const size_t at = 4 * (size_t(y) * size_t(picture.size().width) + size_t(x)) + component;
  const TexelBuffer& texels = group.levels.at(0).texels;
  switch (group.depth) {
    case Depth::u8: return texels.as<uint8_t>()[at];
    case Depth::u16: return texels.as<uint16_t>()[at];
    case Depth::half: return double(float_from_half(texels.as<uint16_t>()[at]));
    default: return double(texels.as<float>()[at]);
  }
}

// Whether every texel is what the recipe says.
void check_texels(const Recipe& recipe, const Picture& picture) {
  REQUIRE(picture.size() == Size{recipe.width, recipe.height});
  const bool is_gray = recipe.photometric <= PHOTOMETRIC_MINISBLACK;
  const int color_count = is_gray ? 1 : 3;
  size_t differences = 0;
  for (int y = 0; y < recipe.height; ++y)
    for (int x = 0; x < recipe.width; ++x)
      for (size_t c = 0; c < 4; ++c) {
        const double most = recipe.is_float ? 1 : recipe.bits <= 8 ? 255 : 65535;
        double expected = most;
        const int sample = c == 3 ? color_count : is_gray ? 0 : int(c);
        if (recipe.photometric == PHOTOMETRIC_PALETTE && c < 3)
          expected = (stored_at(recipe, x, y, 0) * 37 + c * 11) % 256;
        else if (c < 3 || recipe.alpha > 0) {
          if (recipe.is_float) expected = double(float_at(x, y, sample));
          else expected = std::floor(stored_at(recipe, x, y, sample) * most / ((1u << recipe.bits) - 1));
          if (recipe.photometric == PHOTOMETRIC_MINISWHITE && c < 3)
            expected = std::floor(((1u << recipe.bits) - 1 - stored_at(recipe, x, y, sample)) * most /
                                  ((1u << recipe.bits) - 1));
        }
        differences += read_at(picture, x, y, c) != expected;
      }
  CHECK(differences == 0);
}

std::vector<Recipe> all_recipes() {
  std::vector<Recipe> recipes;
  for (const int bits : {1, 2, 4, 8, 16})
    for (const int photometric : {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE})
      recipes.push_back({.bits = bits, .samples = 1, .photometric = photometric});
  for (const int bits : {1, 4, 8}) recipes.push_back({.bits = bits, .samples = 1, .photometric = PHOTOMETRIC_PALETTE});
  for (const int side : {0, 16, 64})
    for (const bool is_planar : {false, true})
      for (const int alpha : {-1, EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNASSALPHA})
        for (const int bits : {8, 16, 32})
          for (const bool is_float : {false, true}) {
            if (is_float ? bits == 8 : bits == 32) continue;
            recipes.push_back({.bits = bits,
                               .is_float = is_float,
                               .samples = alpha < 0 ? 3 : 4,
                               .alpha = alpha,
                               .tile_side = side,
                               .is_planar = is_planar});
          }
  for (const int compression :
       {COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE, COMPRESSION_ZSTD})
    for (const int bits : {8, 16, 32})
      for (const int predictor : {1, bits == 32 ? 3 : 2})
        if (predictor == 1 || compression != COMPRESSION_PACKBITS)
          recipes.push_back({.bits = bits, .is_float = bits == 32, .compression = compression, .predictor = predictor});
  for (const char* mode : {"wb", "wl", "w8", "w8b"}) recipes.push_back({.bits = 16, .mode = mode});
  recipes.push_back({.width = 1, .height = 1});
  recipes.push_back({.width = 1, .height = 300, .tile_side = 16});
  return recipes;
}

}  // namespace

TEST_CASE("TIFF of every depth, layout, alpha and compression is read as libtiff wrote it") {
  for (const Recipe& recipe : all_recipes()) {
    INFO("bits ", recipe.bits, " float ", recipe.is_float, " samples ", recipe.samples, " photometric ",
         recipe.photometric, " alpha ", recipe.alpha, " compression ", recipe.compression, " predictor ",
         recipe.predictor, " tile ", recipe.tile_side, " planar ", recipe.is_planar, " ", recipe.mode);
    const File file = make_tiff({recipe});
    REQUIRE(refusal_of(file) == "");
    const Decoded decoded = decode_bytes(file);
    CHECK(decoded.warnings.empty());
    CHECK(decoded.picture.transfer == (recipe.is_float ? Transfer::linear : Transfer::srgb));
    CHECK(decoded.picture.groups[0].has_alpha() == (recipe.alpha > 0));
    if (recipe.alpha > 0)
      CHECK(decoded.picture.alpha == (recipe.alpha == EXTRASAMPLE_ASSOCALPHA ? Alpha::premultiplied : Alpha::straight));
    check_texels(recipe, decoded.picture);
  }
}

TEST_CASE("pages of a TIFF are its parts, and its orientation is applied") {
  const Recipe second{.width = 5, .height = 9, .orientation = ORIENTATION_RIGHTTOP};
  const File file = make_tiff({{}, second});
  CHECK(decode_bytes(file).warnings ==
        std::vector<std::string>{"has 2 parts; only part 0 was read (--part reads another)"});
  const std::vector<FilePart> parts = decode_bytes(file, {.part = "1"}).parts;
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].size == decode_bytes(file).picture.size());
  CHECK(parts[1].size == Size{5, 9});
  CHECK(decode_bytes(make_tiff({{}, second, second})).parts.size() == 3);
  check_texels({}, decode_bytes(file).picture);
  check_texels(second, decode_bytes(file, {.part = "1", .keeps_orientation = true}).picture);
  const Picture turned = decode_bytes(file, {.part = "1"}).picture;
  CHECK(turned.size() == Size{9, 5});
  for (size_t c = 0; c < 3; ++c) CHECK(read_at(turned, 8, 0, c) == stored_at(second, 0, 0, int(c)));  // row 0 is right
  CHECK(refusal_of(file, {.part = "2"}) == "2 file: has no part 2; it has the parts 0 to 1");
  CHECK(refusal_of(file, {.part = "x"}) == "2 file: has no part x; it has the parts 0 to 1");
  CHECK(refusal_of(file, {.layer = "x"}) == "2 file: has no layer x; a tiff file has none");
}

TEST_CASE("TIFF that is not supported is refused by name, and samples that are no alpha are named") {
  const auto refusal = [](const Recipe& recipe) { return refusal_of(make_tiff({recipe})); };
  CHECK(refusal({.bits = 32}).find("unsigned values of 32 bits") != std::string::npos);
  CHECK(refusal({.samples = 1, .photometric = PHOTOMETRIC_LOGL}).find("photometric interpretation") !=
        std::string::npos);
  CHECK(refusal({.bits = 1, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK, .compression = COMPRESSION_CCITTFAX4})
            .find("TIFF compression 4") != std::string::npos);
  CHECK(
      refusal(
          {.photometric = PHOTOMETRIC_YCBCR, .compression = COMPRESSION_JPEG, .rows_per_strip = 16, .is_planar = true})
          .find("TIFF of YCbCr is read only if it is JPEG without separate planes") != std::string::npos);
  CHECK(decode_bytes(make_tiff({{.samples = 4, .alpha = EXTRASAMPLE_UNSPECIFIED}})).warnings ==
        std::vector<std::string>{"1 extra sample per texel is dropped, because it is not alpha"});
}

TEST_CASE("a TIFF without PhotometricInterpretation is RGB from three samples on, else gray") {
  for (const Recipe& recipe :
       {Recipe{},
        {.samples = 4, .alpha = EXTRASAMPLE_UNASSALPHA},
        {.samples = 1, .photometric = PHOTOMETRIC_MINISBLACK},
        {.samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .alpha = EXTRASAMPLE_UNASSALPHA}}) {
    INFO("samples ", recipe.samples);
    File file = make_tiff({recipe});
    const std::string entry = little(TIFFTAG_PHOTOMETRIC, 2) + little(TIFF_SHORT, 2);
    const size_t at = text_of(file).find(entry);
    REQUIRE(at != std::string_view::npos);
    const std::string fill_order = little(TIFFTAG_FILLORDER, 2);  // the next tag of TIFF 6.0; 1 is the default
    std::memcpy(&file[at], fill_order.data(), fill_order.size());
    file[at + 8] = std::byte(1);
    check_texels(recipe, decode_bytes(file).picture);
  }
}

TEST_CASE("the alpha of a TIFF may be behind a sample that is no alpha") {
  const Recipe recipe{.samples = 5, .add_tags = [](TIFF* tiff) {
                        constexpr uint16_t extras[] = {EXTRASAMPLE_UNSPECIFIED, EXTRASAMPLE_UNASSALPHA};
                        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 2, extras);
                      }};
  const Picture picture = decode_bytes(make_tiff({recipe})).picture;
  for (int x = 0; x < recipe.width; ++x) CHECK(read_at(picture, x, 2, 3) == stored_at(recipe, x, 2, 4));
}

TEST_CASE("a TIFF that is cut off anywhere, or has flipped bytes, is refused or read") {
  for (const Recipe& recipe :
       {Recipe{}, Recipe{.compression = COMPRESSION_LZW}, Recipe{.tile_side = 16},
        Recipe{.compression = COMPRESSION_ZSTD}, Recipe{.compression = COMPRESSION_ADOBE_DEFLATE}}) {
    const File file = make_tiff({recipe});
    for (size_t bytes = 4; bytes < file.size(); bytes += 97)
      CHECK(refusal_of(File(file.begin(), file.begin() + ptrdiff_t(bytes))).starts_with("2 file: "));
    for (size_t at = 4; at < file.size(); at += 41) {
      File damaged = file;
      damaged[at] ^= std::byte(0x55);
      const std::string refusal = refusal_of(damaged);
      CHECK_MESSAGE((refusal.empty() || refusal.starts_with("2 file: ")), refusal);
    }
  }
  CHECK(refusal_of(make_tiff({{}}), {.limits = {.side = 20}}).find("with --max-side)") != std::string::npos);
  CHECK(refusal_of(make_tiff({{}}), {.limits = {.decoded_bytes = 2000}}).find("with --max-decoded)") !=
        std::string::npos);
  CHECK(refusal_of(make_tiff({{.samples = 4}}), {.limits = {.channel_count = 3}}).find("with --max-channels)") !=
        std::string::npos);
}

TEST_CASE("a TIFF header that claims more than its file holds is refused before much memory is taken") {
  File file = make_tiff({{}});
  // the directory's entries of width and height, of type LONG or SHORT
  const auto directory = little_at<uint32_t>(file, 4);
  for (size_t entry = 0; entry < little_at<uint16_t>(file, directory); ++entry) {
    const size_t at = directory + 2 + 12 * entry;
    const auto tag = little_at<uint16_t>(file, at);
    const uint16_t size = 16000;
    if (tag == TIFFTAG_IMAGEWIDTH || tag == TIFFTAG_IMAGELENGTH) std::memcpy(&file[at + 8], &size, sizeof size);
  }
  CHECK(refusal_of(file).starts_with("2 file: "));
}

TEST_CASE("TIFF of every depth and compression that is written is read back as it was, by libtiff too") {
  for (const Depth depth : {Depth::u8, Depth::u16, Depth::half, Depth::f32})
    for (const Compression compression : {Compression::none, Compression::lzw, Compression::zip, Compression::zstd})
      for (const int alpha : {-1, int(EXTRASAMPLE_UNASSALPHA)}) {
        INFO(name_of(depth), " ", compression_names[size_t(compression)], " ", alpha);
        const Recipe recipe{.bits = depth == Depth::u8    ? 8
                                    : depth == Depth::f32 ? 32
                                                          : 16,
                            .is_float = is_float(depth),
                            .samples = alpha < 0 ? 3 : 4,
                            .alpha = is_float(depth) && alpha > 0 ? int(EXTRASAMPLE_ASSOCALPHA) : alpha};
        Picture picture = decode_bytes(make_tiff({recipe})).picture;
        const EncodeOptions options{.depth = depth, .compression = compression};
        const Encoded encoded = encode(*format_named("tiff"), picture, options);
        CHECK(encoded.warnings.empty());
        const File file(encoded.bytes.bytes().begin(), encoded.bytes.bytes().end());
        const Decoded decoded = decode_bytes(file);
        CHECK(decoded.warnings.empty());
        CHECK(decoded.picture.compression == compression_names[size_t(compression)]);
        CHECK(decoded.picture.transfer == (is_float(depth) ? Transfer::linear : Transfer::srgb));
        check_texels(recipe, decoded.picture);
        CHECK(std::ranges::equal(encode(*format_named("tiff"), picture, options).bytes.bytes(), encoded.bytes.bytes()));

        const test::TemporaryFolder folder;
        const std::string path = folder.path() + "/written.tif";
        std::ofstream(path, std::ios::binary) << text_of(file);
        TIFF* tiff = TIFFOpen(path.c_str(), "r");
        REQUIRE(tiff);
        std::vector<uint8_t> row(size_t(TIFFScanlineSize(tiff)));
        size_t differences = 0;
        for (int y = 0; y < recipe.height; ++y) {
          TIFFReadScanline(tiff, row.data(), uint32_t(y));
          differences += row != block_of(recipe, 0, y, recipe.width, 1, 0, recipe.samples);
        }
        CHECK(differences == 0);
        TIFFClose(tiff);
      }
}

TEST_CASE("a TIFF says its primaries and is read back as that, gray too") {
  for (const NamedPrimaries& named : named_primaries)
    for (const Depth depth : {Depth::u8, Depth::half}) {
      Picture picture = decode_bytes(make_tiff({{.bits = 32, .is_float = true}})).picture;
      set_primaries(picture, named.primaries);
      const Encoded encoded = encode(*format_named("tiff"), picture, {.depth = depth});
      const Decoded decoded = decode_bytes({encoded.bytes.bytes().begin(), encoded.bytes.bytes().end()});
      CHECK(are_same(other_primaries(decoded.picture).value_or(rec709), named.primaries));
      CHECK(decoded.picture.groups[0].depth == depth);
    }
  const Picture gray =
      decode_bytes(make_tiff({{.bits = 16, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK}})).picture;
  const Encoded encoded = encode(*format_named("tiff"), gray, {.depth = Depth::u16});
  const Decoded decoded = decode_bytes({encoded.bytes.bytes().begin(), encoded.bytes.bytes().end()});
  CHECK(decoded.warnings.empty());
  CHECK(decoded.picture.groups[0].is_luminance);
  check_texels({.bits = 16, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK}, decoded.picture);
}

TEST_CASE("metadata of a TIFF that is not kept is named") {
  const auto kinds = [](const std::function<void(TIFF*)>& add_tags) {
    const Decoded decoded = decode_bytes(make_tiff({{.add_tags = add_tags}}));
    CHECK(decoded.warnings.empty());
    return decoded.write_warnings.empty() ? std::string() : decoded.write_warnings.at(0);
  };
  const auto with_resolution = [&](float x, float y, int unit) {
    return kinds([&](TIFF* tiff) {
      TIFFSetField(tiff, TIFFTAG_XRESOLUTION, double(x));
      TIFFSetField(tiff, TIFFTAG_YRESOLUTION, double(y));
      TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit);
    });
  };
  const std::string start = "metadata of this file is not kept: ";
  CHECK(kinds([](TIFF*) {}) == "");
  CHECK(kinds([](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_COPYRIGHT, "me"); }) == start + "text");
  CHECK(kinds([](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_DATETIME, "2020:01:01 00:00:00"); }) == start + "date");
  CHECK(kinds([](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_XMLPACKET, 4, "<x/>"); }) == start + "XMP");
  CHECK(kinds([](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_RICHTIFFIPTC, 4, "abcd"); }) == start + "IPTC");
  CHECK(kinds([](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_PHOTOSHOP, 8, "8BIM\4\4\0\0"); }) == start + "IPTC");
  CHECK(with_resolution(72, 72, RESUNIT_INCH) == "");
  CHECK(with_resolution(100, 100, RESUNIT_CENTIMETER) == start + "resolution (254 dots per inch)");
  CHECK(with_resolution(1, 2, RESUNIT_NONE) == start + "pixel aspect ratio (2)");
}

// Some writers fill the last strip with rows that the image does not have.
TEST_CASE("a Deflate strip with more rows than the image has is read whole") {
  uLongf packed_bytes = 200;
  std::vector<std::byte> packed(packed_bytes);
  const std::vector<Bytef> rows(64 * 8, 128);
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &packed_bytes, rows.data(), rows.size()) == Z_OK);
  packed.resize(packed_bytes);
  const test::TemporaryFolder folder;
  const std::string path = folder.path("full.tif");
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  for (const auto& [tag, number] : {std::pair(TIFFTAG_IMAGEWIDTH, 64), {TIFFTAG_IMAGELENGTH, 5}})
    TIFFSetField(tiff, uint32_t(tag), uint32_t(number));
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, uint32_t(8));
  for (const auto& [tag, number] : {std::pair(TIFFTAG_BITSPERSAMPLE, 8),
                                    {TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE},
                                    {TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK}})
    TIFFSetField(tiff, uint32_t(tag), number);
  REQUIRE(TIFFWriteRawStrip(tiff, 0, packed.data(), tmsize_t(packed.size())) == tmsize_t(packed.size()));
  TIFFClose(tiff);
  const Decoded decoded = decode_bytes(file_of(folder.read("full.tif")));
  for (const uint8_t number : decoded.picture.groups[0].levels[0].texels.as<uint8_t>())
    CHECK((number == 128 || number == 255));
}

TEST_CASE("alpha of a CMYK TIFF is dropped with a warning") {
  const auto warnings = [](int alpha) {
    return decode_bytes(make_tiff({{.samples = 5, .photometric = PHOTOMETRIC_SEPARATED, .alpha = alpha}})).warnings;
  };
  const std::string inexact = "CMYK without a profile is converted to RGB; colors are not exact";
  const std::string lost = "CMYK is read without alpha; its alpha is dropped";
  CHECK(warnings(EXTRASAMPLE_UNASSALPHA) == std::vector{lost, inexact});
  CHECK(warnings(EXTRASAMPLE_ASSOCALPHA) == std::vector{lost, inexact});
  CHECK(warnings(EXTRASAMPLE_UNSPECIFIED) ==
        std::vector<std::string>{"1 extra sample per texel is dropped, because it is not alpha", inexact});
}

TEST_CASE("the palette of a TIFF keeps its 16 bits, and 8 bits stay 8") {
  for (const int bits : {1, 4, 8})
    for (const int scale : {1, 256, 257, 123}) {
      Recipe recipe{.bits = bits, .samples = 1, .photometric = PHOTOMETRIC_PALETTE};
      const auto entry = [&](uint32_t index, int c) {
        return uint16_t((int(index) * 37 + c * 11 + 200) % 256 * scale);
      };
      recipe.add_tags = [&](TIFF* tiff) {
        std::vector<uint16_t> map[3];
        for (uint32_t i = 0; i < 1u << bits; ++i)
          for (int c = 0; c < 3; ++c) map[c].push_back(entry(i, c));
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0].data(), map[1].data(), map[2].data());
      };
      const Picture picture = decode_bytes(make_tiff({recipe})).picture;
      const bool is_deep = scale == 123;
      CHECK(picture.groups.at(0).depth == (is_deep ? Depth::u16 : Depth::u8));
      size_t differences = 0;
      for (int y = 0; y < recipe.height; ++y)
        for (int x = 0; x < recipe.width; ++x)
          for (size_t c = 0; c < 4; ++c) {
            const uint16_t stored = entry(stored_at(recipe, x, y, 0), int(c));
            const double expected = c == 3 ? (is_deep ? 65535 : 255) : is_deep ? stored : stored / scale;
            differences += read_at(picture, x, y, c) != expected;
          }
      CHECK(differences == 0);
    }
}

TEST_CASE("floats beyond 0 and 1 pass through power curves of an ICC profile, and are counted where a table ends") {
  const auto decoded_with = [](std::array<cmsToneCurve*, 3> curves) {
    const cmsCIExyY white{0.3127, 0.3290, 1};
    const cmsCIExyYTRIPLE places{{0.64, 0.33, 1}, {0.30, 0.60, 1}, {0.15, 0.06, 1}};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &places, curves.data());
    cmsUInt32Number count = 0;
    cmsSaveProfileToMem(profile, nullptr, &count);
    std::string bytes(count, '\0');
    cmsSaveProfileToMem(profile, bytes.data(), &count);
    cmsCloseProfile(profile);
    return decode_bytes(make_tiff({{.bits = 32, .is_float = true, .add_tags = [&](TIFF* tiff) {
                                      TIFFSetField(tiff, TIFFTAG_ICCPROFILE, count, bytes.data());
                                    }}}));
  };
  const double powers[] = {1.5, 2, 2.5};
  std::array<cmsToneCurve*, 3> curves;
  for (size_t c = 0; c < 3; ++c) curves[c] = cmsBuildGamma(nullptr, powers[c]);
  const Decoded mirrored = decoded_with(curves);
  CHECK(mirrored.warnings.empty());
  double most = 0;
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 37; ++x)
      for (size_t c = 0; c < 3; ++c) {
        const double number = double(float_at(x, y, int(c)));
        const double expected = std::copysign(std::pow(std::abs(number), powers[c]), number);
        most =
            std::max(most, std::abs(read_at(mirrored.picture, x, y, c) - expected) / std::max(1.0, std::abs(expected)));
      }
  CHECK(most < 1e-4);  // 1/65536 is the step of a power in a profile
  const std::vector<cmsUInt16Number> table{0, 20000, 65535};
  cmsFreeToneCurve(curves[1]);
  curves[1] = cmsBuildTabulatedToneCurve16(nullptr, cmsUInt32Number(table.size()), table.data());
  const Decoded clamped = decoded_with(curves);
  REQUIRE(clamped.warnings.size() == 1);
  CHECK(clamped.warnings[0].find("values beyond -1..1 that were clamped, because the ICC profile has tables: ") !=
        std::string::npos);
  size_t beyond_table = 0;
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 37; ++x) {
      const double number = double(float_at(x, y, 1));
      if (std::abs(number) <= 1) continue;
      ++beyond_table;
      CHECK(read_at(clamped.picture, x, y, 1) == std::copysign(1, number));
    }
  CHECK(clamped.warnings[0].ends_with(fmt::format(": {}", beyond_table)));
  for (cmsToneCurve* curve : curves) cmsFreeToneCurve(curve);
}
