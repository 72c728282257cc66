// What files say of their colors, from input to output.
#include "tests/program/test_folder.h"

#include "core/base/half.h"
#include "core/codec/codec.h"
#include "core/image/primaries.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

double log_average(const TestFolder& place, const std::string& file) {
  const Finished finished = place.gpupost({file, "stats", "--quiet"});
  REQUIRE(finished.exit_code == 0);
  return parse_json(finished.out)["luminance"]["log_average"];
}

std::string text_of(const Picture& picture, const char* name) {
  const auto found = std::ranges::find(picture.attributes, name, &Attribute::name);
  return found == picture.attributes.end() ? "" : std::string(found->value.begin(), found->value.end());
}

void check_near(const TestFolder& place, const std::string& a, const std::string& b, const char* tolerance) {
  const Finished difference = place.gpupost({"compare", a, b, "--tolerance", tolerance});
  CHECK_MESSAGE(difference.exit_code == 0, difference.out, difference.err);
}

}  // namespace

DEVICE_TEST_CASE("automatic exposure of other primaries measures their light, as stats does") {
  const TestFolder place;
  check_done(place, {"rec2020.exr", "exposure", "--auto", "--storage", "fp32", "--bits", "32f", "-o", "auto.exr"});
  CHECK(log_average(place, "auto.exr") == doctest::Approx(0.18).epsilon(1e-4));
}

DEVICE_TEST_CASE("matrix --named leaves a file that says which primaries it has, and colors are converted once") {
  const TestFolder place;
  check_done(place, {"in.exr", "matrix", "--named", "rec709-to-rec2020", "--storage", "fp32", "--bits", "32f", "-o",
                     "2020.exr"});
  const auto made = other_primaries(decoded(place, "2020.exr"));
  REQUIRE(made.has_value());
  CHECK(are_same(*made, rec2020));
  check_done(place, {"in.exr", "-o", "in16.png", "--bits", "16"});
  check_done(place, {"2020.exr", "-o", "2020.png", "--bits", "16", "--output-primaries", "rec709"});
  check_near(place, "in16.png", "2020.png", "0.0001");
  // by the op, of a file that is tagged: not once more for the PNG
  check_done(place, {"2020.exr", "matrix", "--named", "rec2020-to-rec709", "--storage", "fp32", "-o", "once.png",
                     "--bits", "16"});
  check_near(place, "in16.png", "once.png", "0.0001");
  check_done(place,
             {"in.exr", "matrix", "--named", "rec709-to-xyz", "--storage", "fp32", "--bits", "32f", "-o", "xyz.exr"});
  check_done(place, {"xyz.exr", "-o", "xyz.png", "--bits", "16", "--output-primaries", "rec709"});
  check_near(place, "in16.png", "xyz.png", "0.0001");
  // back to Rec. 709, because KTX2 holds no other primaries
  for (const std::string input : {"in.exr", "2020.exr"})
    CHECK(
        place.gpupost({input, "channels", "--list", "R,G,B", "matrix", "--named", "rec709-to-rec2020", "-o", "x.ktx2"})
            .err.find("its colors were converted to Rec. 709 primaries") != std::string::npos);
}

DEVICE_TEST_CASE("a second image gets the primaries of the image, and normals are no colors") {
  const TestFolder place;
  const auto made = [&](const char* output, Words words) {
    words.insert(words.end(), {"--storage", "fp32", "--bits", "32f", "-o", output});
    check_done(place, words);
  };
  made("alone.exr", {"rec2020.exr", "guided"});
  made("itself.exr", {"rec2020.exr", "guided", "--guide", "rec2020.exr"});
  check_near(place, "alone.exr", "itself.exr", "0.00001");
  made("light.exr", {"rec2020.exr", "channels", "--list", "R,G,B", "clamp", "--min", "0.02", "--max", "1"});
  made("flat.exr",
       {"light.exr", "denoise", "--albedo", "light.exr", "--albedo-range", "100"});  // the light is 1 everywhere
  check_near(place, "light.exr", "flat.exr", "0.000001");
  check_done(place, {"rec2020.exr", "--input-primaries", "rec709", "-o", "untagged.exr"});
  const Finished integers = place.gpupost({"in.exr", "denoise", "--normals", "in.png", "-o", "none.exr"});
  CHECK(integers.exit_code == 1);
  CHECK(integers.err.find("in.png: holds integers; expected half or float") != integers.err.npos);
  made("a.exr", {"in.exr", "denoise", "--normals", "rec2020.exr"});
  made("b.exr", {"in.exr", "denoise", "--normals", "untagged.exr"});
  check_near(place, "a.exr", "b.exr", "0");
}

