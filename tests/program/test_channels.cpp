// Pictures that have not all of R, G and B, and chains that need or make them.
#include "core/codec/codec.h"
#include "core/image/primaries.h"
#include "tests/program/test_folder.h"
#include "tests/support/json.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Numbers of 0 to 1 in those of R, G, B and A that have a name, or all alike where only Y has one.
Picture picture_of(std::array<std::string, 4> names, Depth depth) {
  const bool is_gray = names[0].ends_with('Y');
  const Size size{19, 11};
  std::array<Channel, 4> channels;
  for (size_t c = 0; c < 4; ++c)
    if (!names[c].empty()) channels[c] = {names[c], depth};
  Group group = made_group(channels, depth, size, 1, [&](int x, int y, size_t c, int) {
    if (c == 3) return depth == Depth::half ? bits_of_half(1) : 255u;
    if (names[c].empty() && !is_gray) return 0u;
    const uint32_t number = 20 + hash_of(uint32_t(x), uint32_t(y), 0, 0) % 200;
    return depth == Depth::half ? bits_of_half(float(number) / 255) : number;
  });
  group.is_luminance = is_gray;
  Picture picture = color_picture_of(std::move(group));
  if (depth == Depth::u8) picture.transfer = Transfer::srgb;
  if (depth == Depth::u8) picture.alpha = Alpha::straight;
  return picture;
}

std::string names_of(const Picture& picture) {
  std::string names;
  for (const Channel& channel : picture.groups[0].channels) names += channel.name;
  return names;
}

// Runs a chain on a file, and gives what it has written.
Picture result_of(const TestFolder& place, const Words& words, const std::string& input, const std::string& output) {
  const bool has_reference = words.front() != "point";
  const Finished finished =
      place.gpupost(with(words, with({input, "-o", output}, has_reference ? Words{"--verify"} : Words{})));
  INFO(finished.err);
  REQUIRE(finished.exit_code == 0);
  return decoded(place, output);
}

const std::vector<Words> coloring = {{"channels", "--list", "R,0.25,0.75"},
                                     {"matrix", "--rows", "0,0,0,1,0,0,0,0,0"},
                                     {"gain", "--green", "0", "mips"},
                                     {"tonemap", "--curve", "agx", "--look", "golden"},
                                     {"pad", "--size", "60x40", "--color", "1,0,0"},
                                     {"resize", "--fit", "64x64", "--pad", "0,1,0"}};

const std::vector<Words> keeping = {{"exposure", "--stops", "1", "blur", "--radius", "2"},
                                    {"tonemap", "--curve", "reinhard"},
                                    {"tonemap", "--curve", "hill"},
                                    {"saturation", "--factor", "2"},
                                    {"tonemap", "--curve", "drago", "invert"},
                                    {"pad", "--size", "60x40", "--color", "0.5,0.5,0.5"},
                                    {"bloom", "mips"}};

}  // namespace

DEVICE_TEST_CASE("a chain that makes color of a gray picture gives what it gives of the same picture in R, G and B") {
  const TestFolder place;
  for (const std::string type : {"png", "exr"}) {
    const Depth depth = type == "png" ? Depth::u8 : Depth::half;
    write_picture(place, "gray." + type, picture_of({"Y", "", "", ""}, depth));
    write_picture(place, "rgb." + type, picture_of({"R", "G", "B", ""}, depth));
    for (const Words& words : coloring) {
      if (type == "png" && words.back() == "mips") continue;
      const Picture of_gray = result_of(place, words, "gray." + type, "of_gray." + type);
      const Picture of_rgb = result_of(place, words, "rgb." + type, "of_rgb." + type);
      INFO(type, " ", std::string(words[0]), " ", std::string(words[2]));
      CHECK(names_of(of_gray) == "RGB");
      CHECK(std::ranges::equal(of_gray.groups[0].levels[0].texels.bytes(), of_rgb.groups[0].levels[0].texels.bytes()));
    }
  }
}

DEVICE_TEST_CASE("a gray picture that is converted to CIE XYZ gets three channels") {
  const TestFolder place;
  write_picture(place, "gray.exr", picture_of({"Y", "", "", ""}, Depth::half));
  const Words to_xyz{"--output-primaries", "1,0,0,1,0,0,0.333333,0.333333", "--bits", "32f"};
  check_done(place, {"gray.exr", "matrix", "--named", "rec709-to-xyz", "--bits", "32f", "-o", "named.exr"});
  for (const Words& words : {Words{}, {"exposure", "--stops", "0"}}) {
    check_done(place, with(with({"gray.exr"}, words), with(to_xyz, {"-o", "xyz.exr"})));
    CHECK(names_of(decoded(place, "xyz.exr")) == "RGB");
    check_same(place, "named.exr", "xyz.exr", {"--tolerance", "0.001"});
  }
}

DEVICE_TEST_CASE("a gray picture of which a chain makes no color stays gray, in halves and in floats") {
  const TestFolder place;
  write_picture(place, "gray.exr", picture_of({"Y", "", "", ""}, Depth::half));
  for (const Words& words : keeping)
    for (const char* storage : {"fp16", "fp32"}) {
      INFO(std::string(words.back()), " ", std::string(storage));
      CHECK(names_of(result_of(place, with(words, {"--storage", storage}), "gray.exr", "out.exr")) == "Y");
    }
}

