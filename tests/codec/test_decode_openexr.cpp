// Against OpenEXR: files that tinyexr does not read right, and those of several parts.
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>

using namespace gpupost;

namespace {

constexpr Imf::Compression all_compressions[] = {
    Imf::NO_COMPRESSION,    Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION, Imf::ZIP_COMPRESSION,  Imf::PIZ_COMPRESSION,
    Imf::PXR24_COMPRESSION, Imf::B44_COMPRESSION, Imf::B44A_COMPRESSION, Imf::DWAA_COMPRESSION, Imf::DWAB_COMPRESSION};
constexpr Imf::Compression of_openexr[] = {Imf::PXR24_COMPRESSION, Imf::B44_COMPRESSION, Imf::B44A_COMPRESSION,
                                           Imf::DWAA_COMPRESSION, Imf::DWAB_COMPRESSION};

std::vector<Channel> channels_of(Depth depth) {
  return {{"A", depth}, {"B", depth}, {"G", depth}, {"R", depth}, {"a.very.long.name.of.a.layer.beside.it.Z", depth}};
}

std::string difference(const File& file, const Picture& picture) {
  MemoryInput stream(file);
  Imf::InputFile reference(stream);
  return difference_from_openexr(reference, picture);
}

// The display window of a level is ours to say.
std::string difference(const File& file, int level, const Picture& picture) {
  MemoryInput stream(file);
  Imf::TiledInputFile reference(stream);
  return difference_from_openexr(reference, level, picture);
}

bool is_warned_of(const Decoded& decoded, std::string_view text) {
  return std::ranges::any_of(decoded.warnings,
                             [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("scan lines of every compression and depth are those that OpenEXR reads") {
  for (const Imf::Compression compression : all_compressions)
    for (const Depth depth : {Depth::half, Depth::f32, Depth::u32})
      for (const auto& [width, height] : {std::pair(1, 1), {3, 5}, {37, 261}}) {
        CAPTURE(int(compression));
        CAPTURE(int(depth));
        CAPTURE(width);
        const File file = make_exr({.width = width,
                                    .height = height,
                                    .min_x = -3,
                                    .min_y = 5,
                                    .channels = channels_of(depth),
                                    .compression = compression});
        CHECK(difference(file, decode_bytes(file).picture) == "");
      }
}

TEST_CASE("every level of tiles of every compression and depth is what OpenEXR reads") {
  for (const Imf::Compression compression : all_compressions)
    for (const Depth depth : {Depth::half, Depth::f32, Depth::u32})
      for (const Imf::LevelMode mode : {Imf::ONE_LEVEL, Imf::MIPMAP_LEVELS}) {
        const File file = make_exr({.width = 37,
                                    .height = 21,
                                    .min_x = 7,
                                    .min_y = -9,
                                    .channels = channels_of(depth),
                                    .compression = compression,
                                    .tile_side = 16,
                                    .level_mode = mode});
        for (int level = 0; level < (mode == Imf::ONE_LEVEL ? 1 : 6); ++level) {
          CAPTURE(int(compression));
          CAPTURE(int(depth));
          CAPTURE(level);
          CHECK(difference(file, level, decode_bytes(file, {.level = level}).picture) == "");
        }
      }
}

TEST_CASE("perceptual data of B44 and colors of DWA come out as OpenEXR has them") {
  for (const Imf::Compression compression : of_openexr) {
    CAPTURE(int(compression));
    const File file = make_exr({.width = 40,
                                .height = 40,
                                .compression = compression,
                                .line_order = Imf::DECREASING_Y,
                                .change_header = [](Imf::Header& header) {
                                  for (const char* name : {"R", "G"})
                                    header.channels().findChannel(name)->pLinear = true;
                                }});
    CHECK(difference(file, decode_bytes(file).picture) == "");
  }
}

TEST_CASE("numbers of sub-sampled channels stand for those around them, with a warning") {
  for (const Imf::Compression compression : all_compressions) {
    CAPTURE(int(compression));
    const ExrRecipe recipe{.width = 48,
                           .height = 54,
                           .min_x = -12,
                           .min_y = 6,
                           .channels = {{"B", Depth::half}, {"G", Depth::f32}, {"R", Depth::half}, {"id", Depth::u32}},
                           .compression = compression,
                           .samplings = {{2, 3}, {1, 1}, {4, 1}, {1, 2}}};
    const File file = make_exr(recipe);
    const Decoded decoded = decode_bytes(file);
    CHECK(difference(file, decoded.picture) == "");
    CHECK(is_warned_of(decoded, "repeating their values: B (2 x 3), R (4 x 1), id (1 x 2)"));
  }
}

TEST_CASE("luminance and chroma of half the resolution are the colors that RgbaInputFile makes") {
  const auto of_dci = [](Imf::Header& header) {
    Imf::addChromaticities(header, {{0.68f, 0.32f}, {0.265f, 0.69f}, {0.15f, 0.06f}, {0.314f, 0.351f}});
  };
  const auto displaced = [](Imf::Header& header) { header.dataWindow() = Imath::Box2i({-4, 2}, {27, 31}); };
  for (const std::function<void(Imf::Header&)>& change :
       {std::function<void(Imf::Header&)>([](Imf::Header&) {}), std::function<void(Imf::Header&)>(of_dci),
        std::function<void(Imf::Header&)>(displaced)}) {
    const File file = make_exr_of_chroma(32, 30, change);
    const Decoded decoded = decode_bytes(file);
    const Group& color = decoded.picture.groups.at(0);
    CHECK(decoded.picture.groups.size() == 1);
    CHECK(color.depth == Depth::half);
    CHECK(color.channels[0].name == "R");
    CHECK(color.channels[2].name == "B");
    CHECK(color.has_alpha());
    CHECK_FALSE(color.is_luminance);
    CHECK(decoded.warnings.empty());
    MemoryInput stream(file);
    Imf::RgbaInputFile reference(stream);
    CHECK(difference_from_rgba(reference, color) == "");
  }
}

TEST_CASE("chroma beside other channels, in a layer, and of the whole resolution") {
  const std::vector<Channel> channels = {
      {"BY", Depth::half}, {"RY", Depth::half}, {"Y", Depth::half}, {"Z", Depth::f32}};
  const File halved =
      make_exr({.width = 16, .height = 10, .channels = channels, .samplings = {{2, 2}, {2, 2}, {1, 1}, {2, 1}}});
  const Decoded decoded = decode_bytes(halved);
  REQUIRE(decoded.picture.groups.size() == 2);
  CHECK(decoded.picture.groups[1].channels[0].name == "Z");
  CHECK(is_warned_of(decoded, "values: Z (2 x 1)"));
  MemoryInput stream(halved);
  Imf::RgbaInputFile reference(stream);
  CHECK(difference_from_rgba(reference, decoded.picture.groups[0]) == "");

  const File of_floats = make_exr({.width = 16,
                                   .height = 10,
                                   .channels = {{"BY", Depth::half}, {"RY", Depth::half}, {"Y", Depth::f32}},
                                   .samplings = {{2, 2}, {2, 2}, {1, 1}}});
  CHECK(refusal_of(of_floats) ==
        "2 file: luminance with 2 x 2 subsampled chroma, and their alpha, are supported only as half; Y has another "
        "type");

  const File whole = make_exr({.channels = {channels.begin(), channels.begin() + 3}});
  const Picture picture = decode_bytes(whole).picture;
  MemoryInput whole_stream(whole);
  Imf::InputFile whole_reference(whole_stream);
  CHECK(difference_from_whole_chroma(whole_reference, picture.groups.at(0)) == "");

  const File of_layer = make_exr({.channels = {{"l.BY", Depth::f32}, {"l.RY", Depth::f32}, {"l.Y", Depth::f32}}});
  const Group group = std::move(decode_bytes(of_layer, {.layer = "l"}).picture.groups.at(0));
  CHECK(group.channels[1].name == "l.G");
  const float luminance = value_at(2, 0, 0, 3, 2), red = (value_at(1, 0, 0, 3, 2) + 1) * luminance;
  CHECK(group.levels[0].texels.as<float>()[4 * (2 * 17 + 3)] == red);
}

TEST_CASE("invalid chromaticities of luminance and chroma count as Rec. 709") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Channel> channels = {{"BY", Depth::half}, {"RY", Depth::half}, {"Y", Depth::half}};
  const auto colors_with = [&](std::optional<float> number, bool is_halved) {
    const auto change = [&](Imf::Header& header) {
      if (const float n = number.value_or(0); number) Imf::addChromaticities(header, {{n, n}, {n, n}, {n, n}, {n, n}});
    };
    ExrRecipe recipe{.width = 16, .height = 10, .channels = channels, .change_header = change};
    if (is_halved) recipe.samplings = {{2, 2}, {2, 2}, {1, 1}};
    const Picture picture = decode_bytes(make_exr(recipe)).picture;
    const auto numbers = picture.groups.at(0).levels[0].texels.as<uint16_t>();
    return std::vector<uint16_t>(numbers.begin(), numbers.end());
  };
  for (const bool is_halved : {false, true})
    for (const float number : {0.0f, nan, 0.5f})
      CHECK(colors_with(number, is_halved) == colors_with(std::nullopt, is_halved));
}

TEST_CASE("parts are read by number and by name, whatever their sizes and compressions") {
  std::vector<std::pair<std::string, ExrRecipe>> parts;
  for (const Imf::Compression compression : all_compressions) {
    const int number = int(parts.size());
    parts.push_back({fmt::format("part {}", number),
                     {.width = 5 + 7 * number, .height = 40 - number, .min_y = number, .compression = compression}});
  }
  const File file = make_exr_parts(parts);
  MemoryInput stream(file);
  Imf::MultiPartInputFile reference(stream);
  for (int number = 0; number < int(parts.size()); ++number) {
    CAPTURE(number);
    Imf::InputPart part(reference, number);
    for (const std::string& wanted : {fmt::format("{}", number), parts[size_t(number)].first})
      CHECK(difference_from_openexr(part, decode_bytes(file, {.part = wanted}).picture) == "");
  }
  const Decoded first = decode_bytes(file);
  CHECK(first.picture.size() == Size{5, 40});
  REQUIRE(first.parts.size() == parts.size());
  CHECK(first.parts[3].name == "part 3");
  CHECK(first.parts[3].size == Size{26, 37});
  CHECK(first.parts[3].channels == std::vector<std::string>{"A", "B", "G", "R"});
  CHECK(is_warned_of(first, "only part `part 0` was read (--part reads another)"));
  CHECK(is_warned_of(decode_bytes(file, {.checks_all = true}),
                     "channels, windows and attributes are those of part `part 0` (--part reads another)"));
  CHECK(decode_bytes(file, {.part = "0"}).warnings.empty());
}

TEST_CASE("a part that is not there is refused, and those that are are named") {
  const File file = make_exr_parts({{"beauty", {}}, {"depth", {}}});
  CHECK(refusal_of(file, {.part = "2"}) == "2 file: has no part 2; it has the parts 0 (beauty), 1 (depth)");
  CHECK(refusal_of(file, {.part = "gloss"}) == "2 file: has no part gloss; it has the parts 0 (beauty), 1 (depth)");
  CHECK(refusal_of(make_exr({}), {.part = "1"}) == "2 file: has no part 1; it has the one part 0");
  CHECK(decode_bytes(make_exr({}), {.part = "0"}).picture.size() == Size{17, 41});
}

TEST_CASE("a part whose name looks like a number is read by it, unless it is the number of a part") {
  const File file = make_exr_parts({{"1", {.width = 5}}, {"001", {.width = 6}}, {"7", {.width = 8}}});
  const std::pair<const char*, int> widths[] = {{"0", 5}, {"1", 6}, {"001", 6}, {"7", 8}};
  for (const auto& [part, width] : widths) CHECK(decode_bytes(file, {.part = part}).picture.size().width == width);
}

TEST_CASE("a part of deep data is refused by name, and those beside it are read") {
  const ExrRecipe flat{};
  const File file = make_exr_behind_deep(flat);
  CHECK(refusal_of(file) ==
        "2 file: part 0 (deep) holds deep data; give --flatten to composite its samples, or read another part with "
        "--part; the parts are 0 (deep), 1 (flat)");
  MemoryInput stream(file);
  Imf::MultiPartInputFile reference(stream);
  Imf::InputPart part(reference, 1);
  const Decoded decoded = decode_bytes(file, {.part = "flat"});
  CHECK(difference_from_openexr(part, decoded.picture) == "");
  CHECK(decoded.parts.at(0).is_deep);
}

TEST_CASE("a file for OpenEXR with random changes is refused, or read as OpenEXR reads it") {
  for (const Imf::Compression compression : of_openexr) {
    const File file = make_exr({.width = 33, .height = 41, .compression = compression});
    for (unsigned seed = 0; seed < 60; ++seed) {
      CAPTURE(int(compression));
      CAPTURE(seed);
      std::mt19937 random(seed);
      File changed = file;
      for (unsigned i = 0; i <= seed % 3; ++i) changed[random() % changed.size()] = std::byte(random());
      Decoded decoded;
      try {
        decoded = decode_bytes(changed);
      } catch (const Error& error) {
        CHECK(std::string(error.what()).find("crashed") == std::string::npos);
        continue;
      }
      CHECK(difference(changed, decoded.picture) == "");
    }
  }
}