DEVICE_TEST_CASE("a second image without a default color takes its only layer with color") {
  const TestFolder place;
  const auto write_layers = [&](const char* name, const std::vector<std::string>& layers) {
    Picture made;
    for (const std::string& layer : layers) {
      Picture picture = decoded(place, "in.exr");
      Group& group = picture.groups[0];
      group.is_color = false;
      for (Channel& channel : group.channels)
        if (!channel.name.empty()) channel.name.insert(0, layer + ".");
      made.data_window = picture.data_window;
      made.display_window = picture.display_window;
      made.groups.push_back(std::move(group));
    }
    write_picture(place, name, made);
  };
  write_layers("one.exr", {"albedo"});
  write_layers("two.exr", {"albedo", "diffuse"});
  check_done(place, {"guided", "--guide", "in.exr", "in.exr", "-o", "a.exr"});
  check_done(place, {"guided", "--guide", "one.exr", "in.exr", "-o", "b.exr"});
  check_near(place, "a.exr", "b.exr", "0");
  CHECK(place.gpupost({"guided", "--guide", "two.exr", "in.exr", "-o", "c.exr"}).err ==
        "gpupost: two.exr: the image has no color; expected float channels R, G and B, or Y; write one of its layers "
        "albedo, diffuse to a file with --layer and --drop-channels\n");
}

DEVICE_TEST_CASE("a second image with straight alpha 0 everywhere gives a warning") {
  const TestFolder place;
  Picture picture = decoded(place, "in.png");
  const auto texels = picture.groups[0].levels[0].texels.as<uint8_t>();
  for (size_t i = 3; i < texels.size(); i += 4) texels[i] = 0;
  write_picture(place, "hidden.png", picture);
  CHECK(place.gpupost({"in.png", "merge", "--with", "hidden.png", "--mode", "over", "-o", "out.png"}).err ==
        "gpupost: warning: in.png: hidden.png: every texel has alpha 0, so its color is invisible\n");
}

DEVICE_TEST_CASE("a mask or a stencil without alpha gives a warning, and what it advises gives alpha") {
  const TestFolder place;
  const auto err_of = [&](const char* file, const char* mode) {
    return place.gpupost({"in.png", "merge", "--with", file, "--mode", mode, "-o", "out.png"}).err;
  };
  for (const char* mode : {"mask", "stencil"})
    CHECK(err_of("bars.png", mode) ==
          fmt::format(
              "gpupost: warning: in.png: merge --mode {}: bars.png has no alpha and is taken as opaque; to use its "
              "gray as alpha, first write it to an EXR or a PNG with `channels --list R,R,R,R --input-transfer "
              "linear`\n",
              mode));
  CHECK(err_of("bars.png", "over") == "");
  check_done(place, {"bars.png", "channels", "--list", "R,R,R,R", "--input-transfer", "linear", "-o", "matte.png"});
  CHECK(err_of("matte.png", "mask") == "");
  // the same gray, with colors
  check_done(place, {"bars.png", "channels", "--list", "Y,Y,Y", "-o", "colors.png"});
  check_done(place, {"colors.png", "channels", "--list", "R,R,R,R", "--input-transfer", "linear", "-o", "same.png"});
  CHECK(err_of("same.png", "mask") == "");
  const Picture same = decoded(place, "same.png");
  const auto same_alphas = same.groups[0].levels[0].texels.as<const uint8_t>();
  const Picture matte = decoded(place, "matte.png"), bars = decoded(place, "bars.png");
  const auto alphas = matte.groups[0].levels[0].texels.as<const uint8_t>(),
             grays = bars.groups[0].levels[0].texels.as<const uint8_t>();
  for (size_t i = 0; i < alphas.size(); i += 4) {
    REQUIRE(alphas[i + 3] == grays[i]);
    REQUIRE(same_alphas[i + 3] == grays[i]);
  }
}

