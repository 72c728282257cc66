// Where results go, and what is in them.
#include "tests/program/test_folder.h"

#include "core/image/to_working.h"
#include "tests/support/json.h"
#include "tests/support/skip.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace gpupost;
using namespace gpupost::test;
using json = nlohmann::json;

DEVICE_TEST_CASE("a mean of black and white texels is 188, not 128") {
  for (const std::string method : {"single-pass", "per-level"}) {
    const TestFolder place;
    check_done(place, {"mips", "bars.png", "--method", method, "-o", "{stem}.{level}.png"});
    for (int level = 1; level < 7; ++level) {
      const Picture picture = decoded(place, fmt::format("bars.{}.png", level));
      CHECK(picture.size() == level_size({64, 16}, level));
      const Group& group = picture.groups[0];
      REQUIRE(group.depth == Depth::u8);
      for (size_t texel = 0; texel < texel_count(picture.size()); ++texel)
        CHECK_MESSAGE(number_at(group, 4 * texel) == 188, method, " level ", level, " texel ", texel);
    }
  }
}

DEVICE_TEST_CASE("the only level of an image of one texel goes into a file of one level") {
  const TestFolder place;
  check_done(place, {"bars.png", "crop", "--window", "1x1+0+0", "-o", "one.png"});
  check_done(place, {"one.png", "mips", "-o", "level.png"});
  check_same(place, "one.png", "level.png");
}

TEST_CASE("conversions there and back are what was there: 8 and 16 bits, half and float") {
  const TestFolder place;
  for (const char* name : {"in.png", "deep.png"}) {
    check_done(place, {name, "-o", "there.exr", "--bits", "32f"});
    check_done(place, {"there.exr", "-o", "back.png", "--bits", std::string(name) == "in.png" ? "8" : "16"});
    check_same(place, name, "back.png");
  }
  check_done(place, {"in.png", "-o", "half.exr"});
  check_done(place, {"half.exr", "-o", "back.png", "--bits", "8"});
  check_same(place, "in.png", "back.png");
  check_done(place, {"in.exr", "-o", "wide.exr", "--bits", "32f"});
  check_done(place, {"wide.exr", "-o", "back.exr", "--bits", "16f"});
  check_same(place, "in.exr", "back.exr");
  CHECK(decoded(place, "wide.exr").groups[0].depth == Depth::f32);
  CHECK(decoded(place, "back.exr").groups[0].depth == Depth::half);
}

TEST_CASE(
    "colors of other primaries become Rec. 709's where that is asked for, without an op and behind one, and stay "
    "theirs "
    "in an EXR") {
  // ITU-R BT.2087
  constexpr double to_rec709[3][3] = {
      {1.6604910, -0.5876411, -0.0728499}, {-0.1245505, 1.1328999, -0.0083494}, {-0.0181508, -0.1005789, 1.1187297}};
  const TestFolder place;
  check_done(place, {"rec2020.exr", "-o", "out.png", "--bits", "16", "--output-primaries", "rec709"});
  const Picture before = decoded(place, "rec2020.exr"), after = decoded(place, "out.png");
  for (size_t texel = 0; texel < texel_count(before.size()); ++texel)
    for (size_t c = 0; c < 3; ++c) {
      double light = 0;
      for (size_t k = 0; k < 3; ++k) light += to_rec709[c][k] * number_at(before.groups[0], 4 * texel + k);
      const double straight = std::clamp(light / number_at(before.groups[0], 4 * texel + 3), 0.0, 1.0);
      CHECK(std::abs(number_at(after.groups[0], 4 * texel + c) - 65535 * srgb_encode(straight)) <= 1);
    }
  check_done(place, {"rec2020.exr", "-o", "out.exr"});
  check_same(place, "rec2020.exr", "out.exr");
  const auto chromaticities = [](const Picture& picture) {
    return std::ranges::find(picture.attributes, "chromaticities", &Attribute::name)->value;
  };
  CHECK(chromaticities(decoded(place, "out.exr")) == chromaticities(before));
  if (!has_device()) return;
  check_done(place, {"flip", "x", "flip", "x", "rec2020.exr", "--storage", "fp32", "-o", "turned.png", "--bits", "16",
                     "--output-primaries", "rec709"});
  const Finished difference = place.gpupost({"compare", "out.png", "turned.png", "--tolerance", "0.0001"});
  CHECK_MESSAGE(difference.exit_code == 0, difference.out, difference.err);
}