DEVICE_TEST_CASE("channels that an EXR has not are in the result where a chain makes them, beside those that it has") {
  const TestFolder place;
  write_picture(place, "r.exr", picture_of({"R", "", "", ""}, Depth::half));
  write_picture(place, "rg.exr", picture_of({"R", "G", "", ""}, Depth::half));
  CHECK(names_of(result_of(place, {"channels", "--list", "R,R,R"}, "r.exr", "out.exr")) == "RGB");
  CHECK(names_of(result_of(place, {"offset", "--blue", "0.5"}, "r.exr", "out.exr")) == "RB");
  CHECK(names_of(result_of(place, {"channels", "--list", "R,G,G,0.5"}, "rg.exr", "out.exr")) == "RGBA");
  for (const Words& words : keeping) {
    if (words[0] == "saturation" || words.back() == "hill") continue;  // these mix R into G and B
    INFO(std::string(words.back()));
    const bool fills_blue = words[0] == "pad" || words.back() == "invert";
    CHECK(names_of(result_of(place, words, "rg.exr", "out.exr")) == (fills_blue ? "RGB" : "RG"));
  }
}

DEVICE_TEST_CASE("channels that an EXR has not are in the result where other primaries or a sheet make them") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "", ""}, Depth::half);
  write_picture(place, "rg.exr", picture);
  const auto names = [&](const Words& words) {
    const Finished finished = place.gpupost(with(words, {"-o", "out.exr"}));
    INFO(finished.err);
    REQUIRE(finished.exit_code == 0);
    return names_of(decoded(place, "out.exr"));
  };
  const Words sheet{"sheet", "rg.exr", "rg.exr", "rg.exr", "--gap", "0", "--columns", "2"};
  CHECK(names(sheet) == "RG");
  CHECK(names(with(sheet, {"--color", "0,0,1"})) == "RGB");
  set_primaries(picture, p3_d65);
  write_picture(place, "rg.exr", picture);
  CHECK(names({"rg.exr"}) == "RG");
  CHECK(names({"rg.exr", "--output-primaries", "rec2020"}) == "RGB");
  picture.groups.push_back(made_group({{{"d.R", Depth::f32}, {}, {}, {}}}, Depth::f32, picture.size(), 1,
                                      [](int, int, size_t, int) { return bits_of_float(0.5f); }));
  write_picture(place, "rg.exr", picture);
  CHECK(names({"tonemap", "--chroma", "ratio", "rg.exr"}) == "RGB");
  picture.groups[1] = made_group({{{"B", Depth::u32}, {}, {}, {}}}, Depth::u32, picture.size(), 1,
                                 [](int, int, size_t, int) { return 7u; });
  write_picture(place, "rg.exr", picture);
  CHECK(names({"rg.exr", "--output-primaries", "rec2020"}) == "RGB");
}

DEVICE_TEST_CASE("a gray frame gets R, G and B also if its values stay equal") {
  const TestFolder place;
  Picture black = picture_of({"Y", "", "", ""}, Depth::half);
  std::ranges::fill(black.groups[0].levels[0].texels.as<uint16_t>(), uint16_t(0));
  write_picture(place, "black.exr", black);
  for (const Words& words : {Words{"white-balance", "--kelvin", "3200"},
                             {"gain", "--red", "2"},
                             {"grade", "--slope", "1,1,0.5"},
                             {"bloom", "--tint", "1,0.5,0.25"}}) {
    INFO(std::string(words.front()));
    CHECK(names_of(result_of(place, words, "black.exr", "out.exr")) == "RGB");
  }
  CHECK(place.gpupost({"mips", "--normal", "black.exr", "-o", "out.exr"}).exit_code == 1);
  CHECK(place.gpupost({"gain", "--red", "2", "mips", "--normal", "black.exr", "-o", "out.exr"}).exit_code == 0);
}

DEVICE_TEST_CASE("a chain after luminance gives the same as two runs") {
  const TestFolder place;
  write_picture(place, "rgb.exr", picture_of({"R", "G", "B", ""}, Depth::half));
  const auto runs = [&](const Words& first, const Words& rest) {
    const Words bits{"--bits", "32f"};
    const Picture between = result_of(place, with(first, bits), "rgb.exr", "between.exr");
    return std::pair(result_of(place, with(with(first, rest), bits), "rgb.exr", "chain.exr"),
                     result_of(place, rest, "between.exr", "runs.exr"));
  };
  struct Case {
    Words first, rest;
    std::string names;
  };
  for (const auto& [first, rest, names] :
       {Case{{"luminance"}, {"gain", "--red", "2"}, "RGB"},
        Case{{"luminance"}, {"bloom", "--threshold", "0", "--tint", "1,0.5,0.1"}, "RGB"},
        Case{{"luminance"}, {"channels", "--list", "R,G=0,B,A=1"}, "RGBA"},
        Case{{"luminance"}, {"gain", "--value", "2"}, "Y"},
        Case{{"matrix", "--named", "rec709-to-xyz"}, {"luminance", "--tile", "4"}, "Y"},
        Case{{"gain", "--red", "2"}, {"luminance", "--tile", "4"}, "Y"}}) {
    INFO(std::string(first.front()), " ", std::string(rest.front()));
    const auto [chain, apart] = runs(first, rest);
    CHECK(names_of(chain) == names);
    CHECK(names_of(apart) == names);
    const auto a = chain.groups[0].levels[0].texels.as<float>(), b = apart.groups[0].levels[0].texels.as<float>();
    REQUIRE(a.size() == b.size());
    for (size_t index = 0; index < a.size(); ++index) CHECK(std::abs(a[index] - b[index]) < 1e-5);
  }
}