DEVICE_TEST_CASE("levels of a filter that looks beyond the border say how they repeat") {
  const TestFolder place;
  check_done(place, {"mips", "--filter", "kaiser", "--border", "repeat", "in.exr", "-o", "tiles.exr"});
  CHECK(text_of(decoded(place, "tiles.exr"), "wrapmodes") == "periodic,periodic");
  check_done(place, {"mips", "in.exr", "-o", "plain.exr"});
  CHECK(text_of(decoded(place, "plain.exr"), "wrapmodes") == "black,black");
}

DEVICE_TEST_CASE("light far beyond the usual is measured as it is") {
  const TestFolder place;
  for (const int stops : {-32, 32}) {
    check_done(place, {"float.exr", "exposure", "--stops", std::to_string(stops), "-o", "far.exr"});
    const Finished finished = place.gpupost({"far.exr", "stats", "--verify", "--quiet"});
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    const Finished usual = place.gpupost({"float.exr", "stats", "--quiet"});
    const auto far = parse_json(finished.out)["luminance"], near = parse_json(usual.out)["luminance"];
    for (const char* percent : {"5", "50", "95"}) {
      const double ratio = far["percentiles"][percent].get<double>() / near["percentiles"][percent].get<double>();
      CHECK(std::abs(std::log2(ratio) - stops) <= 1e-6);
    }
    size_t counted = 0;
    for (const auto& count : far["histogram"]["counts"]) counted += count.get<size_t>();
    CHECK(counted == far["positive"].get<size_t>());
  }
}

DEVICE_TEST_CASE("pack copies the integers of files as they are, alpha too") {
  const TestFolder place;
  // gray 188; R, G and B 1, 128 and 254; the same with alpha 3; all 55 in 16 bits
  REQUIRE(place
              .shell("oiiotool --pattern constant:color=0.7372549 4x2 1 -d uint8 -o ao.png && "
                     "oiiotool --pattern constant:color=0.00392157,0.5019608,0.9960784 4x2 3 -d uint8 -o rough.png && "
                     "oiiotool --pattern constant:color=0.2,0.4,0.6 4x2 3 -d uint16 -o deep.png")
              .exit_code == 0);
  const auto first_texel = [&](const Words& words) {
    const Finished finished = place.gpupost(with(words, {"--verify", "-o", "packed.png"}));
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    const Picture picture = decoded(place, "packed.png");
    CHECK(picture.transfer == Transfer::linear);
    const auto bytes = picture.groups[0].levels[0].texels.as<uint8_t>();
    return std::vector<int>(bytes.begin(), bytes.begin() + 4);
  };
  const Words pack{"ao.png", "pack", "--green", "rough.png:G", "--blue", "deep.png:B"};
  CHECK(first_texel(with(pack, {"--alpha", "rough.png"})) == std::vector{188, 128, 153, 1});
  CHECK(first_texel({"ao.png", "pack", "--red", "rough.png:B", "--alpha", "rough.png"}) ==
        std::vector{254, 188, 188, 1});
  const Finished opaque = place.gpupost(with(pack, {"-o", "opaque.png"}));
  CHECK(opaque.exit_code == 0);
  CHECK(!decoded(place, "opaque.png").groups[0].has_alpha());

  const Finished alpha = place.gpupost({"ao.png", "pack", "--alpha", "rough.png:A", "-o", "none.png"});
  CHECK(alpha.exit_code == 1);
  CHECK(alpha.err.find("rough.png has no alpha; expected rough.png:R, rough.png:G or rough.png:B") != alpha.err.npos);
  const Finished opacity = place.gpupost(with(pack, {"--alpha", "rough.png", "invert", "-o", "none.png"}));
  CHECK(opacity.exit_code == 1);
  CHECK(opacity.err.find("`pack` makes all values data: `invert` may take alpha as opacity") != opacity.err.npos);
  CHECK(place.gpupost(with(pack, {"invert", "-o", "inverted.png"})).exit_code == 0);  // without alpha
  // the image is data from the first op on, and so are the files of other ops
  const Finished before = place.gpupost({"in.png", "invert", "pack", "--red", "in.png", "-o", "none.png"});
  CHECK(before.exit_code == 1);
  CHECK(before.err.find("`pack` makes all values data: `invert` may take alpha as opacity") != before.err.npos);
  const Finished merged =
      place.gpupost({"bars.png", "pack", "--red", "bars.png", "merge", "--with", "in.png", "-o", "none.png"});
  CHECK(merged.exit_code == 1);
  CHECK(merged.err.find("merge: in.png has alpha, which is data in this chain") != merged.err.npos);
  for (const Words& op :
       {Words{"tonemap"}, {"saturation", "--factor", "0.5"}, {"matrix", "--named", "rec709-to-rec2020"}}) {
    const Finished colored = place.gpupost(with(with(pack, op), {"-o", "none.png"}));
    CHECK(colored.exit_code == 1);
    CHECK(colored.err.find("`pack` makes all values data, and `" + op[0]) != colored.err.npos);
  }
  CHECK(place.gpupost(with(pack, {"--output-primaries", "ap1", "-o", "none.png"})).exit_code == 1);
  REQUIRE(place.gpupost({"rec2020.exr", "pack", "--green", "rec2020.exr:B", "-o", "packed.exr"}).exit_code == 0);
  CHECK(place.gpupost({"info", "packed.exr"}).out.find("chromaticities") == std::string::npos);
  CHECK(place
            .gpupost({"bars.png", "pack", "--red", "bars.png", "merge", "--with", "bars.png", "--mode", "multiply",
                      "-o", "product.png"})
            .exit_code == 0);
  const Finished letter = place.gpupost({"ao.png", "pack", "--red", "rough.png:Y", "-o", "none.png"});
  CHECK(letter.exit_code == 1);
  CHECK(letter.err.find("--red rough.png:Y: pack reads only R, G, B and A; write Y to a file first") !=
        letter.err.npos);
  CHECK(!place.has("none.png"));
}

