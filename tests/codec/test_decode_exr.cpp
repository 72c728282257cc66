#include "core/base/half.h"
#include "tests/codec/make_files.h"
#include "tests/codec/reference.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfVecAttribute.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace gpupost;

namespace {

// Component `component` of a texel, as a number.
float number_at(const Group& group, size_t texel, size_t component) {
  const Level& level = group.levels.at(0);
  const size_t at = 4 * texel + component;
  switch (group.depth) {
    case Depth::half: return float_from_half(level.texels.as<uint16_t>()[at]);
    case Depth::u32: return float(level.texels.as<uint32_t>()[at]) / 64;
    default: return level.texels.as<float>()[at];
  }
}

// Every channel of the file has the numbers it was made of.
void check_numbers(const Decoded& decoded, const ExrRecipe& recipe, int level) {
  const Picture& picture = decoded.picture;
  size_t found = 0;
  for (const Group& group : picture.groups)
    for (size_t component = 0; component < 4; ++component) {
      const auto channel = std::ranges::find(recipe.channels, group.channels[component].name, &Channel::name);
      if (channel == recipe.channels.end()) continue;
      ++found;
      CHECK(group.channels[component].depth == channel->depth);
      size_t wrong = 0;
      for (int y = 0; y < picture.size().height; ++y)
        for (int x = 0; x < picture.size().width; ++x) {
          const size_t texel = size_t(y) * size_t(picture.size().width) + size_t(x);
          const float made = value_at(int(channel - recipe.channels.begin()), level, level, x, y);
          if (number_at(group, texel, component) != made) ++wrong;
        }
      CHECK_MESSAGE(wrong == 0, channel->name, ": ", wrong, " of ", texel_count(picture.size()), " differ");
    }
  CHECK(found == recipe.channels.size());
}

}  // namespace

TEST_CASE("scan lines of every compression come out as they went in") {
  for (const Imf::Compression compression :
       {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION})
    for (const auto& [width, height] : {std::pair(1, 1), {3, 5}, {17, 9}, {257, 129}}) {
      CAPTURE(int(compression));
      CAPTURE(width);
      const ExrRecipe recipe{.width = width, .height = height, .compression = compression};
      check_numbers(decode_bytes(make_exr(recipe)), recipe, 0);
    }
}

TEST_CASE("lines and tiles stored from the bottom come out from the top") {
  // tinyexr 1.0.1 turns them upside down
  const ExrRecipe lines{.line_order = Imf::DECREASING_Y};
  check_numbers(decode_bytes(make_exr(lines)), lines, 0);
  const ExrRecipe tiles{.line_order = Imf::DECREASING_Y, .tile_side = 8};
  check_numbers(decode_bytes(make_exr(tiles)), tiles, 0);
}

TEST_CASE("data and display windows are kept") {
  const ExrRecipe recipe{
      .width = 17, .height = 41, .min_x = -5, .min_y = 100, .change_header = [](Imf::Header& header) {
        header.displayWindow() = Imath::Box2i({0, 0}, {63, 31});
        header.screenWindowCenter() = {0.5f, 0.25f};
      }};
  const Decoded decoded = decode_bytes(make_exr(recipe));
  check_numbers(decoded, recipe, 0);
  CHECK(decoded.picture.data_window == Window{-5, 100, 11, 140});
  CHECK(decoded.picture.display_window == Window{0, 0, 63, 31});
  CHECK(std::ranges::count(decoded.picture.attributes, "screenWindowCenter", &Attribute::name) == 1);
  CHECK(std::ranges::count(decoded.picture.attributes, "lineOrder", &Attribute::name) == 0);
  CHECK(decoded.picture.format == "exr");
  CHECK(decoded.picture.compression == "zip");
}

TEST_CASE("every level of a mip-mapped file can be read, and none that is not there") {
  for (const Imf::LevelRoundingMode rounding : {Imf::ROUND_DOWN, Imf::ROUND_UP})
    for (const Imf::LevelMode mode : {Imf::MIPMAP_LEVELS, Imf::RIPMAP_LEVELS}) {
      const ExrRecipe recipe{.width = 67, .height = 41, .tile_side = 16, .level_mode = mode, .rounding = rounding};
      const File file = make_exr(recipe);
      const int count =
          rounding == Imf::ROUND_DOWN ? (mode == Imf::MIPMAP_LEVELS ? 7 : 6) : (mode == Imf::MIPMAP_LEVELS ? 8 : 7);
      for (int level = 0; level < count; ++level) {
        CAPTURE(level);
        check_numbers(decode_bytes(file, {.level = level, .limits = {}}), recipe, level);
      }
      CHECK(refusal_of(file, {.level = count, .limits = {}}) ==
            fmt::format("2 file: has no level {}; expected --level 0 to {}", count, count - 1));
    }
}