DEVICE_TEST_CASE("calls that give an image without alpha another alpha than 1 leave it opaque") {
  const TestFolder place;
  write_picture(place, "rgb.exr", picture_of({"R", "G", "B", ""}, Depth::half));
  write_picture(place, "rgba.exr", picture_of({"R", "G", "B", "A"}, Depth::half));
  result_of(place, {"channels", "--list", "R,G,B,2"}, "rgba.exr", "bright.exr");
  place.write("half.glsl", "//!point halved\nvec4 halved(vec4 c, halved_params p) { return 0.5 * c; }\n");
  for (const Words& first : {Words{"convolve", "--rows", "0,1,0,1,-4,1,0,1,0"},
                             {"convolve", "--rows", "0,-1,0,-1,6,-1,0,-1,0"},
                             {"point", "half.glsl"},
                             {"merge", "--with", "bright.exr", "--mode", "add"}}) {
    result_of(place, first, "rgb.exr", "between.exr");
    for (const Words& words :
         {Words{"invert"}, {"threshold"}, {"gamma", "--value", "2"}, {"channels", "--list", "A,A,A"}}) {
      INFO(std::string(first.back()), " ", std::string(words.front()));
      const Picture one = result_of(place, with(first, words), "rgb.exr", "chain.exr");
      const Picture two = result_of(place, words, "between.exr", "runs.exr");
      const auto a = one.groups[0].levels[0].texels.as<uint16_t>(), b = two.groups[0].levels[0].texels.as<uint16_t>();
      REQUIRE(a.size() == b.size());
      for (size_t index = 0; index < a.size(); ++index)
        CHECK(std::abs(float_from_half(a[index]) - float_from_half(b[index])) <= 0x1p-9);
    }
  }
}

DEVICE_TEST_CASE("channels takes R, G, B and A that are uint, in a layer too") {
  const TestFolder place;
  for (const std::string prefix : {"", "L."}) {
    Picture picture = picture_of({"", prefix + "G", prefix + "B", ""}, Depth::half);
    picture.groups.push_back(made_group({{{prefix + "A", Depth::u32}, {prefix + "R", Depth::u32}, {}, {}}}, Depth::u32,
                                        picture.size(), 1,
                                        [](int x, int, size_t c, int) { return uint32_t(x) + 100 * uint32_t(c); }));
    write_picture(place, "uint.exr", picture);
    const Words layer = prefix.empty() ? Words{} : Words{"--layer", "L"};
    const auto check_texel = [&](const std::string& list, const std::array<float, 4>& expected) {
      result_of(place, with(layer, {"channels", "--list", list}), "uint.exr", "out.exr");
      const Picture made =
          decode_file(place.path("out.exr"), {.layer = prefix.empty() ? "" : "L", .limits = {}}).picture;
      REQUIRE(made.groups[0].depth == Depth::f32);
      const auto texel = made.groups[0].levels[0].texels.as<float>().subspan(4 * 7, 4);
      CHECK_MESSAGE(std::ranges::equal(texel, expected), prefix, list);
    };
    const float green = float_from_half(picture.groups[0].levels[0].texels.as<uint16_t>()[4 * 7 + 1]);
    check_texel("R,R,R", {107, 107, 107, 1});
    check_texel("R,G,0,A", {107, green, 0, 7});
    check_texel("R,G,0,0.5", {107, green, 0, 0.5f});
  }
}

DEVICE_TEST_CASE("multiView and Cryptomatte attributes go with channels that become the color") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "B", ""}, Depth::half);
  for (const std::array<std::string, 4>& names :
       {std::array<std::string, 4>{"right.R", "right.G", "right.B"}, {"Ids00.R", "Ids00.G", "Ids00.B", "Ids00.A"}}) {
    const bool is_of_view = names[3].empty();
    std::array<Channel, 4> channels;
    for (size_t c = 0; c < 4; ++c)
      if (!names[c].empty()) channels[c] = {names[c], is_of_view ? Depth::half : Depth::f32};
    picture.groups.push_back(
        made_group(channels, channels[0].depth, picture.size(), 1, [](int, int, size_t, int) { return 0u; }));
  }
  const std::string views("\4\0\0\0left\5\0\0\0right", 17), ids = "Ids";
  picture.attributes = {{"multiView", "stringvector", {views.begin(), views.end()}},
                        {"cryptomatte/0a1b2c3/name", "string", {ids.begin(), ids.end()}}};
  write_picture(place, "in.exr", picture);
  for (const auto& [list, lost] : {std::pair("right.R,right.G,right.B", "multiView"),
                                   {"Ids00.R,Ids00.G,Ids00.B,Ids00.A", "cryptomatte/0a1b2c3/name"}}) {
    const Finished finished = place.gpupost({"in.exr", "channels", "--list", list, "-o", "out.exr"});
    CHECK(finished.exit_code == 0);
    CHECK_MESSAGE(
        finished.err.find(fmt::format("no longer match the image are dropped: {}", lost)) != finished.err.npos,
        finished.err);
    CHECK(std::ranges::count(decoded(place, "out.exr").attributes, lost, &Attribute::name) == 0);
  }
}

