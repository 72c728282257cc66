// What ops do to whole files: every channel, the windows, several sizes in one run.
#include "core/base/half.h"
#include "core/image/to_working.h"
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace gpupost;
using namespace gpupost::test;

namespace {

Finished done(const TestFolder& place, const Words& words) {
  const Finished finished = place.gpupost(words);
  INFO(finished.err);
  CHECK(finished.exit_code == 0);
  return finished;
}

// One number of a group as it stands in memory.
uint32_t bits_at(const Group& group, int x, int y) {
  const Level& level = group.levels[0];
  const size_t index = 4 * (size_t(y) * size_t(level.size.width) + size_t(x));
  return group.depth == Depth::half ? level.texels.as<uint16_t>()[index] : level.texels.as<uint32_t>()[index];
}

}  // namespace

DEVICE_TEST_CASE("crop and flip move every channel alike, uint ones too") {
  const TestFolder place;
  done(place, {"crop", "--window", "10x7+5+3", "flip", "x", "depth.exr", "-o", "out.exr"});
  const Picture before = decoded(place, "depth.exr"), after = decoded(place, "out.exr");
  CHECK(after.data_window == window_of({10, 7}));
  CHECK(after.display_window == window_of({10, 7}));
  REQUIRE(after.groups.size() == before.groups.size());
  for (size_t group = 0; group < after.groups.size(); ++group)
    for (int y = 0; y < 7; ++y)
      for (int x = 0; x < 10; ++x)
        CHECK(bits_at(after.groups[group], x, y) == bits_at(before.groups[group], 5 + 9 - x, 3 + y));
}

DEVICE_TEST_CASE("crop to a window moves every channel alike, in tiles too, and keeps the coordinates of texels") {
  const TestFolder place;
  Picture before = decoded(place, "depth.exr");
  before.data_window = {4, -6, 40, 14};
  for (const Window& display : {Window{0, -10, 50, 20}, Window{10, 0, 19, 9}, Window{-20, -20, 10, 0}}) {
    before.display_window = display;
    write_picture(place, "framed.exr", before);
    for (const Words& more : {Words{}, Words{"--tile-side", "16"}}) {
      done(place, with({"crop", "--to", "display", "framed.exr", "-o", "out.exr"}, more));
      const Picture after = decoded(place, "out.exr");
      CHECK(after.data_window == display);
      CHECK(after.display_window == display);
      REQUIRE(after.groups.size() == before.groups.size());
      for (size_t group = 0; group < after.groups.size(); ++group)
        for (int y = display.min_y; y <= display.max_y; ++y)
          for (int x = display.min_x; x <= display.max_x; ++x) {
            const bool is_there = x >= 4 && x <= 40 && y >= -6 && y <= 14;
            CHECK(bits_at(after.groups[group], x - display.min_x, y - display.min_y) ==
                  (is_there ? bits_at(before.groups[group], x - 4, y + 6) : 0));
          }
    }
    done(place, {"crop", "--to", "data", "framed.exr", "-o", "out.exr"});
    CHECK(decoded(place, "out.exr").display_window == before.data_window);
    done(place, {"crop", "--to", "data", "framed.exr", "-o", "out.png"});
    CHECK(decoded(place, "out.png").size() == Size{37, 21});
  }
}