DEVICE_TEST_CASE("alpha that is data does not weight the color, and ops that take it as opacity are refused") {
  const TestFolder place;
  REQUIRE(place.shell("oiiotool --pattern fill:left=1,0,0,1:right=0,1,0,0 2x1 4 -d float -o packed.exr").exit_code ==
          0);
  const Words data{"--input-alpha", "data", "--input-transfer", "linear", "--transfer", "linear"};
  const auto reds_and_greens = [&](const Words& words, const std::string& file) {
    const Finished finished = place.gpupost(with(words, data));
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    const Picture picture = decoded(place, file);
    const auto bytes = picture.groups[0].levels[0].texels.as<uint8_t>();
    return std::vector<int>(bytes.begin(), bytes.begin() + 4);
  };
  CHECK(reds_and_greens({"mips", "packed.exr", "--bits", "8", "-o", "m.{level}.png"}, "m.1.png") ==
        std::vector{128, 128, 0, 128});
  CHECK(reds_and_greens({"packed.exr", "--bits", "8", "-o", "all.png"}, "all.png") == std::vector{255, 0, 0, 255});
  CHECK(reds_and_greens({"all.png", "flip", "x", "-o", "x.png"}, "x.png") == std::vector{0, 255, 0, 0});
  CHECK(reds_and_greens({"all.png", "flip", "x", "channels", "--list", "G,R,B,0.2", "-o", "c.png"}, "c.png") ==
        std::vector{255, 0, 0, 51});
  REQUIRE(place.shell("oiiotool --pattern constant:color=0.67,0.835,0.83 2x2 3 -d uint8 -o opaque.png").exit_code == 0);
  CHECK(reds_and_greens({"opaque.png", "channels", "--list", "R,G,B,R", "-o", "made.png"}, "made.png") ==
        std::vector{171, 213, 212, 171});
  const Words made_alpha{"opaque.png", "channels", "--list", "1,G,1,R", "-o", "made.dds"};
  const Finished made = place.gpupost(with(made_alpha, data));
  CHECK(made.exit_code == 0);
  CHECK_MESSAGE(made.err.find("no effect") == std::string::npos, made.err);
  CHECK(place.read("made.dds")[144] == 4);
  const Words coded{"--input-alpha", "data", "all.png"};
  for (const Words& op : {Words{"blur", "--radius", "1"}, {"resize", "--size", "4x2"}, {"gain", "--value", "0.5"}}) {
    REQUIRE(place.gpupost(with(with(coded, op), {"-o", "eight.png"})).exit_code == 0);
    REQUIRE(place.gpupost(with(with(coded, op), {"-o", "sixteen.png", "--bits", "16"})).exit_code == 0);
    const Picture eight = decoded(place, "eight.png"), sixteen = decoded(place, "sixteen.png");
    const auto few = eight.groups[0].levels[0].texels.as<uint8_t>();
    const auto many = sixteen.groups[0].levels[0].texels.as<uint16_t>();
    for (size_t i = 3; i < few.size(); i += 4) CHECK(std::abs(few[i] - many[i] / 257.0) <= 0.6);
  }
  REQUIRE(place.gpupost(with(coded, {"-o", "f.tif", "--bits", "32f"})).exit_code == 0);
  REQUIRE(place.gpupost(with(coded, {"-o", "custom.dds"})).exit_code == 0);
  CHECK(place.read("custom.dds")[144] == 4);  // DDS_ALPHA_MODE_CUSTOM
  CHECK(parse_json(place.gpupost({"info", "custom.dds", "--json"}).out)["alpha"] == "data");
  const auto half_size = [&](const Words& input, const std::string& output) {
    REQUIRE(place.gpupost(with(input, {"resize", "--size", "1x1", "--filter", "box", "-o", output})).exit_code == 0);
    return place.read(output);
  };
  CHECK(half_size({"custom.dds"}, "recorded.png") == half_size(coded, "data.png"));
  CHECK(half_size({"custom.dds", "--input-alpha", "straight"}, "straight.png") == half_size({"all.png"}, "alpha.png"));
  CHECK(place.read("recorded.png") != place.read("straight.png"));
  CHECK(place.gpupost({"compare", "custom.dds", "all.png"}).exit_code == 0);
  CHECK(place.gpupost({"custom.dds", "clamp", "-o", "no.png"})
            .err.find("alpha is data (--input-alpha, or the alpha mode of a DDS): `clamp` may take") !=
        std::string::npos);
  CHECK(parse_json(place.gpupost({"info", "f.tif", "--json"}).out)["alpha"] == "straight");
  CHECK(place.gpupost(with(coded, {"-o", "a.jpg"})).err.find("alpha is dropped") != std::string::npos);
  CHECK(place.gpupost(with(coded, {"channels", "--list", "R,G,B", "offset", "--value", "0.1", "-o", "b.png"}))
            .exit_code == 0);
  for (const Words& op : {Words{"offset", "--value", "0.1"}, {"mips", "--coverage", "0.5"}, {"clamp"}}) {
    const Finished refused = place.gpupost(with(with({"all.png", "-o", "no.ktx2"}, op), data));
    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.err.find("may take alpha as opacity") != std::string::npos, refused.err);
  }
  CHECK(reds_and_greens({"all.png", "pad", "--size", "4x1", "--color", "1,0.2,0,0.4", "-o", "padded.png"},
                        "padded.png") == std::vector{255, 51, 0, 102});
}