DEVICE_TEST_CASE("channels of half that the image stores beside a float are written as half") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "B", ""}, Depth::half);
  const std::array<Channel, 4> mixed{{{"d.R", Depth::half}, {"d.G", Depth::half}, {"d.B", Depth::half}, {"Z"}}};
  picture.groups.push_back(made_group(mixed, Depth::f32, picture.size(), 1, [](int, int, size_t, int) { return 0u; }));
  write_picture(place, "mixed.exr", picture);
  const std::array<Channel, 4> of_two_types{{{"R", Depth::f32}, {"G", Depth::half}, {"B", Depth::half}}};
  write_picture(place, "two.exr",
                color_picture_of(made_group(of_two_types, Depth::f32, picture.size(), 1,
                                            [](int, int, size_t, int) { return 0x47c35000u; })));  // 100,000
  for (const Words& chain :
       {Words{"channels", "--list", "B,G,R"}, {"exposure", "--stops", "0", "channels", "--list", "B,G,R"}}) {
    const Picture turned = result_of(place, chain, "two.exr", "turned.exr");
    CHECK(turned.groups[0].channels[2].depth == Depth::f32);
    CHECK(turned.groups[0].levels[0].texels.as<float>()[2] == 100000);
  }
  const std::array<Channel, 4> gray_with_alpha{{{"Y", Depth::f32}, {}, {}, {"A", Depth::half}}};
  Picture gray = color_picture_of(
      made_group(gray_with_alpha, Depth::f32, picture.size(), 1, [](int, int, size_t, int) { return 0x47c35000u; }));
  gray.groups[0].is_luminance = true;
  write_picture(place, "gray.exr", gray);
  CHECK(result_of(place, {"channels", "--list", "A,G,B,G"}, "gray.exr", "out.exr")
            .groups[0]
            .levels[0]
            .texels.as<float>()[1] == 100000);
  // each channel has the type of its source
  const std::array<Channel, 4> with_float_alpha{
      {{"R", Depth::half}, {"G", Depth::half}, {"B", Depth::half}, {"A", Depth::f32}}};
  write_picture(place, "matte.exr",
                color_picture_of(made_group(with_float_alpha, Depth::f32, picture.size(), 1,
                                            [](int, int, size_t, int) { return 0x3f000000u; })));
  using Depths = std::vector<Depth>;
  const auto depths_of = [&](const Words& chain, const std::string& input) {
    Depths depths;
    for (const Channel& channel : result_of(place, chain, input, "out.exr").groups[0].channels)
      if (!channel.name.empty()) depths.push_back(channel.depth);
    return depths;
  };
  constexpr Depth half = Depth::half, f32 = Depth::f32;
  CHECK(depths_of({"channels", "--list", "R,G,B,A"}, "matte.exr") == Depths{half, half, half, f32});
  CHECK(depths_of({"channels", "--list", "A,G,B,R"}, "matte.exr") == Depths{f32, half, half, half});
  CHECK(depths_of({"channels", "--list", "B,G,A", "channels", "--list", "B,R,0.5"}, "matte.exr") ==
        Depths{f32, half, f32});
  CHECK(depths_of({"channels", "--list", "R,G,B"}, "matte.exr") == Depths{half, half, half});
  CHECK(depths_of({"channels", "--list", "A,G,B"}, "in.exr") == Depths{half, half, half});
  CHECK(depths_of({"channels", "--list", "d.R,Z,d.B", "channels", "--list", "B,G,R"}, "mixed.exr") ==
        Depths{half, f32, half});
  const std::array<Channel, 4> with_float_green{{{"R", Depth::half}, {"G", Depth::f32}, {"B", Depth::half}}};
  write_picture(place, "green.exr",
                color_picture_of(made_group(with_float_green, Depth::f32, picture.size(), 1,
                                            [](int, int, size_t c, int) { return c == 1 ? 0x47c35000u : 0u; })));
  CHECK(result_of(place, {"channels", "--list", "R,G,B,G"}, "green.exr", "out.exr")
            .groups[0]
            .levels[0]
            .texels.as<float>()[3] == 100000);
  const auto depth_of = [&](const std::string& list) {
    return result_of(place, {"channels", "--list", list}, "mixed.exr", "out.exr").groups[0].depth;
  };
  CHECK(depth_of("d.R,d.G,d.B") == Depth::half);
  CHECK(depth_of("d.R,d.G,Z") == Depth::f32);
}

DEVICE_TEST_CASE("ids that a float rounds are warned of where they become a color") {
  const TestFolder place;
  for (const uint32_t first : {uint32_t(16777200), uint32_t(16777210)}) {
    Picture picture = picture_of({"R", "G", "B", ""}, Depth::half);
    picture.groups.push_back(made_group({{{"id", Depth::u32}, {}, {}, {}}}, Depth::u32, picture.size(), 1,
                                        [=](int x, int, size_t, int) { return first + uint32_t(x) % 10; }));
    write_picture(place, "ids.exr", picture);
    const Finished finished = place.gpupost({"ids.exr", "channels", "--list", "id,id,id", "-o", "out.exr"});
    CHECK(finished.exit_code == 0);
    const bool is_warned = finished.err.find("values above 2^24 of id are rounded") != std::string::npos;
    CHECK(is_warned == (first + 9 > 16777216));
  }
}