TEST_CASE("halves stay halves, and a group of both is float") {
  CHECK(decode_bytes(make_exr({})).picture.groups[0].depth == Depth::half);
  const ExrRecipe mixed{.channels = {{"A", Depth::half}, {"B", Depth::f32}, {"G", Depth::half}, {"R", Depth::half}}};
  const Decoded decoded = decode_bytes(make_exr(mixed));
  CHECK(decoded.picture.groups[0].depth == Depth::f32);
  check_numbers(decoded, mixed, 0);
}

TEST_CASE("channels that are no color travel by four, whole numbers apart") {
  const ExrRecipe recipe{.channels = {{"B", Depth::half},
                                      {"G", Depth::half},
                                      {"N.X", Depth::half},
                                      {"N.Y", Depth::half},
                                      {"N.Z", Depth::half},
                                      {"R", Depth::half},
                                      {"Z", Depth::f32},
                                      {"id", Depth::u32},
                                      {"u", Depth::half}}};
  const Decoded decoded = decode_bytes(make_exr(recipe));
  check_numbers(decoded, recipe, 0);
  const auto& groups = decoded.picture.groups;
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].is_color);
  CHECK_FALSE(groups[0].has_alpha());
  CHECK(number_at(groups[0], 5, 3) == 1);
  CHECK(groups[1].channels[3].name == "Z");
  CHECK(groups[1].depth == Depth::f32);
  CHECK(groups[2].channels[0].name == "u");
  CHECK(groups[2].depth == Depth::half);
  CHECK(groups[3].depth == Depth::u32);
}

TEST_CASE("a gray picture has its value in all three colors") {
  const ExrRecipe recipe{.channels = {{"A", Depth::f32}, {"Y", Depth::half}}};
  const Decoded decoded = decode_bytes(make_exr(recipe));
  check_numbers(decoded, recipe, 0);
  const Group& group = decoded.picture.groups.at(0);
  CHECK(group.is_luminance);
  CHECK(group.has_alpha());
  for (size_t i = 0; i < 3; ++i) CHECK(number_at(group, 40, i) == value_at(1, 0, 0, 6, 2));
}

TEST_CASE("the Y of a vector is no luminance") {
  const ExrRecipe recipe{.channels = {{"N.X", Depth::half},
                                      {"N.Y", Depth::half},
                                      {"N.Z", Depth::half},
                                      {"X", Depth::half},
                                      {"Y", Depth::half},
                                      {"Z", Depth::half},
                                      {"gray.Y", Depth::half}}};
  const File file = make_exr(recipe);
  const Decoded decoded = decode_bytes(file);
  check_numbers(decoded, recipe, 0);
  for (const Group& group : decoded.picture.groups) CHECK_FALSE(group.is_color);
  CHECK(refusal_of(file, {.layer = "N", .level = 0, .limits = {}}) ==
        "2 file: layer N has no color (channels R, G, B, or Y without X); use `channels --list N.X,N.Y,N.Z` instead of "
        "--layer");
  CHECK(decode_bytes(file, {.layer = "gray", .level = 0, .limits = {}}).picture.groups[0].is_luminance);
}

TEST_CASE("the message about a layer of uint color lists its channels in the order of the color") {
  const File file = make_exr({.channels = {{"a.A", Depth::u32},
                                           {"a.B", Depth::u32},
                                           {"a.G", Depth::u32},
                                           {"a.R", Depth::u32},
                                           {"b.B", Depth::u32},
                                           {"b.R", Depth::u32},
                                           {"c.A", Depth::half},
                                           {"c.Y", Depth::u32}}});
  const auto refusal = [&](const char* layer) { return refusal_of(file, {.layer = layer, .level = 0, .limits = {}}); };
  CHECK(refusal("a") == "2 file: the color of layer a is uint; use `channels --list a.R,a.G,a.B` instead of --layer");
  CHECK(refusal("b") == "2 file: the color of layer b is uint; use `channels --list b.R,0,b.B` instead of --layer");
  CHECK(refusal("c") == "2 file: the color of layer c is uint; use `channels --list c.Y,c.Y,c.Y` instead of --layer");
}