TEST_CASE("a conversion from EXR to EXR keeps every channel and its depth, whatever the compression") {
  const TestFolder place;
  for (const char* name : {"depth.exr", "layers.exr", "float.exr"})
    for (const char* compression : {"none", "rle", "zips", "zip"}) {
      check_done(place, {name, "-o", "out.exr", "--compression", compression});
      check_same(place, name, "out.exr");
      const json before = parse_json(place.gpupost({"info", name, "--json"}).out);
      const json after = parse_json(place.gpupost({"info", "out.exr", "--json"}).out);
      CHECK(before["channels"] == after["channels"]);
      CHECK(after["compression"] == compression);
    }
}

TEST_CASE("an EXR keeps the compression of its input, and every one can be asked for") {
  const TestFolder place;
  for (const char* compression : {"none", "rle", "zips", "zip", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab"}) {
    const Finished made = place.gpupost({"in.exr", "-o", "packed.exr", "--compression", compression}, no_driver);
    CHECK_MESSAGE((made.exit_code == 0 && made.err.empty()), made.err);
    const Finished again = place.gpupost({"packed.exr", "-o", "again.exr"}, no_driver);
    CHECK(again.exit_code == 0);
    const bool is_lossy = std::string(compression) > "b" && std::string(compression) < "e";
    CHECK_MESSAGE((again.err.find("a second time") != again.err.npos) == is_lossy, again.err);
    CHECK(parse_json(place.gpupost({"info", "again.exr", "--json"}).out)["compression"] == compression);
    if (!is_lossy) CHECK(place.gpupost({"compare", "in.exr", "again.exr"}).exit_code == 0);
  }
}

TEST_CASE("an EXR keeps the level of dwaa and dwab of its input, and records it") {
  const TestFolder place;
  const std::string scene = std::filesystem::absolute("testdata/scene.exr");
  for (const std::string compression : {"dwaa", "dwab"}) {
    check_done(place, {scene, "-o", "packed.exr", "--compression", compression + ":10"});
    check_done(place, {scene, "-o", "usual.exr", "--compression", compression});
    const Finished again = place.gpupost({"packed.exr", "-o", "again.exr"}, no_driver);
    CHECK(again.exit_code == 0);
    for (const char* name : {"packed.exr", "again.exr"}) {
      CHECK(place.read(name).size() > place.read("usual.exr").size() * 11 / 10);
      CHECK(place.read(name).find(std::string("dwaCompressionLevel\0float\0\4\0\0\0\0\0\x20\x41", 34)) !=
            std::string::npos);
    }
    CHECK(place.gpupost({"packed.exr", "-o", "again.exr", "--compression", compression}, no_driver).exit_code == 0);
    CHECK(place.read("again.exr").find("dwaCompressionLevel") == std::string::npos);
    CHECK(place.gpupost({"packed.exr", "-o", "again.exr", "--compression", "zip"}, no_driver).exit_code == 0);
    CHECK(place.read("again.exr").find("dwaCompressionLevel") == std::string::npos);
  }
}

TEST_CASE("--compression NAME:LEVEL chooses between time and size") {
  const TestFolder place;
  const std::string scene = std::filesystem::absolute("testdata/scene.exr");
  CHECK(place.gpupost({scene, "-o", "color.tif"}, no_driver).exit_code == 0);
  const auto size_with = [&](const std::string& compression, const std::string& output) {
    const Finished made = place.gpupost({"color.tif", "-o", output, "--compression", compression}, no_driver);
    CHECK_MESSAGE((made.exit_code == 0 && made.err.empty()), made.err);
    CHECK(place.gpupost({"compare", "color.tif", output}, no_driver).exit_code == 0);
    return std::filesystem::file_size(place.path(output));
  };
  for (const std::string name : {"out.exr", "out.tif"}) CHECK(size_with("zip:9", name) < size_with("zip:1", name));
  CHECK(size_with("zips:9", "out.exr") < size_with("zips:1", "out.exr"));
  CHECK(size_with("zstd:19", "out.tif") < size_with("zstd:1", "out.tif"));
}

TEST_CASE("JPEG and TIFF are written and read back, and a picture is its display window where that is asked for") {
  const TestFolder place;
  for (const char* output : {"out.tif", "out.exr"}) check_done(place, {"in.exr", "-o", output});
  check_same(place, "in.exr", "out.tif");
  CHECK(place.gpupost({"in.png", "-o", "out.jpg", "--quality", "100"}, no_driver).exit_code == 0);
  CHECK(decoded(place, "out.jpg").size() == decoded(place, "in.png").size());
  Picture part = decoded(place, "in.exr");
  part.data_window = {10, 20, 9 + part.size().width, 19 + part.size().height};
  part.display_window = {0, 0, 99, 89};
  write_picture(place, "part.exr", part);
  const Finished png = place.gpupost({"part.exr", "-o", "part.png"}, no_driver);
  CHECK(png.exit_code == 0);
  CHECK(decoded(place, "part.png").size() == Size{100, 90});
  CHECK(place.gpupost({"part.exr", "-o", "whole.exr", "--to-display"}, no_driver).exit_code == 0);
  CHECK(decoded(place, "whole.exr").data_window == part.display_window);
  CHECK(place.gpupost({"part.exr", "-o", "same.exr"}, no_driver).exit_code == 0);
  CHECK(decoded(place, "same.exr").data_window == part.data_window);
}

DEVICE_TEST_CASE("level 0 of a mip chain is the input, and each level is half of the one above") {
  const TestFolder place;
  for (const char* name : {"in", "depth", "float", "layers"}) {
    const std::string from = fmt::format("{}.exr", name), to = fmt::format("{}.mips.exr", name);
    check_done(place, {"mips", from});
    check_same(place, from, to, {"--level", "0"});
    for (int level = 0; level < 6; ++level) {
      const Picture picture = decoded(place, to, level);
      CHECK(picture.size() == level_size({37, 21}, level));
      CHECK(picture.groups.size() == decoded(place, from).groups.size());
    }
  }
}

DEVICE_TEST_CASE("oiiotool reads every level of a mip-mapped EXR, bit for bit") {
  const TestFolder place;
  if (place.shell("oiiotool --version").exit_code != 0) return skip("there is no oiiotool");
  for (const std::string name : {"in.exr", "float.exr"}) {
    check_done(place, {"mips", name, "-o", "all.exr"});
    std::string line = "oiiotool --native";
    for (int level = 0; level < 6; ++level) line += fmt::format(" all.exr --selectmip {0} -o theirs.{0}.exr", level);
    const Finished finished = place.shell(line);
    CHECK_MESSAGE(finished.exit_code == 0, finished.out, finished.err);
    for (int level = 0; level < 6; ++level) {
      const Picture ours = decoded(place, "all.exr", level);
      const Picture theirs = decoded(place, fmt::format("theirs.{}.exr", level));
      REQUIRE(ours.groups.size() == theirs.groups.size());
      for (size_t group = 0; group < ours.groups.size(); ++group)
        CHECK_MESSAGE(std::ranges::equal(ours.groups[group].levels[0].texels.bytes(),
                                         theirs.groups[group].levels[0].texels.bytes()),
                      name, " level ", level, " group ", group);
    }
  }
}

DEVICE_TEST_CASE("info tells how many levels a file has") {
  const TestFolder place;
  check_done(place, {"mips", "in.exr"});
  CHECK(parse_json(place.gpupost({"info", "in.mips.exr", "--json"}).out)["levels"] == 6);
  CHECK(parse_json(place.gpupost({"info", "in.exr", "--json"}).out)["levels"] == 1);
}

DEVICE_TEST_CASE("--fp16 makes halves of floats, and what is too large is clamped with a warning") {
  const TestFolder place;
  const Finished finished = place.gpupost({"mips", "float.exr", "--fp16"});
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(finished.err.find("above 65504 that were clamped") != std::string::npos, finished.err);
  CHECK(decoded(place, "float.mips.exr").groups[0].channels[0].depth == Depth::half);
  check_done(place, {"mips", "in.exr", "-o", "plain.exr"});
  CHECK(decoded(place, "plain.exr").groups[0].channels[0].depth == Depth::half);
}

DEVICE_TEST_CASE("a picture that goes through in parts gives the same file, and the report says so") {
  const TestFolder place;
  for (const Words& op : {Words{"blur", "--radius", "2"}, Words{"mips", "--method", "per-level"}, Words{"flip", "x"},
                          Words{"gain", "--value", "0.9", "shift", "--x", "3", "gain", "--value", "0.7"}}) {
    Words at_once{"in.exr", "-o", "whole.exr"},
        in_parts{"in.exr", "-o", "parts.exr", "--tile-side", "16", "--report", "report.json"};
    at_once.insert(at_once.begin(), op.begin(), op.end());
    in_parts.insert(in_parts.begin(), op.begin(), op.end());
    check_done(place, at_once);
    check_done(place, in_parts);
    CHECK_MESSAGE(place.read("whole.exr") == place.read("parts.exr"), op.front());
    const json report = parse_json(place.read("report.json"));
    REQUIRE(report["devices"].size() == 1);
    CHECK(report["devices"][0]["name"] == report["device"]["name"]);
    CHECK(report["devices"][0]["jobs"] == (op.front() == "flip" ? 0 : 1));  // moving texels needs no pass
    for (const json& core : report["core_shares"]) CHECK(core["busy"] >= 0);
    const std::string choices = report["jobs"][0]["choices"].dump();
    CHECK_MESSAGE((choices.find(" tiles: the image is 37 x 21 texels") != choices.npos) == (op.front() != "flip"),
                  choices);
  }
}

TEST_CASE("a picture over a device's limit goes through, and is what the definition says") {
  if (!has_device() || has_gpu()) return;
  const TestFolder place;
  check_done(place, {"blur", "long.exr", "--radius", "7", "--verify", "--quiet", "-o", "blurred.exr"});
  check_done(place, {"mips", "long.exr", "--verify", "--quiet", "-o", "mips.exr"});
  CHECK(decoded(place, "mips.exr", 1).size() == Size{10000, 1});
  const Finished explained = place.gpupost({"--explain", "blur", "--radius", "7", "long.exr"});
  CHECK_MESSAGE(explained.out.find("tiled: the image is 20000 x 1 texels") != explained.out.npos, explained.out);
  const Finished moved = place.gpupost({"--explain", "flip", "x", "long.exr"});
  CHECK_MESSAGE(moved.out.find("texels are moved on the CPU, without a pass: the image is 20000 x 1") != moved.out.npos,
                moved.out);
  CHECK_MESSAGE(moved.out.find("pass 0") == moved.out.npos, moved.out);
}

DEVICE_TEST_CASE("-o with / at its end is a folder for the input's name") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("made"));
  check_done(place, {"mips", "sub/in.exr", "wide.exr", "-o", "made/"});
  CHECK(place.has("made/in.exr"));
  CHECK(place.has("made/wide.exr"));
  check_done(place, {"in.exr", "-o", "made/", "--format", "png"});
  CHECK(place.has("made/in.png"));
  check_done(place, {"in.png", "-o", "made/", "--format", "jpeg", "--bits", "8"});
  CHECK(place.has("made/in.jpg"));
  const Finished levels = place.shell("gpupost - mips --levels 3 < in.exr | cat");
  CHECK_MESSAGE(levels.err.find("gpupost: standard output: exr files hold") != levels.err.npos, levels.err);
}