DEVICE_TEST_CASE("a note says that uint colors are not filtered, and none is given for ids") {
  const TestFolder place;
  const auto notes_for = [&](std::array<Channel, 4> channels) {
    const auto column = [](int x, int, size_t, int) { return uint32_t(x); };
    write_picture(place, "uint.exr", picture_of(made_group(channels, Depth::u32, {19, 11}, 1, column)));
    const Finished finished = place.gpupost({"resize", "--size", "50%", "flip", "x", "uint.exr", "-o", "out.exr"});
    CHECK(finished.exit_code == 0);
    return finished.err;
  };
  CHECK(notes_for({{{"B", Depth::u32}, {"G", Depth::u32}, {"R", Depth::u32}}}) ==
        "gpupost: note: uint.exr: channels B G R are uint, so `resize --size 50%` takes the nearest texel\n");
  CHECK(notes_for({{{"id", Depth::u32}}}) == "");
}

DEVICE_TEST_CASE("pictures of an array have the channels that any of them has") {
  const TestFolder place;
  write_picture(place, "gray.png", picture_of({"Y", "", "", ""}, Depth::u8));
  Picture black = picture_of({"Y", "", "", ""}, Depth::u8);
  for (uint8_t& number : black.groups[0].levels[0].texels.as<uint8_t>()) number = 0;
  write_picture(place, "black.png", black);
  for (const Words& order : {Words{"black.png", "gray.png"}, Words{"gray.png", "black.png"}}) {
    const Finished finished = place.gpupost(
        {"gain", "--green", "0", order[0], order[1], "--assemble", "array", "-o", "out.dds", "--transfer", "linear"});
    INFO(finished.err);
    REQUIRE(finished.exit_code == 0);
    const std::string bytes = place.read("out.dds");
    CHECK(bytes.size() == 148 + 2 * 4 * 19 * 11);  // R, G, B and A of both
  }
}

DEVICE_TEST_CASE("ops on color are refused where a picture has none, and --layer is pointed to") {
  const TestFolder place;
  Picture picture = picture_of({"diff.R", "diff.G", "diff.B", "id"}, Depth::half);
  picture.groups[0].is_color = false;
  write_picture(place, "layers_alone.exr", picture);
  picture = picture_of({"Z", "", "", ""}, Depth::half);
  picture.groups[0].is_color = false;
  write_picture(place, "z.exr", picture);
  const std::string expected = ": the image has no color; expected float channels R, G and B, or Y";
  for (const Words& words : {Words{"exposure", "--stops", "3"},
                             {"luminance"},
                             {"gamma"},
                             {"mips", "--coverage", "0.5"},
                             {"mips", "--normal"}})
    for (const Words& more : {Words{"-o", "out.exr"}, {"--explain"}})
      for (const std::string name : {"layers_alone.exr", "z.exr"}) {
        Words all = words;
        all.push_back(name);
        all.insert(all.end(), more.begin(), more.end());
        const std::string layer = name == "z.exr" ? "" : ", or --layer with one of diff";
        const Finished finished = place.gpupost(all);
        CHECK(finished.exit_code == 1);
        CHECK(finished.err == fmt::format("gpupost: {}{}{}\n", fmt::join(words, " "), expected, layer));
      }
  const Finished layer = place.gpupost({"gamma", "--value", "2", "layers_alone.exr", "--layer", "diff", "-o", "o.exr"});
  CHECK(layer.exit_code == 0);
}

DEVICE_TEST_CASE(
    "where other layers have colors, what a chain makes in Rec. 709 is of the file's own primaries again") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "B", ""}, Depth::half);
  for (size_t index = 0; index < texel_count(picture.size()); ++index)  // no gray, which would be the same in all
    picture.groups[0].levels[0].texels.as<uint16_t>()[4 * index + 1] = uint16_t(bits_of_half(0.5f));
  const std::array<float, 8> rec2020{0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f};
  const auto* bytes = reinterpret_cast<const uint8_t*>(rec2020.data());
  picture.attributes = {{.name = "chromaticities", .type = "chromaticities", .value = {bytes, bytes + 32}}};
  Picture layer = picture_of({"spec.R", "spec.G", "spec.B", ""}, Depth::half);
  layer.groups[0].is_color = false;
  picture.groups.push_back(std::move(layer.groups[0]));
  write_picture(place, "wide.exr", picture);
  const Picture made = result_of(place, {"saturation", "--factor", "1"}, "wide.exr", "out.exr");
  const auto found = std::ranges::find(made.attributes, "chromaticities", &Attribute::name);
  REQUIRE(found != made.attributes.end());
  CHECK(found->value == picture.attributes[0].value);
  for (size_t group = 0; group < 2; ++group)
    for (size_t index = 0; index < 4 * texel_count(picture.size()); ++index) {
      if (index % 4 == 3) continue;
      const double before = double(float_from_half(picture.groups[group].levels[0].texels.as<uint16_t>()[index]));
      const double after = double(float_from_half(made.groups[group].levels[0].texels.as<uint16_t>()[index]));
      CHECK(std::abs(after - before) <= (group == 0 ? 0.004 : 0.0));
    }
}