TEST_CASE("a red that is alone is color with zeros for the others") {
  const Group group = std::move(decode_bytes(make_exr({.channels = {{"R", Depth::half}}})).picture.groups.at(0));
  CHECK(group.is_color);
  CHECK(number_at(group, 7, 1) == 0);
  CHECK(number_at(group, 7, 2) == 0);
  CHECK(number_at(group, 7, 3) == 1);
}

TEST_CASE("layers are color when they are asked for, and listed when they are not there") {
  const ExrRecipe recipe{.channels = {{"B", Depth::half},
                                      {"R", Depth::half},
                                      {"deep.down.R", Depth::half},
                                      {"depth.Z", Depth::half},
                                      {"spec.A", Depth::half},
                                      {"spec.R", Depth::half}}};
  const File file = make_exr(recipe);
  const auto options = [](const char* layer) { return DecodeOptions{.layer = layer, .level = 0, .limits = {}}; };
  const Decoded spec = decode_bytes(file, options("spec"));
  check_numbers(spec, recipe, 0);
  CHECK(spec.picture.groups[0].channels[0].name == "spec.R");
  CHECK(spec.picture.groups[0].channels[3].name == "spec.A");
  CHECK(spec.picture.groups[1].channels[0].name == "B");
  CHECK(decode_bytes(file, options("deep.down")).picture.groups[0].channels[0].name == "deep.down.R");
  CHECK(refusal_of(file, options("gloss")) == "2 file: has no layer gloss; it has deep.down, depth, spec");
  CHECK(refusal_of(file, options("depth")) ==
        "2 file: layer depth has no color (channels R, G, B, or Y without X); use `channels --list "
        "depth.Z,depth.Z,depth.Z` instead of --layer");
  const File others = make_exr({.channels = {{"nuke.alpha", Depth::half},
                                             {"nuke.blue", Depth::half},
                                             {"nuke.green", Depth::half},
                                             {"nuke.red", Depth::half},
                                             {"p.w", Depth::half},
                                             {"p.x", Depth::half},
                                             {"p.y", Depth::half},
                                             {"p.z", Depth::half}}});
  const auto advises = [&](const char* layer, const std::string& list) {
    return refusal_of(others, options(layer)).find("`channels --list " + list + "` instead") != std::string::npos;
  };
  CHECK(advises("nuke", "nuke.red,nuke.green,nuke.blue,nuke.alpha"));
  CHECK(advises("p", "p.x,p.y,p.z"));
}

TEST_CASE("damaged data of every compression are refused, never taken for a picture") {
  // tinyexr 1.0.1 drops the errors of its PIZ decoder, and takes ZIP data that end early
  for (const Imf::Compression compression :
       {Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION}) {
    CAPTURE(int(compression));
    File file = make_exr({.width = 64, .height = 32, .compression = compression});
    // the last quarter of the file, but for some bytes at its end, is data of the last chunk
    for (size_t at = file.size() - file.size() / 8; at + 4 < file.size(); ++at) file[at] ^= std::byte(0x55);
    const std::string said = refusal_of(file);
    CHECK_MESSAGE(said.find("2 file: ") == 0, said);
  }
}

TEST_CASE("a file with random changes is refused, or read as OpenEXR reads it") {
  for (const Imf::Compression compression :
       {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION}) {
    const File file = make_exr({.width = 33,
                                .height = 41,
                                .compression = compression,
                                .tile_side = compression == Imf::PIZ_COMPRESSION ? 16 : 0});
    for (unsigned seed = 0; seed < 100; ++seed) {
      CAPTURE(int(compression));
      CAPTURE(seed);
      std::mt19937 random(seed);
      File changed = file;
      // half of them in the header
      const size_t span = seed % 2 ? std::min<size_t>(600, file.size()) : file.size();
      for (unsigned i = 0; i <= seed % 3; ++i) changed[random() % span] = std::byte(random());
      Decoded decoded;
      try {
        decoded = decode_bytes(changed);
      } catch (const Error& error) {
        CHECK(std::string(error.what()).find("crashed") == std::string::npos);
        continue;
      }
      MemoryInput stream(changed);
      Imf::InputFile reference(stream);
      CHECK(difference_from_openexr(reference, decoded.picture) == "");
    }
  }
}