DEVICE_TEST_CASE("crop takes a rectangle or a window, and a window of a size that it can make") {
  const TestFolder place;
  const std::pair<Words, std::string> wrong[] = {
      {{"crop"}, "no window is given; expected --window WxH+X+Y, --to data, --to display or --to content"},
      {{"crop", "--to", "window"},
       "no window is given; expected --window WxH+X+Y, --to data, --to display or --to content"},
      {{"crop", "--to", "display", "--window", "1x1+0+0"},
       "two windows are given; expected --window or --to display, not both"}};
  for (const auto& [words, message] : wrong) {
    const Finished finished = place.gpupost(with(words, {"in.exr", "-o", "out.exr"}));
    CHECK(finished.exit_code == 1);
    CHECK_MESSAGE(finished.err.starts_with("gpupost: crop: " + message), finished.err);
  }
  Picture wide = decoded(place, "in.exr");
  wide.display_window = {0, 0, 40000, 10};
  write_picture(place, "framed.exr", wide);
  const Finished finished = place.gpupost({"crop", "--to", "display", "framed.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err ==
        "gpupost: crop: --to display: the display window has 40001 x 11 texels; the limit is 32768 per side\n");
}

DEVICE_TEST_CASE("crop --to content cuts every channel to the content of the color, and notes the rectangle") {
  const TestFolder place;
  Picture before = decoded(place, "depth.exr");
  before.data_window = {4, -6, 40, 14};
  before.display_window = {0, -10, 50, 20};
  Group& color = before.groups[0];
  REQUIRE(color.is_color);
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 37; ++x)
      if (x < 5 || x > 20 || y < 3 || y > 9)
        for (size_t c = 0; c < 3; ++c) color.levels[0].texels.as<uint16_t>()[4 * (size_t(y) * 37 + size_t(x)) + c] = 0;
  write_picture(place, "framed.exr", before);
  const Window content{9, -3, 24, 3};
  for (const Words& more : {Words{}, Words{"--keep-display"}}) {
    const Finished finished = done(place, with({"framed.exr", "-o", "out.exr", "crop", "--to", "content"}, more));
    CHECK(finished.err == fmt::format("gpupost: note: framed.exr: crop --to content{}: 16x7+5+3 of 37 x 21 texels\n",
                                      more.empty() ? "" : " --keep-display"));
    const Picture after = decoded(place, "out.exr");
    CHECK(after.data_window == content);
    CHECK(after.display_window == (more.empty() ? content : before.display_window));
    REQUIRE(after.groups.size() == before.groups.size());
    for (size_t group = 0; group < after.groups.size(); ++group)
      for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 16; ++x)
          CHECK(bits_at(after.groups[group], x, y) == bits_at(before.groups[group], x + 5, y + 3));
  }
  done(place, {"framed.exr", "-o", "out.png", "crop", "--to", "content"});
  CHECK(decoded(place, "out.png").size() == Size{16, 7});
  const Finished sheet = done(place, {"framed.exr", "framed.exr", "-o", "sheet.exr", "crop", "--to", "content", "sheet",
                                      "--gap", "0", "--columns", "2"});
  CHECK(decoded(place, "sheet.exr").size() == Size{32, 7});
  done(place, {"framed.exr", "-o", "levels.ktx2", "crop", "--to", "content", "mips"});
  CHECK(decoded(place, "levels.ktx2", 1).size() == Size{8, 3});
  const Finished explained =
      done(place, {"framed.exr", "crop", "--to", "content", "blur", "--radius", "2", "--explain"});
  CHECK_MESSAGE(explained.out.find("content  crop --to content: 16x7+5+3 of 37 x 21 texels\n") != std::string::npos,
                explained.out);
}

DEVICE_TEST_CASE("crop --to content of 8-bit sprites keeps their bytes, and one without content becomes a texel") {
  const TestFolder place;
  Picture sprite = decoded(place, "in.png");
  for (size_t texel = 0; texel < texel_count(sprite.size()); ++texel)
    if (texel / 37 < 10 || texel % 37 > 5) sprite.groups[0].levels[0].texels.as<uint8_t>()[4 * texel + 3] = 0;
  write_picture(place, "sprite.png", sprite);
  for (size_t texel = 0; texel < texel_count(sprite.size()); ++texel)
    sprite.groups[0].levels[0].texels.as<uint8_t>()[4 * texel + 3] = 0;
  write_picture(place, "empty.png", sprite);
  const Finished finished = done(place, {"crop", "--to", "content", "sprite.png", "empty.png", "-o", "{stem}.out.png"});
  const Words lines = lines_of(finished.err);
  REQUIRE(lines.size() == 3);  // the last one is about color that alpha hides
  CHECK(Words{lines[0], lines[1]} ==
        Words{"gpupost: note: sprite.png: crop --to content: 6x11+0+10 of 37 x 21 texels",
              "gpupost: warning: empty.png: crop --to content: the image has no content, so that one of its 37 x 21 "
              "texels is left"});
  check_done(place, {"crop", "--window", "6x11+0+10", "sprite.png", "-o", "cut.png"});
  check_same(place, "sprite.out.png", "cut.png");
  CHECK(decoded(place, "empty.out.png").size() == Size{1, 1});
}