TEST_CASE("a warning says that the chromaticities of --output-primaries do not fit the colors of other layers") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "B", ""}, Depth::half),
          layer = picture_of({"spec.R", "spec.G", "spec.B", ""}, Depth::half);
  layer.groups[0].is_color = false;
  picture.groups.push_back(std::move(layer.groups[0]));
  write_picture(place, "layered.exr", picture);
  const Finished finished = place.gpupost({"layered.exr", "-o", "out.exr", "--output-primaries", "ap1"});
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(
      finished.err.find("chromaticities are those that the chain or --output-primaries sets") != finished.err.npos,
      finished.err);
}

DEVICE_TEST_CASE("flips, crops and shifts keep the color of what is transparent, before mips too") {
  const TestFolder place;
  for (const bool is_gray : {false, true}) {
    Picture picture = is_gray ? picture_of({"Y", "", "", "A"}, Depth::u8) : picture_of({"R", "G", "B", "A"}, Depth::u8);
    Group& color = picture.groups[0];
    const std::span<uint8_t> numbers = color.levels[0].texels.as<uint8_t>();
    for (size_t index = 0; index < numbers.size(); index += 4) numbers[index + 3] = uint8_t(index % 3 * 100);
    write_picture(place, "in.png", picture);
    CHECK(decoded(place, "in.png").groups[0].has_alpha());
    const auto at = [](const Picture& of, int x, int y) {
      const uint8_t* texel = of.groups[0].levels[0].texels.as<uint8_t>().data() + 4 * (y * of.size().width + x);
      return std::array<uint8_t, 4>{texel[0], texel[1], texel[2], texel[3]};
    };
    const Picture flipped = result_of(place, {"flip", "x"}, "in.png", "flipped.png");
    const Picture cut = result_of(place, {"flip", "y", "crop", "--window", "9x7+3+2"}, "in.png", "cut.png");
    const Picture moved = result_of(place, {"shift", "--x", "4"}, "in.png", "moved.png");
    for (int y = 0; y < 11; ++y)
      for (int x = 4; x < 19; ++x) CHECK(at(moved, x, y) == at(picture, x - 4, y));
    for (int y = 0; y < 11; ++y)
      for (int x = 0; x < 19; ++x) CHECK(at(flipped, 18 - x, y) == at(picture, x, y));
    for (int y = 0; y < 7; ++y)
      for (int x = 0; x < 9; ++x) CHECK(at(cut, x, y) == at(picture, x + 3, 10 - (y + 2)));
    const Finished mipped = place.gpupost({"flip", "x", "mips", "in.png", "-o", "mip.{level}.png", "--verify"});
    CHECK(mipped.exit_code == 0);
    CHECK(place.read("mip.0.png") == place.read("flipped.png"));
  }
}

DEVICE_TEST_CASE("stats measures R, G and B of a gray picture of which a chain has made color, and else Y") {
  const TestFolder place;
  write_picture(place, "gray.png", picture_of({"Y", "", "", ""}, Depth::u8));
  const auto names = [&](const Words& words) {
    const nlohmann::json told = parse_json(place.gpupost(words).out);
    std::string made;
    for (const nlohmann::json& channel : told["channels"]) made += channel["name"].get<std::string>();
    return made;
  };
  CHECK(names({"gain", "--green", "0", "stats", "gray.png"}) == "RGB");
  CHECK(names({"stats", "gain", "--green", "0", "gray.png", "-o", "out.png"}) == "Y");
}

DEVICE_TEST_CASE("a channel beside the color gives way to one of its name that a chain makes, with a warning") {
  const TestFolder place;
  const auto write_with = [&](const char* name, std::array<std::string, 4> colors, const Channel& other) {
    Picture picture = picture_of(colors, Depth::half);
    picture.groups.push_back(made_group({{other, {}, {}, {}}}, other.depth, {19, 11}, 1,
                                        [](int x, int, size_t, int) { return uint32_t(x); }));
    write_picture(place, name, picture);
  };
  const auto check_made = [&](const Words& words, const std::string& input, const std::string& names,
                              const std::string& lost) {
    const Finished finished = place.gpupost(with(words, {input, "-o", "out.exr"}));
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == (lost.empty() ? ""
                                        : fmt::format("gpupost: warning: {}: the result has channels named {}; "
                                                      "channels of the input with these names are dropped\n",
                                                      input, lost)));
    const Picture made = decoded(place, "out.exr");
    CHECK(names_of(made) == names);
    CHECK(made.groups.size() == (lost.empty() ? 2 : 1));
  };
  write_with("numbers.exr", {"", "G", "B", ""}, {"R", Depth::u32});
  check_made({"exposure", "--stops", "1", "channels", "--list", "G,G,B"}, "numbers.exr", "RGB", "R");
  check_made({"exposure", "--stops", "1"}, "numbers.exr", "GB", "");
  const Finished png = place.gpupost({"numbers.exr", "-o", "out.png"});
  CHECK(png.exit_code == 0);
  CHECK(png.err.find("warning: numbers.exr: png holds only color and alpha; dropped channels: R\n") != png.err.npos);
  write_with("masked.exr", {"R", "G", "B", ""}, {"A", Depth::u32});
  check_made({"exposure", "--stops", "1", "channels", "--list", "R,G,B,0.5"}, "masked.exr", "RGBA", "A");
  CHECK(place.gpupost({"masked.exr", "channels", "--list", "R,G,B,0.5", "--explain"})
            .out.ends_with("\nchannels A are dropped\n"));
}