DEVICE_TEST_CASE("alpha that is data is no opacity, also if a call makes it, or makes an opaque image transparent") {
  const TestFolder place;
  check_done(place, {"in.png", "channels", "--list", "R,G,B", "-o", "rgb.png"});
  check_done(place, {"in.png", "channels", "--list", "R,G,B,1", "-o", "opaque.png"});
  const Words turn{"rotate", "--degrees", "30", "offset", "--value", "0.1"};
  const auto run = [&](const char* input, const Words& chain) {
    return place.gpupost(with(with({input, "--input-alpha", "data", "-o", "out.png"}, chain), {"--quiet"}));
  };
  CHECK(run("rgb.png", turn).exit_code == 0);
  CHECK(run("opaque.png", {"offset", "--value", "0.1"}).exit_code == 0);
  CHECK(run("opaque.png", with({"crop", "--to", "display"}, {"offset", "--value", "0.1"})).exit_code == 0);
  CHECK(run("opaque.png", {"shift", "--x", "1", "crop", "--to", "display", "offset", "--value", "0.1"}).exit_code == 1);
  for (const auto& [words, exit_code] : {std::pair(Words{"channels", "--list", "B,G,R,A"}, 0),
                                         {{"channels", "--list", "R,G,B,1"}, 0},
                                         {{"channels", "--list", "R,G,B,0.5"}, 1},
                                         {{"channels", "--list", "R,G,B,R"}, 1},
                                         {{"pad", "--size", "4x4"}, 0},
                                         {{"pad", "--size", "4x400"}, 1}}) {
    CAPTURE(words.back());
    CHECK(run("opaque.png", with(words, {"offset", "--value", "0.1"})).exit_code == exit_code);
  }
  CHECK(run("in.png", {"channels", "--list", "R,G,B,1", "offset", "--value", "0.1"}).exit_code == 0);
  const Finished turned = run("opaque.png", turn);
  CHECK(turned.exit_code == 1);
  CHECK_MESSAGE(turned.err.find("`offset --value 0.1` may take alpha as opacity") != std::string::npos, turned.err);
  for (const auto& [input, mode] : {std::pair("rgb.png", "mask"), {"rgb.png", "stencil"}, {"opaque.png", "mix"}}) {
    const Finished merged = run(input, {"merge", "--with", "in.png", "--mode", mode});
    CHECK(merged.exit_code == 1);
    CHECK_MESSAGE(merged.err.find("makes an alpha that is opacity; use two runs") != std::string::npos, merged.err);
  }
}