DEVICE_TEST_CASE("crop --to content trims each image of an array, whose sizes agree after the chain") {
  const TestFolder place;
  check_done(place, {"in.png", "crop", "--window", "8x5+4+3", "pad", "--size", "30x30", "-o", "a.png"});
  check_done(place, {"in.png", "crop", "--window", "6x9+2+1", "pad", "--size", "30x30", "-o", "b.png"});
  const Words trim{"crop", "--to", "content", "pad", "--size", "16x16"};
  check_done(place, with(with({"a.png", "b.png"}, trim), {"--assemble", "array", "-o", "out.ktx2", "--quiet"}));
  for (const std::string input : {"a", "b"}) {
    check_done(place, with(with({input + ".png"}, trim), {"-o", "alone.png", "--quiet"}));
    check_done(place, {"out.ktx2", "--part", input == "a" ? "0" : "1", "-o", "part.png", "--quiet"});
    check_same(place, "alone.png", "part.png");
  }
  const Finished refused =
      place.gpupost({"a.png", "b.png", "crop", "--to", "content", "--assemble", "array", "-o", "out.dds"});
  CHECK(refused.exit_code == 2);
  CHECK_MESSAGE(refused.err.find("b.png: --assemble array: it is written as 6 x 9") != std::string::npos, refused.err);
}

DEVICE_TEST_CASE("crop --to content is refused where it cannot work") {
  const TestFolder place;
  const std::pair<Words, std::string> wrong[] = {
      {{"in.exr", "flip", "x", "crop", "--to", "content", "-o", "out.exr"},
       "crop --to content: it finds the content of the input, so it must be the first op (use two runs); "
       "`flip` comes before it"},
      {{"in.exr", "crop", "--to", "content", "--keep-display", "-o", "out.png"},
       "crop --keep-display: png files hold no display window; leave --keep-display out"},
      {{"in.exr", "crop", "--to", "content", "--keep-display", "--to-display", "-o", "out.exr"},
       "crop --keep-display: --to-display writes all of the display window; leave --keep-display out"},
      {{"in.exr", "crop", "--to", "content", "--keep-display", "sheet", "-o", "out.exr"},
       "crop --keep-display: `sheet` makes an image of its own window; leave --keep-display out"},
      {{"in.exr", "in.exr", "in.exr", "in.exr", "in.exr", "in.exr", "crop", "--to", "content", "--assemble", "cube",
        "-o", "out.dds"},
       "--assemble cube: `crop --to content` cuts another part out of each image; expected crop --window"}};
  for (const auto& [words, message] : wrong) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 1);
    CHECK(finished.err == "gpupost: " + message + "\n");
  }
  Picture depth = decoded(place, "depth.exr");
  depth.groups.erase(depth.groups.begin());
  write_picture(place, "z.exr", depth);
  const Finished finished = place.gpupost({"z.exr", "crop", "--to", "content", "-o", "out.exr"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err ==
        "gpupost: crop --to content: the image has no color; expected float channels R, G and B, or Y\n");
}

DEVICE_TEST_CASE("a chain takes pictures of different sizes, and --verify holds for each") {
  const TestFolder place;
  done(place, {"resize", "--size", "50%", "flip", "x", "mips", "in.exr", "wide.exr", "depth.exr", "-o",
               "{stem}.out.exr", "--verify"});
  CHECK(decoded(place, "in.out.exr").size() == Size{19, 11});
  CHECK(decoded(place, "depth.out.exr", 2).size() == level_size(decoded(place, "depth.out.exr").size(), 2));
}