TEST_CASE("the places of a pattern are filled from the input") {
  const TestFolder place;
  check_done(place, {"sub/in.exr", "-o", "{dir}/{stem}-{name}.{ext}"});
  CHECK(place.has("sub/in-in.exr.exr"));
  check_done(place, {"in.exr", "wide.exr", "-o", "{dir}/{stem}.png"});
  CHECK(place.has("in.png"));
  CHECK(place.has("wide.png"));
  check_done(place, {"in.exr", "-o", "y.{ext}.png"});
  check_done(place, {"in.png", "-o", "x.{ext}.exr"});
  CHECK(decoded(place, "y.png.png").format == "png");
  CHECK(decoded(place, "x.exr.exr").format == "exr");
  const std::string below = " -o 'out//{dir}/{stem}.png' --mkdir --depfile d";
  CHECK(place.shell("gpupost in.exr" + below).exit_code == 0);
  CHECK(place.read("d").starts_with("out/in.png: in.exr\n"));
  CHECK(place.shell("cd sub && gpupost . --recursive" + below).exit_code == 0);
  CHECK(("\n" + place.read("sub/d")).find("\nout/in.png: ./in.exr\n") != std::string::npos);
  CHECK(place.shell("gpupost - -o '{stem}.png' < in.exr").exit_code == 0);
  CHECK(place.has("stdin.png"));
  CHECK(place.shell("cd sub && gpupost ../in.exr -o 'below/{dir}/{stem}.png' --mkdir").exit_code == 0);
  CHECK(place.has("sub/below/in.png"));
  CHECK(place.shell("cd sub && gpupost ../in.exr -o '{dir}/up.png'").exit_code == 0);
  CHECK(place.has("up.png"));
}