DEVICE_TEST_CASE("light near the largest float stays finite, or what the definition says") {
  const TestFolder place;
  for (const char* light : {"3e38,3e38,3e38,A=1", "0,3e38,0,A=1", "-3e38,1,2e38,A=1"}) {
    check_done(place, {"in.exr", "channels", "--list", light, "--storage", "fp32", "--bits", "32f", "-o", "far.exr",
                       "--quiet"});
    for (const Words& op : {Words{"brightpass"},
                            {"tonemap", "--curve", "reinhard"},
                            {"bloom"},
                            {"localgamma"},
                            {"contrast", "--factor", "2"},
                            {"blur", "--radius", "1", "--space", "yxy"}})
      check_done(place, with(with({"far.exr"}, op), {"--storage", "fp32", "--verify", "--quiet", "-o", "x.exr"}));
  }
}

DEVICE_TEST_CASE("light with alpha 0 gives a warning for a PNG, also in the report") {
  const TestFolder place;
  check_done(place, {"in.exr", "channels", "--list", "0.5,0.25,0.125,A=0", "-o", "hidden.exr", "--quiet"});
  const std::string expected =
      "777 of 777 texels have light but alpha 0, so viewers show them as transparent (to keep the light, drop alpha "
      "with `channels --list R,G,B`)";
  for (const char* output : {"out.png", "out.tif", "out.ktx2", "out.dds"})
    for (const Words& op : {Words{}, Words{"exposure", "--stops", "0.5"}}) {
      Words words{"hidden.exr", "-o", output, "--bits", "8", "--report", "report.json"};
      words.insert(words.begin() + 1, op.begin(), op.end());
      const Finished finished = place.gpupost(words);
      CHECK(finished.exit_code == 0);
      CHECK_MESSAGE(finished.err.find("warning: hidden.exr: " + expected) != std::string::npos, finished.err);
      const auto report = parse_json(place.read("report.json"));
      CHECK(std::ranges::count(report["jobs"][0]["warnings"], nlohmann::json(expected)) == 1);
    }
  const auto is_quiet = [&](const Words& words) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 0);
    CHECK_MESSAGE(finished.err.find("alpha 0") == std::string::npos, finished.err);
  };
  is_quiet({"hidden.exr", "exposure", "--stops", "0.5", "-o", "out.exr"});
  is_quiet({"hidden.exr", "-o", "out.tif", "--bits", "16f"});
  is_quiet({"hidden.exr", "-o", "out.jpg"});
  is_quiet({"hidden.exr", "channels", "--list", "R,G,B", "-o", "out.png"});
  is_quiet({"in.png", "resize", "--size", "50%", "-o", "out.png"});
}

DEVICE_TEST_CASE("a file with straight alpha 0 everywhere gives a warning that says how to keep its light") {
  const TestFolder place;
  check_done(place, {"in.exr", "channels", "--list", "0.5,0.25,0.125,A=0", "-o", "hidden.png", "--quiet"});
  for (const char* output : {"out.exr", "out.png"}) {
    const Finished finished = place.gpupost({"hidden.png", "exposure", "--stops", "0.5", "-o", output});
    CHECK(finished.exit_code == 0);
    CHECK_MESSAGE(finished.err.find("hidden.png: every texel has alpha 0") != std::string::npos, finished.err);
  }
  const Finished kept = place.gpupost({"hidden.png", "channels", "--list", "R,G,B", "--input-alpha", "premultiplied",
                                       "--bits", "32f", "-o", "out.exr"});
  CHECK(kept.exit_code == 0);
  CHECK_MESSAGE(kept.err.find("alpha 0") == std::string::npos, kept.err);
  CHECK(log_average(place, "out.exr") > 0.1);
}