DEVICE_TEST_CASE("channels that --list drops beside the channels it takes by name are named once") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "B", "A"}, Depth::half);
  for (const std::array<std::string, 4>& names : {std::array<std::string, 4>{"Z", "", "", ""}, {"N.X", "N.Y", "N.Z"}}) {
    Picture other = picture_of(names, Depth::half);
    other.groups[0].is_color = false;
    picture.groups.push_back(std::move(other.groups[0]));
  }
  write_picture(place, "all.exr", picture);
  const auto check_told = [&](Words words, const std::string& input, const std::string& lost,
                              const std::string& moved) {
    words.insert(words.begin(), "channels");
    words.push_back(input);
    const Finished finished = place.gpupost(words);
    INFO(fmt::format("{}", fmt::join(words, " ")));
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == (lost.empty()
                               ? ""
                               : fmt::format("gpupost: warning: {}: channels of the input that --list does not "
                                             "name are dropped: {}; moved to the color: {}\n",
                                             input, lost, moved)));
  };
  check_told({"--list", "Z,Z,Z", "-o", "out.exr"}, "all.exr", "R, G, B, A", "Z");
  check_told({"--list", "R,G,B,Z", "-o", "out.exr"}, "all.exr", "A", "Z");
  check_told({"--list", "N.X,N.Y,0.5", "-o", "out.exr"}, "all.exr", "R, G, B, A", "N.X, N.Y");
  check_told({"--list", "R,G,B", "-o", "out.exr"}, "all.exr", "", "");
  check_told({"--list", "Z,Z,Z", "stats"}, "all.exr", "", "");
  check_told({"--list", "R,G,B,Z", "-o", "out.exr"}, "depth.exr", "", "");
  picture = picture_of({"Y", "", "", "A"}, Depth::half);
  Picture other = picture_of({"Z", "", "", ""}, Depth::half);
  other.groups[0].is_color = false;
  picture.groups.push_back(std::move(other.groups[0]));
  write_picture(place, "gray.exr", picture);
  check_told({"--list", "R,G,B,Z", "-o", "out.exr"}, "gray.exr", "A", "Z");
}

DEVICE_TEST_CASE("channels drops R, G, B and A that --list does not name also if they are uint") {
  const TestFolder place;
  for (const std::string prefix : {"", "L."}) {
    Picture picture = picture_of({prefix + "R", prefix + "G", prefix + "B", ""}, Depth::half);
    picture.groups.push_back(made_group({{{prefix + "A", Depth::u32}, {prefix + "id", Depth::u32}, {}, {}}}, Depth::u32,
                                        picture.size(), 1, [](int x, int, size_t, int) { return uint32_t(x); }));
    write_picture(place, "in.exr", picture);
    const auto check_result = [&](const std::string& list, const std::string& lost,
                                  const std::vector<std::string>& expected) {
      Words words{"channels", "--list", list, "in.exr", "-o", "out.exr"};
      if (!prefix.empty()) words = with(words, {"--layer", "L"});
      const Finished finished = place.gpupost(words);
      CHECK(finished.exit_code == 0);
      CHECK(finished.err ==
            fmt::format("gpupost: warning: in.exr: channels of the input that --list does not name are dropped: {}\n",
                        lost));
      std::vector<std::string> names;
      for (const Group& group : decoded(place, "out.exr").groups)
        for (const Channel& channel : group.channels)
          if (!channel.name.empty()) names.push_back(channel.name);
      std::ranges::sort(names);
      CHECK_MESSAGE(
          fmt::format("{}", fmt::join(names, " ")) == fmt::format("{0}{1}", prefix, fmt::join(expected, " " + prefix)),
          list);
    };
    check_result("R,G,B", prefix + "A", {"B", "G", "R", "id"});
    check_result("R,G,B,0.5", prefix + "A", {"A", "B", "G", "R", "id"});
    check_result(prefix + "id,0,0", fmt::format("{0}R, {0}G, {0}B, {0}A; moved to the color: {0}id", prefix),
                 {"B", "G", "R"});
  }
}

DEVICE_TEST_CASE("with --layer, channels taken by name become those of the layer, and the default layer stays") {
  const TestFolder place;
  Picture picture = picture_of({"R", "G", "B", "A"}, Depth::half);
  for (const std::array<std::string, 4>& names :
       {std::array<std::string, 4>{"Z", "", "", ""}, {"diff.R", "diff.G", "diff.B"}}) {
    Picture other = picture_of(names, Depth::half);
    other.groups[0].is_color = false;
    picture.groups.push_back(std::move(other.groups[0]));
  }
  write_picture(place, "layered.exr", picture);
  const auto names_in = [](const Picture& of) {
    std::vector<std::string> names;
    for (const Group& group : of.groups)
      for (const Channel& channel : group.channels)
        if (!channel.name.empty()) names.push_back(channel.name);
    return fmt::format("{}", fmt::join(names, " "));
  };
  const Picture made = result_of(place, {"--layer", "diff", "channels", "--list", "R,G,Z"}, "layered.exr", "out.exr");
  CHECK(names_in(made) == "R G B A diff.B diff.G diff.R");
  CHECK(std::ranges::equal(made.groups[0].levels[0].texels.bytes(), picture.groups[0].levels[0].texels.bytes()));
  const Picture with_alpha =
      result_of(place, {"--layer", "diff", "channels", "--list", "R,G,B,Z"}, "layered.exr", "out.exr");
  CHECK(names_in(with_alpha) == "R G B A diff.A diff.B diff.G diff.R");
}