DEVICE_TEST_CASE("{level} makes a file a level, as PNG and as EXR") {
  const TestFolder place;
  check_done(place, {"mips", "in.exr", "-o", "{stem}.{level}.exr"});
  check_done(place, {"mips", "in.exr", "-o", "{stem}.{level}.png", "--levels", "3"});
  check_done(place, {"mips", "in.exr", "-o", "whole.exr"});
  for (int level = 0; level < 6; ++level) {
    const std::string name = fmt::format("in.{}.exr", level);
    CHECK(decoded(place, name).size() == level_size({37, 21}, level));
    CHECK(decoded(place, name).file_level_count == 1);
    check_done(place, {"whole.exr", "--level", std::to_string(level), "-o", "cut_out.exr"});
    check_same(place, name, "cut_out.exr");
  }
  CHECK(!place.has("in.6.exr"));
  CHECK(decoded(place, "in.2.png").size() == Size{9, 5});
  CHECK(!place.has("in.3.png"));
  check_done(place, {"mips", "in.exr", "-o", "levels/{level}/x.png", "--mkdir"});
  CHECK(place.has("levels/5/x.png"));
  check_done(place, {"in.png", "-o", "a/x.png", "--report", "b/r.json", "--depfile", "c/d", "--journal", "e/f/j",
                     "--progress", "json", "--progress-file", "g/p", "--mkdir"});
  for (const char* name : {"a/x.png", "b/r.json", "c/d", "e/f/j", "g/p"}) CHECK_MESSAGE(place.has(name), name);
  check_done(place, {"exposure", "--stops", "1", "--bake", "2", "-o", "h/table.cube", "--mkdir"});
  CHECK(place.has("h/table.cube"));
  const std::string warning = "only level 0 of its 6 levels is read";
  CHECK(place.gpupost({"whole.exr", "flip", "x", "-o", "flipped.exr"}).err.find(warning) != std::string::npos);
  CHECK(place.gpupost({"whole.exr", "mips", "-o", "again.exr"}).err.find(warning) == std::string::npos);
  CHECK(place.gpupost({"whole.exr", "--level", "0", "-o", "one.exr"}).err.find(warning) == std::string::npos);
}