DEVICE_TEST_CASE("a part that is not inside the picture is refused in one line") {
  const TestFolder place;
  const Finished finished = place.gpupost({"crop", "--window", "37x21+1+0", "in.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err == "gpupost: crop: --window 37x21+1+0 is not inside the image, which is 37 x 21 texels\n");
  CHECK(place.gpupost({"crop", "--window", "0x10+0+0", "in.exr", "-o", "out.exr"}).err ==
        "gpupost: crop: --window 0x10+0+0 holds no texel; expected a width and a height of at least 1\n");
}

DEVICE_TEST_CASE("a normal map's integers are data: level 0 stays, no level is decoded from sRGB") {
  const TestFolder place;
  done(place, {"mips", "--normal", "in.png", "-o", "normal.{level}.png"});
  const Picture before = decoded(place, "in.png"), base = decoded(place, "normal.0.png");
  CHECK(std::ranges::equal(before.groups[0].levels[0].texels.bytes(), base.groups[0].levels[0].texels.bytes()));
  // every direction has the length 1 as its numbers stand
  const Level level = std::move(decoded(place, "normal.2.png").groups[0].levels[0]);
  const auto numbers = level.texels.as<uint8_t>();
  for (size_t index = 0; index < numbers.size(); index += 4) {
    double sum = 0;
    for (size_t c = 0; c < 3; ++c) sum += (numbers[index + c] / 127.5 - 1) * (numbers[index + c] / 127.5 - 1);
    CHECK(sum == doctest::Approx(1).epsilon(0.03));
  }
}

DEVICE_TEST_CASE("a second image that is merged into a normal map is data too") {
  const TestFolder place;
  done(place,
       {"deep.png", "merge", "--with", "deep.png", "--mode", "mix", "mips", "--normal", "-o", "normal.{level}.png"});
  const Picture before = decoded(place, "deep.png"), base = decoded(place, "normal.0.png");
  CHECK(std::ranges::equal(before.groups[0].levels[0].texels.bytes(), base.groups[0].levels[0].texels.bytes()));
}

DEVICE_TEST_CASE("invert --green turns a normal map to the other convention exactly") {
  const TestFolder place;
  done(place, {"in.png", "channels", "--list", "R,G,B", "-o", "normal.png"});
  const Words as_data{"--input-transfer", "linear", "--transfer", "linear"};
  done(place, with({"normal.png", "invert", "--green", "-o", "turned.png"}, as_data));
  const Picture normal = decoded(place, "normal.png"), turned = decoded(place, "turned.png");
  const auto before = normal.groups[0].levels[0].texels.as<uint8_t>();
  const auto after = turned.groups[0].levels[0].texels.as<uint8_t>();
  REQUIRE(after.size() == before.size());
  size_t wrong = 0;
  for (size_t at = 0; at < before.size(); ++at) wrong += after[at] != (at % 4 == 1 ? 255 - before[at] : before[at]);
  CHECK(wrong == 0);
  done(place, {"normal.png", "invert", "--green", "mips", "--normal", "-o", "turned.{level}.png"});
  CHECK(std::ranges::equal(decoded(place, "turned.0.png").groups[0].levels[0].texels.as<uint8_t>(), after));
}

DEVICE_TEST_CASE("mips --normal refuses ops that may take alpha as opacity, and ops for colors") {
  const TestFolder place;
  const auto refusal = [&](const Words& words) {
    const Finished finished = place.gpupost(with(words, {"mips", "--normal", "-o", "none.{level}.png"}));
    CHECK(finished.exit_code == 1);
    return finished.err;
  };
  for (const Words& op : {Words{"matrix", "--rows", "1,0,0,0,0,-1,0,1,0,0,1,0"},
                          {"invert"},
                          {"offset", "--value", "0.1"},
                          {"clamp"},
                          {"merge", "--with", "deep.png"}}) {
    const std::string err = refusal(with({"in.png"}, op));
    CHECK_MESSAGE(err.find("`mips --normal` makes all values data: `" + op[0]) != err.npos, err);
    CHECK_MESSAGE(err.find("`channels --list R,G,B` before it") != err.npos, err);
  }
  done(place, {"in.png", "channels", "--list", "R,G,B", "invert", "mips", "--normal", "-o", "inverted.{level}.png"});
  done(place, {"in.png", "gain", "--green", "0.5", "flip", "x", "mips", "--normal", "-o", "weak.{level}.png"});
  done(place, {"in.png", "channels", "--list", "R,G,B,1", "-o", "opaque.png"});
  done(place, {"opaque.png", "invert", "mips", "--normal", "-o", "opaque.{level}.png"});  // there alpha cannot matter
  CHECK(refusal({"opaque.png", "rotate", "--degrees", "30", "invert"}).find("`invert` may take alpha") !=
        std::string::npos);
  CHECK(refusal({"deep.png", "merge", "--with", "in.png"}).find("merge: in.png has alpha, which is data") !=
        std::string::npos);
  CHECK(refusal({"deep.png", "saturation", "--factor", "0.5"}).find("is for colors; use two runs") !=
        std::string::npos);
  CHECK(refusal({"deep.png", "--output-primaries", "rec709"}).find("`mips --normal` makes all values data") !=
        std::string::npos);
  done(place, {"rec2020.exr", "mips", "--normal", "-o", "normal.exr"});
  CHECK(place.gpupost({"info", "normal.exr"}).out.find("chromaticities") == std::string::npos);
}

DEVICE_TEST_CASE("mips --normal refuses normals from -1 to 1") {
  const TestFolder place;
  REQUIRE(place.shell("oiiotool --pattern constant:color=0.6,-0.8,0 8x8 3 -d float -o signed.exr").exit_code == 0);
  const Finished refused = place.gpupost({"signed.exr", "mips", "--normal", "-o", "out.exr"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err ==
        "gpupost: mips --normal: number of values below 0: 64; expected values from 0 to 1; for normals "
        "from -1 to 1 put `gain --value 0.5 offset --value 0.5` before it, else `clamp`\n");
  REQUIRE(place.shell("oiiotool --pattern constant:color=0.6,0.8,0 8x8 3 -d float -o good.exr").exit_code == 0);
  CHECK(place.gpupost({"good.exr", "signed.exr", "mips", "--normal", "--assemble", "array", "-o", "out.ktx2"})
            .err.starts_with("gpupost: signed.exr: mips --normal: number of values below 0: 64;"));
  done(place,
       {"signed.exr", "gain", "--value", "0.5", "offset", "--value", "0.5", "mips", "--normal", "-o", "out.exr"});
  const Group color = std::move(decoded(place, "out.exr", 1).groups[0]);
  CHECK(color.depth == Depth::f32);
  const float expected[] = {0.8f, 0.1f, 0.5f};
  for (size_t c = 0; c < 3; ++c) CHECK(std::abs(color.levels[0].texels.as<float>()[c] - expected[c]) < 1e-5f);
}

DEVICE_TEST_CASE("the length of a mean of directions comes in an alpha that was not there") {
  const TestFolder place;
  done(place, {"mips", "--normal", "--normal-length", "alpha", "float.exr", "-o", "out.exr"});
  CHECK(!decoded(place, "float.exr").groups[0].has_alpha());
  CHECK(decoded(place, "out.exr").groups[0].channels[3].name == "A");
}

DEVICE_TEST_CASE("coverage is kept where there is an alpha, the rest stays, and what cannot go with it is refused") {
  const TestFolder place;
  const Finished kept_both =
      done(place, {"mips", "--coverage", "0.9", "in.exr", "float.exr", "-o", "{stem}.kept.exr", "--verify"});
  CHECK(kept_both.err.find("warning: float.exr: mips --coverage has no effect, because the image has no alpha") !=
        kept_both.err.npos);
  CHECK(kept_both.err.find("in.exr: mips --coverage") == kept_both.err.npos);
  done(place, {"mips", "in.exr", "float.exr", "-o", "{stem}.plain.exr"});
  const auto is_equal = [&](const std::string& stem, int level) {
    const Picture kept = decoded(place, stem + ".kept.exr", level), plain = decoded(place, stem + ".plain.exr", level);
    return std::ranges::equal(kept.groups[0].levels[0].texels.bytes(), plain.groups[0].levels[0].texels.bytes());
  };
  CHECK(is_equal("in", 0));
  CHECK(!is_equal("in", 1));
  CHECK(is_equal("float", 1));  // R, G and B alone
  for (const Words& words : {Words{"--coverage", "1"}, {"--coverage", "0.5", "--normal"}}) {
    const Finished finished = place.gpupost(with({"mips", "in.exr", "-o", "refused.exr"}, words));
    CHECK(finished.exit_code == 1);
    CHECK(is_one_error(finished.err));
  }
}

DEVICE_TEST_CASE(
    "luminance leaves one channel Y, in floats where nothing else is asked for, and what is beside the color behind") {
  const TestFolder place;
  done(place, {"luminance", "--tile", "8", "in.exr", "-o", "out.exr", "--verify"});
  const Picture made = decoded(place, "out.exr");
  CHECK(made.size() == Size{5, 3});
  REQUIRE(made.groups.size() == 1);
  CHECK(made.groups[0].is_luminance);
  CHECK(made.groups[0].channels[0].name == "Y");
  CHECK(made.groups[0].channels[0].depth == Depth::f32);
  CHECK(!made.groups[0].has_alpha());
  done(place, {"luminance", "in.exr", "--bits", "16f", "-o", "half.exr"});
  CHECK(decoded(place, "half.exr").groups[0].channels[0].depth == Depth::half);
  done(place, {"luminance", "in.png", "-o", "out.png"});
  CHECK(decoded(place, "out.png").groups[0].is_luminance);
  const Finished finished = done(place, {"luminance", "depth.exr", "-o", "alone.exr"});
  CHECK(finished.err.find("`luminance` drops other channels: Z id") != std::string::npos);
  CHECK(decoded(place, "alone.exr").groups.size() == 1);
}

DEVICE_TEST_CASE(
    "what local gamma encodes is not encoded again in a PNG, and comes decoded in an EXR and in linear integers") {
  for (const char* name : {"float.exr", "in.exr"}) {
    const TestFolder place;
    done(place, {"localgamma", name, "--bits", "8", "-o", "out.png"});
    done(place, {"localgamma", name, "--bits", "16", "--transfer", "linear", "-o", "linear.png"});
    done(place, {"localgamma", name, "-o", "out.exr"});
    const Picture light = decoded(place, name), exr = decoded(place, "out.exr");
    const Picture png = decoded(place, "out.png"), linear = decoded(place, "linear.png");
    const auto straight = [](const Picture& picture, size_t index) {
      const Group& group = picture.groups[0];
      const auto at = [&](size_t i) {
        return group.depth == Depth::half ? double(float_from_half(group.levels[0].texels.as<uint16_t>()[i]))
                                          : double(group.levels[0].texels.as<float>()[i]);
      };
      return group.has_alpha() ? at(index) / at(index / 4 * 4 + 3) : at(index);
    };
    for (size_t first = 0; first < 4 * texel_count(light.size()); first += 4) {
      const double luminance = 0.2126390059 * straight(light, first) + 0.7151686788 * straight(light, first + 1) +
                               0.0721923154 * straight(light, first + 2);
      const double exponent = 0.444 + 0.045 * std::log(std::clamp(luminance, 0.0, 1.0) + 0.6034);
      for (size_t c = first; c < first + 3; ++c) {
        const double encoded = std::pow(std::max(0.0, straight(light, c)), exponent), shown = std::min(encoded, 1.0);
        CHECK(std::abs(shown * 255 - png.groups[0].levels[0].texels.as<uint8_t>()[c]) < 0.7);
        CHECK(std::abs(srgb_decode(shown) - linear.groups[0].levels[0].texels.as<uint16_t>()[c] / 65535.0) < 2e-3);
        CHECK(srgb_encode(straight(exr, c)) == doctest::Approx(encoded).epsilon(2e-3));
      }
    }
  }
}

DEVICE_TEST_CASE("an op on light behind local gamma is refused, one that moves texels is not") {
  const TestFolder place;
  done(place, {"localgamma", "flip", "x", "in.exr", "-o", "out.png"});
  const Finished finished =
      place.gpupost({"localgamma", "flip", "x", "blur", "--radius", "1", "in.exr", "-o", "out.png"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err ==
        "gpupost: localgamma: the result is encoded for display, and `blur` needs linear light; put `blur` before "
        "localgamma\n");
}

DEVICE_TEST_CASE("what halves clamp is warned of with its count: in the result, and between ops alone") {
  const TestFolder place;
  const auto warning = [&](const Words& words, const Words& more) {
    const std::string err = done(place, with(words, more)).err;
    return err.find("half storage") == err.npos ? std::string() : err;
  };
  const std::string expected =
      "number of values too large for half storage that were clamped between ops or in the result: ";
  const Words bright{"exposure", "--stops", "18", "in.exr", "-o", "bright.exr"};
  CHECK(warning(bright, {}).find(expected) != std::string::npos);
  CHECK(warning({"flip", "x", "bright.exr", "-o", "flipped.exr"}, {}) == "");  // its input has them
  done(place, {"channels", "--list", "40000,0,0", "crop", "--window", "1x1+0+0", "in.exr", "-o", "one.exr"});
  CHECK(warning({"gain", "--value", "2", "one.exr", "-o", "out.exr"}, {})
            .find(expected + "1; keep them with --storage fp32") != std::string::npos);
  const Words there_and_back{"exposure", "--stops", "18",  "blur",   "--radius", "1",
                             "exposure", "--stops", "-18", "in.exr", "-o",       "out.exr"};
  CHECK(warning(there_and_back, {}).find(expected) != std::string::npos);
  CHECK(warning(there_and_back, {"--verify"}).find(expected) != std::string::npos);
  CHECK(warning(there_and_back, {"--tile-side", "16"}).find(expected) != std::string::npos);
  CHECK(warning(there_and_back, {"--storage", "fp32"}) == "");
  CHECK(warning({"exposure", "--stops", "1", "in.exr", "-o", "out.exr"}, {}) == "");
}

DEVICE_TEST_CASE("curves whose published terms cancel near white keep their digits there") {
  const TestFolder place;
  const std::string noise = std::filesystem::absolute("testdata/noise_257x129.exr").string();
  for (const char* curve : {"agx", "agx-filament"})
    done(place, {"exposure", "--stops", "3", "tonemap", "--curve", curve, "--fit", "--storage", "fp32", noise, "-o",
                 "out.exr", "--verify"});
}

DEVICE_TEST_CASE("an image without alpha is opaque between the ops of a chain, as it is in its file") {
  const TestFolder place;
  done(place, {"depth.exr", "channels", "--list", "R,G,B", "-o", "rgb.exr", "--bits", "32f"});
  const Words add{"offset", "--value", "0.5"};
  for (const Words& op : {Words{"rotate", "--degrees", "20"}, Words{"blur", "--radius", "9", "--border", "black"}}) {
    const Words first = with({"rgb.exr"}, op);
    done(place, with(with(first, add), {"-o", "chain.exr", "--bits", "32f", "--verify"}));
    done(place, with(first, {"-o", "first.exr", "--bits", "32f"}));
    done(place, {"first.exr", "offset", "--value", "0.5", "-o", "second.exr", "--bits", "32f"});
    INFO(op.front());
    const Finished compared = place.gpupost({"compare", "chain.exr", "second.exr", "--tolerance", "1e-5"});
    CHECK_MESSAGE(compared.exit_code == 0, compared.out);
  }
}

DEVICE_TEST_CASE("attributes that say nothing are dropped without a warning") {
  const TestFolder place;
  for (const Words& op : {Words{"transpose"}, {"rotate", "90"}, {"rotate", "--degrees", "30"}}) {
    const Finished finished = place.gpupost(with(op, {"in.exr", "-o", "out.exr"}));
    CHECK(finished.exit_code == 0);
    CHECK_MESSAGE(finished.err.find("no longer match") == std::string::npos, finished.err);
  }
}