TEST_CASE("--flatten and --input-alpha without an effect give a note") {
  const TestFolder place;
  const auto err_of = [&](const char* file, const Words& options) {
    Words words{file, "-o", "out.exr"};
    words.insert(words.end(), options.begin(), options.end());
    return place.gpupost(words).err;
  };
  CHECK(err_of("in.exr", {"--flatten"}) ==
        "gpupost: note: in.exr: --flatten has no effect, because the file has no deep data\n");
  for (const char* kind : {"straight", "premultiplied", "data"})
    CHECK(err_of("bars.png", {"--input-alpha", kind}) ==
          "gpupost: note: bars.png: --input-alpha has no effect, because the image has no alpha\n");
  CHECK(err_of("in.png", {"--input-alpha", "premultiplied"}).find("no effect") == std::string::npos);
}

TEST_CASE("values that PQ cannot hold are counted from its own largest light") {
  const TestFolder place;
  REQUIRE(place.shell("oiiotool --pattern constant:color=2,3,60 8x8 3 -d float -o bright.exr").exit_code == 0);
  const Finished finished = place.gpupost({"bright.exr", "-o", "pq.png", "--bits", "16", "--transfer", "pq"});
  CHECK(finished.exit_code == 0);
  CHECK(finished.err.find("33.3 % of the values are above 49.26 and were clamped") != finished.err.npos);
}

DEVICE_TEST_CASE("constants that nearly cancel the light are within the tolerance of --verify") {
  const TestFolder place;
  REQUIRE(
      place.shell("oiiotool --pattern fill:left=0,0,0:right=1,1,1 97x3 1 -d float --chnames Y -o ramp.exr").exit_code ==
      0);
  for (const Words& chain : {Words{"offset", "--value", "-0.7"},
                             {"offset", "--value", "-0.3"},
                             {"invert", "--white", "0.7"},
                             {"matrix", "--rows", "1,0,0,-.3,0,1,0,-.3,0,0,1,-.3"},
                             {"brightpass", "--threshold", ".7", "--knee", ".7"}}) {
    const Finished finished = place.gpupost(with(with({"ramp.exr"}, chain), {"--verify", "-o", "out.exr"}));
    CHECK_MESSAGE(finished.exit_code == 0, chain[0], "\n", finished.err);
  }
}

DEVICE_TEST_CASE("a chain that measures gives the same in tiles with packed images") {
  const TestFolder place;
  REQUIRE(place.shell("oiiotool --pattern fill:topleft=0,0.1,0.2:bottomright=1,0.5,0.7 97x71 3 -d half -o opaque.exr")
              .exit_code == 0);
  const Words chain{"opaque.exr", "offset", "--value", "-0.2", "exposure", "--auto", "--storage", "r11g11b10"};
  check_done(place, with(chain, {"-o", "whole.exr"}));
  check_done(place, with(chain, {"-o", "tiled.exr", "--tile-side", "33"}));
  CHECK(place.gpupost({"compare", "whole.exr", "tiled.exr", "--tolerance", "0.01", "--relative"}).exit_code == 0);
}

DEVICE_TEST_CASE("files of floats that can record straight alpha do so behind unpremultiply") {
  const TestFolder place;
  const auto is_straight = [&](const std::string& file) {
    return parse_json(place.gpupost({"info", file, "--json"}).out)["alpha"] == "straight";
  };
  for (const std::string output : {"out.ktx2", "out.dds", "out.tif"}) {
    const Words to{"--bits", "32f", "--storage", "fp32", "-o", output};
    check_done(place, with({"in.png", "unpremultiply"}, to));
    CHECK_MESSAGE(is_straight(output), output);
    check_done(place, {output, "-o", "back.png", "--bits", "8"});
    check_near(place, "in.png", "back.png", "0.001");
    check_done(place, with({"in.png", "unpremultiply", "premultiply"}, to));
    CHECK_MESSAGE(!is_straight(output), output);
  }
}