DEVICE_TEST_CASE("a layer is what mips works on, and all else travels along") {
  const TestFolder place;
  check_done(place, {"mips", "layers.exr", "--layer", "diffuse", "--verify"});
  check_same(place, "layers.exr", "layers.mips.exr", {"--level", "0"});
}

DEVICE_TEST_CASE("a result may replace its own input when that is asked for, whole") {
  const TestFolder place;
  check_done(place, {"mips", "in.exr", "-o", "in.exr"});
  CHECK(decoded(place, "in.exr", 5).size() == Size{1, 1});
  check_same(place, "in.exr", "sub/in.exr", {"--level", "0"});
}

TEST_CASE("of several inputs the bad ones are named, the good ones are done, and the exit is 5") {
  const TestFolder place;
  std::filesystem::create_directory(place.path("made"));
  const Finished finished =
      place.gpupost({"in.exr", "cut.exr", "wide.exr", "missing.exr", "-o", "made/", "--quiet"}, no_driver);
  CHECK(finished.exit_code == 5);
  CHECK(place.has("made/in.exr"));
  CHECK(place.has("made/wide.exr"));
  CHECK(!place.has("made/cut.exr"));
  CHECK(finished.err.starts_with("gpupost: cut.exr: "));
  CHECK_MESSAGE(std::count(finished.err.begin(), finished.err.end(), '\n') == 2, finished.err);
}