DEVICE_TEST_CASE("channels are taken by any name that a file has, those of layers and of integers too") {
  const TestFolder place;
  const Picture named =
      result_of(place, {"channels", "--list", "diffuse.R,diffuse.G,diffuse.B"}, "layers.exr", "out.exr");
  const Picture layer = decode_file(place.path("layers.exr"), {.layer = "diffuse", .level = 0, .limits = {}}).picture;
  CHECK(names_of(named) == "RGB");
  CHECK(std::ranges::equal(named.groups[0].levels[0].texels.bytes(), layer.groups[0].levels[0].texels.bytes()));

  CHECK(place.gpupost({"layers.exr", "--layer", "diffuse", "--drop-channels", "-o", "alone.exr"}, no_driver).err == "");
  const Picture alone = decode_file(place.path("alone.exr"), {.layer = "diffuse", .limits = {}}).picture;
  CHECK(alone.groups.size() == 1);
  CHECK(names_of(alone) == "diffuse.Rdiffuse.Gdiffuse.B");
  CHECK(std::ranges::equal(alone.groups[0].levels[0].texels.bytes(), layer.groups[0].levels[0].texels.bytes()));

  CHECK(place.gpupost({"depth.exr", "blur", "--radius", "1", "--drop-channels", "--explain"})
            .out.ends_with("\nchannels Z id are dropped\n"));
  CHECK(place.gpupost({"depth.exr", "channels", "--list", "Z,Z,Z", "--explain"})
            .out.ends_with("\nchannels id stay as they are\nchannels R G B are dropped\n"));
  CHECK(place.gpupost({"no_color.exr", "--drop-channels", "-o", "x.exr"}, no_driver).exit_code != 0);
  CHECK(place.gpupost({"depth.exr", "blur", "--radius", "1", "--apply-to", "Z", "--drop-channels", "-o", "x.exr"})
            .exit_code == 1);

  const Picture from = decoded(place, "depth.exr");
  const Picture made = result_of(place, {"channels", "--list", "Z,0.5,id,R"}, "depth.exr", "out.exr");
  CHECK(names_of(made) == "RGBA");
  CHECK(made.groups.size() == 1);
  REQUIRE(made.groups[0].depth == Depth::f32);
  REQUIRE(from.groups[2].depth == Depth::u32);
  const auto numbers = made.groups[0].levels[0].texels.as<float>();
  for (size_t at = 0; at < numbers.size(); at += 4) {
    const float expected[] = {from.groups[1].levels[0].texels.as<float>()[at], 0.5f,
                              float(from.groups[2].levels[0].texels.as<uint32_t>()[at]),
                              float_from_half(from.groups[0].levels[0].texels.as<uint16_t>()[at])};
    REQUIRE(std::ranges::equal(numbers.subspan(at, 4), expected));
  }
  const Picture with_depth = result_of(place, {"channels", "--list", "R,G,B,Z"}, "depth.exr", "out.exr");
  CHECK(names_of(with_depth) == "RGBA");
  CHECK(with_depth.groups.at(1).channels[0].name == "id");
  CHECK(place.gpupost({"channels", "--list", "Z,Z,Z", "depth.exr", "--explain"}).exit_code == 0);
  CHECK(place.gpupost({"channels", "--list", "Z,Z,Z", "depth.exr", "-o", "z.png"}).exit_code == 0);
}

DEVICE_TEST_CASE("channels makes a color of channels named R, G, B or A that are no color") {
  const TestFolder place;
  REQUIRE(place
              .shell("oiiotool --pattern constant:color=0.25 4x3 1 --chnames A -d float -o matte.exr && "
                     "oiiotool --pattern constant:color=0.5,0.75 4x3 2 --chnames A,Z -d float -o two.exr")
              .exit_code == 0);
  const auto first_texel = [&](const char* list, const char* file) {
    const Picture made = result_of(place, {"channels", "--list", list}, file, "out.exr");
    const auto numbers = made.groups[0].levels[0].texels.as<float>();
    return std::vector<float>(numbers.begin(), numbers.begin() + 4);
  };
  CHECK(first_texel("A,A,A", "matte.exr") == std::vector{0.25f, 0.25f, 0.25f, 1.0f});
  CHECK(first_texel("0.5,A,0,A", "two.exr") == std::vector{0.5f, 0.5f, 0.0f, 0.5f});
  CHECK(first_texel("Z,A,A", "two.exr") == std::vector{0.75f, 0.5f, 0.5f, 1.0f});
  const Finished missing = place.gpupost({"channels", "--list", "R,A,A", "two.exr", "-o", "none.exr"});
  CHECK(missing.exit_code == 1);
  CHECK(missing.err.find("the image has no channel R; it has A, Z") != missing.err.npos);
}