DEVICE_TEST_CASE("files of integers hold the colors that bleed gives to texels of alpha 0, without a warning") {
  const TestFolder place;
  const auto is_warned = [&](const Words& words) {
    const Finished finished = place.gpupost(words);
    CHECK(finished.exit_code == 0);
    return finished.err.find("alpha 0") != std::string::npos;
  };
  // an image of one color, in islands
  check_done(place, {"in.png", "threshold", "--level", "0.3", "-o", "mask.exr", "--quiet"});
  check_done(place,
             {"mask.exr", "channels", "--list", "0.25,0.5,0.75,A=R", "premultiply", "-o", "islands.exr", "--quiet"});
  check_done(place, {"islands.exr", "-o", "islands.png", "--quiet"});
  const auto check_colors = [&](const Words& input) {
    const Finished finished = place.gpupost(with(input, {"stats", "--input-alpha", "data", "--quiet"}));
    const auto channels = parse_json(finished.out)["channels"];
    CHECK(channels[3]["minimum"] == 0);
    for (size_t c = 0; c < 3; ++c) {
      CHECK(channels[c]["minimum"] == channels[c]["maximum"]);
      CHECK(double(channels[c]["minimum"]) > 0.1);
    }
  };
  for (const char* input : {"islands.exr", "islands.png"}) {
    for (const char* file : {"out.png", "out.tif", "out.tga", "out.ktx2", "out.dds"}) {
      CHECK(!is_warned({input, "bleed", "--bits", "8", "-o", file}));
      check_near(place, file, "islands.exr", "0.01");
      check_colors({file});
    }
    CHECK(!is_warned({input, "mips", "--bleed", "--bits", "8", "-o", "levels.ktx2"}));
    check_colors({"levels.ktx2", "--level", "0"});
  }
  // light of alpha 0 in files without straight alpha
  CHECK(is_warned({"islands.exr", "bleed", "-o", "out.exr"}));
  CHECK(is_warned({"islands.exr", "bleed", "-o", "out.jpg"}));
  CHECK(is_warned({"islands.exr", "mips", "--bleed", "-o", "out.ktx2"}));
  CHECK(!is_warned({"islands.exr", "bleed", "unpremultiply", "-o", "out.exr"}));
  CHECK(!is_warned({"islands.exr", "bleed", "unpremultiply", "channels", "--list", "R,G,B", "-o", "out.exr"}));
  CHECK(!is_warned({"islands.exr", "-o", "out.exr"}));
}

DEVICE_TEST_CASE("mips --bleed keeps the color of one texel with little alpha in all levels") {
  const TestFolder place;
  REQUIRE(
      place
          .shell("oiiotool --create 512x512 4 --fill:color=0.03,0.025,0.02,0.0314 1x1+300+200 -d uint8 -o faint.png "
                 "&& oiiotool faint.png -d half -o faint.exr")
          .exit_code == 0);
  for (const char* input : {"faint.png", "faint.exr"}) {
    check_done(place, {input, "mips", "--bleed", "--bits", "8", "-o", "levels.ktx2", "--quiet"});
    const auto color_of = [&](const char* level) {
      const Finished finished =
          place.gpupost({"levels.ktx2", "--level", level, "stats", "--input-alpha", "data", "--quiet"});
      const auto result = parse_json(finished.out);
      std::vector<double> color;
      for (const auto& channel : result["channels"]) {
        color.push_back(channel["minimum"]);
        if (channel["name"] != "A") CHECK(channel["minimum"] == channel["maximum"]);
      }
      return color;
    };
    const std::vector<double> color = color_of("0");
    CHECK(color.at(2) > 0.1);
    for (const char* level : {"3", "8", "9"})
      for (size_t c = 0; c < 3; ++c)
        CHECK_MESSAGE(std::abs(color_of(level).at(c) - color[c]) < 0.01, input, " level ", level);
  }
}

DEVICE_TEST_CASE("bleed warns of a call behind it that drops the alpha of premultiplied color") {
  const TestFolder place;
  const Words drops{"channels", "--list", "R,G,B", "-o", "out.png"};
  CHECK(place.gpupost(with({"in.png", "bleed"}, drops)).err ==
        "gpupost: warning: in.png: `channels --list R,G,B` drops alpha, and color that is multiplied by alpha stays "
        "dark; put `unpremultiply` before it\n");
  CHECK(place.gpupost({"in.png", "bleed", "channels", "--list", "R,G,B,A=1", "-o", "out.png"})
            .err.find("`channels --list R,G,B,A=1` replaces alpha, and color that is multiplied by alpha stays dark") !=
        std::string::npos);
  CHECK(place.gpupost({"in.png", "bleed", "channels", "--list", "B,G,R,A", "-o", "out.png"}).err == "");
  CHECK(place.gpupost(with({"in.png", "bleed", "unpremultiply"}, drops)).err == "");
  CHECK(place.gpupost(with({"bars.png", "bleed"}, drops)).err == "");
}