DEVICE_TEST_CASE("eight bits become sixteen exactly, and level 0 of integers is the input bit for bit") {
  const TestFolder place;
  REQUIRE(place.gpupost({"bars.png", "-o", "wide.png", "--bits", "16"}).exit_code == 0);
  const Picture eight = decoded(place, "bars.png"), sixteen = decoded(place, "wide.png");
  const auto from = eight.groups[0].levels[0].texels.as<uint8_t>();
  const auto to = sixteen.groups[0].levels[0].texels.as<uint16_t>();
  REQUIRE(from.size() == to.size());
  for (size_t i = 0; i < from.size(); ++i) REQUIRE(to[i] == from[i] * 257);

  REQUIRE(place.gpupost({"mips", "in.png", "-o", "l{level}.png", "--quiet"}).exit_code == 0);
  const Picture before = decoded(place, "in.png"), after = decoded(place, "l0.png");
  CHECK(std::ranges::equal(before.groups[0].levels[0].texels.bytes(), after.groups[0].levels[0].texels.bytes()));
}

DEVICE_TEST_CASE("integers keep color under alpha 0, also if their depth or places change") {
  const TestFolder place;
  Picture picture = decoded(place, "in.png");
  const auto from = picture.groups[0].levels[0].texels.as<uint8_t>();
  for (size_t i = 0; i < from.size(); i += 4) {
    if (i % 3 == 0) from[i + 3] = 0;
    if (i % 3 == 0) from[i] = 201;
  }
  write_picture(place, "hidden.png", picture);
  check_done(place, {"hidden.png", "-o", "wide.png", "--bits", "16"});
  const Picture wide = decoded(place, "wide.png");
  const auto to = wide.groups[0].levels[0].texels.as<uint16_t>();
  REQUIRE(from.size() == to.size());
  for (size_t i = 0; i < from.size(); ++i) REQUIRE(to[i] == from[i] * 257);
  for (const Words& words : {Words{"wide.png"}, {"wide.png", "flip", "x", "flip", "x"}}) {
    check_done(place, with(words, {"-o", "back.png", "--bits", "8"}));
    check_same(place, "hidden.png", "back.png");
    CHECK(std::ranges::equal(decoded(place, "back.png").groups[0].levels[0].texels.bytes(),
                             picture.groups[0].levels[0].texels.bytes()));
  }
}

DEVICE_TEST_CASE("color under alpha 0 is also kept where a conversion clamps another texel, with a warning") {
  const TestFolder place;
  Picture picture = decoded(place, "in.png");
  const auto texels = picture.groups[0].levels[0].texels.as<uint8_t>();
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = std::array<uint8_t, 4>{201, 190, 180, 0}[i % 4];
  std::ranges::copy(std::array<uint8_t, 4>{0, 255, 0, 255}, texels.begin());  // out of the range of Rec. 709
  write_picture(place, "hidden.png", picture);
  const auto converted = [&](const Words& ops, const std::string& output) {
    const Finished finished =
        place.gpupost(with(with({"hidden.png", "--input-primaries", "rec2020"}, ops), {"-o", output}));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    CHECK_MESSAGE(finished.err.find("of the values are below 0 and were clamped") != std::string::npos, finished.err);
    const Picture result = decoded(place, output);
    const auto values = result.groups[0].levels[0].texels.as<uint8_t>();
    return std::vector<int>(values.begin(), values.end());
  };
  const std::vector<int> plain = converted({}, "plain.dds");
  CHECK(plain[5] > 100);
  CHECK(plain[7] == 0);
  CHECK(converted({"flip", "x", "flip", "x"}, "moved.dds") == plain);
  CHECK(converted({"mips"}, "levels.dds") == plain);
}

DEVICE_TEST_CASE("no work is done on channels that the output cannot hold, and they are named") {
  const TestFolder place;
  const Finished finished = place.gpupost({"mips", "depth.exr", "-o", "out.ktx2", "--report", "r.json"});
  CHECK(finished.exit_code == 0);
  CHECK(finished.err == "gpupost: warning: depth.exr: ktx2 holds only color and alpha; dropped channels: Z id\n");
  const json report = parse_json(place.read("r.json"));
  for (const json& pass : report["jobs"][0]["passes"])
    CHECK_MESSAGE(pass["name"].get<std::string>().find("(Z)") == std::string::npos, pass.dump());
}

TEST_CASE("a warning of several inputs is said of the first, with their number behind all of them") {
  const TestFolder place;
  const std::string copies = "cp depth.exr second.exr && cp depth.exr third.exr && ";
  const std::string dropped = "png holds only color and alpha; dropped channels: Z id\n",
                    first = "gpupost: warning: depth.exr: ";
  const Finished three = place.shell(copies + "gpupost depth.exr in.exr second.exr third.exr -o '{stem}.png'");
  CHECK(three.exit_code == 0);
  CHECK(three.err == first + dropped + "gpupost: warning: 2 more inputs: " + dropped);
  const Finished two = place.gpupost({"depth.exr", "second.exr", "-o", "{stem}.png", "--report", "r.json"});
  CHECK(two.err == first + dropped + "gpupost: warning: 1 more input: " + dropped);
  const json report = parse_json(place.read("r.json"));
  for (const json& job : report["jobs"]) CHECK(job["warnings"].size() == 1);
  for (const std::string name : {"key1", "key2"}) {
    Picture picture = decoded(place, "depth.exr");
    picture.groups.back().channels[0].name = name + ".R";
    write_picture(place, name + ".exr", picture);
  }
  const Finished keys = place.gpupost({"key1.exr", "key2.exr", "-o", "{stem}.png"});
  CHECK_MESSAGE(keys.err.find("key2.exr: png holds only color and alpha; dropped channels: ") != keys.err.npos,
                keys.err);
}

TEST_CASE("--transfer linear makes a PNG of linear numbers that says so") {
  const TestFolder place;
  check_done(place, {"in.exr", "-o", "linear.png", "--bits", "16", "--transfer", "linear"});
  CHECK(parse_json(place.gpupost({"info", "linear.png", "--json"}).out)["transfer"] == "linear");
  CHECK(place.read("linear.png").find("sRGB") == std::string::npos);
  check_done(place, {"in.exr", "-o", "plain.png", "--bits", "16"});
  CHECK(place.read("linear.png") != place.read("plain.png"));
  check_done(place, {"linear.png", "-o", "back.exr", "--bits", "16f"});
  CHECK(place.gpupost({"compare", "in.exr", "back.exr", "--tolerance", "0.001"}).exit_code == 0);
}

DEVICE_TEST_CASE("a note says so if integers change because the output has the curve of sRGB") {
  const TestFolder place;
  REQUIRE(place.gpupost({"in.png", "--transfer", "linear", "-o", "linear.png"}).exit_code == 0);
  const std::string note = "its curve is linear, and that of the output is srgb";
  const auto says = [&](const Words& words) {
    const Finished finished = place.gpupost(words);
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err.find(note) != std::string::npos;
  };
  CHECK(says({"linear.png", "-o", "a.png"}));
  CHECK(says({"linear.png", "flip", "x", "-o", "b.png"}));
  CHECK_FALSE(says({"linear.png", "flip", "x", "-o", "c.png", "--transfer", "srgb"}));
  CHECK_FALSE(says({"linear.png", "exposure", "--stops", "1", "-o", "d.png"}));
  CHECK_FALSE(says({"linear.png", "-o", "e.exr"}));
  CHECK_FALSE(says({"in.png", "flip", "x", "-o", "f.png"}));
  check_done(place, {"linear.png", "resize", "--size", "48x8", "--transfer", "linear", "-o", "strip.png"});
  const Words prefiltered{"prefilter", "--levels", "1", "--assemble", "cube-from-strip", "-o", "g.dds"};
  CHECK(says(with({"strip.png"}, prefiltered)));
  CHECK_FALSE(says(with({"strip.png", "exposure", "--stops", "1"}, prefiltered)));
}

TEST_CASE("a format that is only read is named as such when the output becomes an EXR") {
  const TestFolder place;
  // 1 x 1, 24 bits
  place.write("one.bmp", std::string("BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0", 30) +
                             std::string(24, '\0') + std::string("\x40\x80\xc0\0", 4));
  const Finished finished = place.gpupost({"one.bmp", "-o", "made/", "--mkdir"});
  CHECK(finished.exit_code == 0);
  CHECK(finished.err == "gpupost: warning: one.bmp: gpupost does not write bmp files; the result is written as exr\n");
}
