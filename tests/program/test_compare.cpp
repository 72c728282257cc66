// `gpupost compare` as a test in CI uses it.
#include "tests/program/test_folder.h"

#include "core/codec/codec.h"
#include "tests/support/json.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;
using json = nlohmann::json;

TEST_CASE("compare --json has the numbers of each channel") {
  const TestFolder place;
  const Finished finished = place.gpupost({"compare", "in.exr", "other.exr", "--json"});
  CHECK(finished.exit_code == 6);
  const json result = parse_json(finished.out);
  CHECK(result["equal"] == false);
  const json& pair = result["pairs"][0];
  CHECK(pair["a"] == "in.exr");
  CHECK(pair["levels"][0]["level"] == 0);
  const json& channels = pair["levels"][0]["channels"];
  REQUIRE(channels.size() == 4);
  for (const json& channel : channels) {
    const bool differs = channel["name"] == "G";
    CHECK((channel["maximum"] > 0) == differs);
    CHECK(channel["over_count"] == (differs ? 1 : 0));
    CHECK(channel["psnr"].is_null() != differs);  // infinite without a difference
    if (differs) CHECK(channel["worst"] == json({5, 3}));
  }
  CHECK(parse_json(place.gpupost({"compare", "in.exr", "in.exr", "--json"}).out)["equal"] == true);
  const json sizes = parse_json(place.gpupost({"compare", "in.exr", "wide.exr", "--json"}).out);
  CHECK(sizes["pairs"][0]["problems"] == json({"sizes differ: 37 x 21 and 38 x 21"}));
}

TEST_CASE("compare: a percentage of texels may be over the tolerance, which may be relative") {
  const TestFolder place;
  const auto code_of = [&](Words words) {
    words.insert(words.begin(), {"compare", "in.exr", "other.exr"});
    return place.gpupost(words).exit_code;
  };
  CHECK(code_of({"--max-percent", "0.1"}) == 6);  // one of 777 texels is 0.13 %
  const Finished allowed = place.gpupost({"compare", "in.exr", "other.exr", "--max-percent", "0.2"});
  CHECK(allowed.exit_code == 0);
  CHECK_MESSAGE(allowed.out.find("different") == std::string::npos, allowed.out);
  CHECK(code_of({"--tolerance", "0.002", "--relative"}) == 0);  // the last bit of a half is at most 2^-10 of it
  CHECK(code_of({"--tolerance", "0.00001", "--relative"}) == 6);
  CHECK(code_of({"--max-percent", "101"}) == 1);
  CHECK(code_of({"--scale", "2"}) == 1);
}

TEST_CASE("compare --relative has no PSNR") {
  const TestFolder place;
  const Finished relative = place.gpupost({"compare", "in.exr", "other.exr", "--relative"});
  CHECK(relative.out.find("PSNR n/a, ") != std::string::npos);
  CHECK(relative.out.find(" dB") == std::string::npos);
  const json result = parse_json(place.gpupost({"compare", "in.exr", "other.exr", "--relative", "--json"}).out);
  for (const json& channel : result["pairs"][0]["levels"][0]["channels"])
    for (const char* key : {"psnr", "peak"}) CHECK(channel[key].is_null());
  CHECK(place.gpupost({"compare", "in.exr", "other.exr"}).out.find(" dB, ") != std::string::npos);
}

TEST_CASE("compare -o writes a picture of the differences") {
  const TestFolder place;
  CHECK(place.gpupost({"compare", "in.exr", "other.exr", "-o", "diff.exr", "--scale", "1000"}).exit_code == 6);
  CHECK(place.gpupost({"compare", "in.exr", "other.exr", "-o", "new/diff.png"}).exit_code == 6);
  CHECK(place.gpupost({"compare", "in.exr", "other.exr", "-o", "new/diff.png", "--mkdir"}).exit_code == 6);
  CHECK(decoded(place, "new/diff.png").size() == Size{37, 21});
  const Picture difference = decoded(place, "diff.exr");
  CHECK(difference.size() == Size{37, 21});
  CHECK_FALSE(difference.groups[0].has_alpha());
  size_t count = 0;
  const auto numbers = difference.groups[0].levels[0].texels.as<float>();
  for (size_t texel = 0; texel < texel_count(difference.size()); ++texel)
    for (size_t c = 0; c < 3; ++c) count += numbers[4 * texel + c] != 0;
  CHECK(count == 1);
  CHECK(numbers[4 * (3 * 37 + 5) + 1] > 0);
  CHECK(place.gpupost({"compare", "in.exr", "in.png", "-o", "diff.png"}).exit_code == 6);
  CHECK(decoded(place, "diff.png").size() == Size{37, 21});
  CHECK(place.gpupost({"crop", "--window", "8x8+0+0", "in.exr", "-o", "small.exr"}).exit_code == 0);
  const Finished unlike = place.gpupost({"compare", "in.exr", "small.exr", "-o", "unlike.exr"});
  CHECK(unlike.exit_code == 6);
  CHECK_MESSAGE(unlike.err.find("-o unlike.exr is not written") != std::string::npos, unlike.err);
  CHECK(unlike.err.find("older") == std::string::npos);
  CHECK(!place.has("unlike.exr"));
  const Finished older = place.gpupost({"compare", "in.exr", "small.exr", "-o", "diff.exr"});
  CHECK_MESSAGE(older.err.ends_with("; an older file of this name stays\n"), older.err);
  const Finished onto_input = place.gpupost({"compare", "in.exr", "other.exr", "-o", "other.exr"});
  CHECK(onto_input.exit_code == 1);
  CHECK(onto_input.err.find("is an input") != std::string::npos);
  CHECK(place.gpupost({"compare", "in.exr", "other.exr", "-o", "diff.txt"}).exit_code == 1);
  for (const char* scale : {"0", "-3"})
    CHECK(place.gpupost({"compare", "in.exr", "other.exr", "-o", "diff.exr", "--scale", scale}).err ==
          fmt::format("gpupost: compare: --scale {} is not a number above 0 and at most 1000000\n", scale));
  const Finished pattern = place.gpupost({"compare", "in.exr", "other.exr", "-o", "diff.####.png"});
  CHECK(pattern.exit_code == 1);
  CHECK(
      pattern.err.starts_with("gpupost: compare: -o diff.####.png: has a pattern for a frame number, and the input "));
}

TEST_CASE("compare -o that cannot be written does not change the result of the comparison") {
  const TestFolder place;
  place.shell("mkdir -p d.exr; ln -s loop.exr loop.exr");
  const Finished finished = place.gpupost({"compare", "in.exr", "wide.exr", "-o", "d.exr"});
  CHECK(finished.exit_code == 6);
  const Finished differs = place.gpupost({"compare", "in.exr", "other.exr", "-o", "d.exr"});
  CHECK(differs.exit_code == 6);
  CHECK(differs.err == "gpupost: d.exr: cannot be written: Is a directory\n");
  for (const char* name : {"a.1.exr", "b.1.exr"}) place.write(name, place.read("in.exr"));
  place.write("c.1.exr", place.read("other.exr"));
  CHECK(place.gpupost({"compare", "a.%d.exr", "b.%d.exr", "-o", "none/d.#.exr"}).exit_code == 5);
  CHECK(place.gpupost({"compare", "a.%d.exr", "c.%d.exr", "-o", "none/d.#.exr"}).exit_code == 6);
  const Finished same = place.gpupost({"compare", "in.exr", "in.exr", "-o", "d.exr"});
  CHECK(same.exit_code == 3);
  CHECK(same.out.find("0 % above the tolerance") != std::string::npos);
  const Finished loop = place.gpupost({"compare", "in.exr", "in.png", "-o", "loop.exr"});
  CHECK_MESSAGE(loop.exit_code != 70, loop.err);
}

TEST_CASE("compare --quiet hides warnings and notes, and nothing else") {
  const TestFolder place;
  for (const Words& words : {Words{"compare", "in.exr", "wide.exr", "-o", "d.exr"}, {"compare", "cut.exr", "in.exr"}}) {
    const Finished plain = place.gpupost(words), quiet = place.gpupost(with(words, {"--quiet"}));
    CHECK(quiet.exit_code == plain.exit_code);
    CHECK(quiet.out == plain.out);
    CHECK(quiet.err.find("warning") == quiet.err.npos);
    if (words[1] == "cut.exr") CHECK(quiet.err == plain.err);
    if (words.size() == 5) CHECK(plain.err.find("warning") != plain.err.npos);
  }
}

TEST_CASE("compare refuses an infinite tolerance, which would accept a NaN in one of the images") {
  const TestFolder place;
  for (const char* tolerance : {"inf", "nan", "-1", "1e39"})
    CHECK(place.gpupost({"compare", "in.exr", "other.exr", "--tolerance", tolerance}).err ==
          fmt::format("gpupost: compare: --tolerance {} is not a number of at least 0 and at most 1e+38\n", tolerance));
}

TEST_CASE("compare -o names channels with differences that the picture lacks") {
  const TestFolder place;
  Picture picture = decoded(place, "depth.exr");
  for (Group& group : picture.groups)
    if (group.channels[0].name == "Z") group.levels[0].texels.as<float>()[0] += 1;
  write_picture(place, "other.exr", picture);
  for (const auto& [output, warning] :
       {std::pair("d.png",
                  "gpupost: warning: compare: -o d.png does not show the differences of Z; an EXR shows all "
                  "channels\n"),
        {"d.exr", ""}}) {
    const Finished finished = place.gpupost({"compare", "depth.exr", "other.exr", "-o", output}, no_driver);
    CHECK(finished.exit_code == 6);
    CHECK(finished.err == warning);
  }
  CHECK(place.gpupost({"compare", "depth.exr", "depth.exr", "-o", "d.png"}, no_driver).err == "");
}

TEST_CASE("compare -o writes no picture of images without color to a format that needs it") {
  const TestFolder place;
  Picture picture = decoded(place, "depth.exr");
  std::erase_if(picture.groups, [](const Group& group) { return group.is_color; });
  write_picture(place, "data.exr", picture);
  const Finished finished = place.gpupost({"compare", "data.exr", "data.exr", "-o", "d.png"}, no_driver);
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(finished.out.find("largest 0 at") != std::string::npos, finished.out);
  CHECK(finished.err ==
        "gpupost: warning: compare: -o d.png is not written; the images have no color, and png holds only color; name "
        "an EXR\n");
  CHECK(place.gpupost({"compare", "data.exr", "data.exr", "-o", "d.exr"}, no_driver).err == "");
}

DEVICE_TEST_CASE("compare -o names levels with differences that the picture lacks") {
  const TestFolder place;
  CHECK(place.gpupost({"mips", "in.exr", "-o", "a.exr"}).exit_code == 0);
  CHECK(place.gpupost({"mips", "--filter", "kaiser", "in.exr", "-o", "b.exr"}).exit_code == 0);
  const Finished finished = place.gpupost({"compare", "a.exr", "b.exr", "-o", "d.exr"}, no_driver);
  CHECK(finished.exit_code == 6);
  CHECK(
      finished.err ==
      "gpupost: warning: compare: -o d.exr does not show the differences of level 1, level 2, level 3, level 4, level "
      "5; choose what it shows with --part or --level\n");
  CHECK(place.gpupost({"compare", "a.exr", "b.exr", "--level", "1", "-o", "d.exr"}, no_driver).err == "");
}

TEST_CASE("compare of sequences goes frame by frame, and names frames that one of them lacks") {
  const TestFolder place;
  for (const char* name : {"a.0001.exr", "a.0002.exr", "a.0003.exr", "b.01.exr", "b.03.exr"})
    place.write(name, made_files().at("in.exr"));
  place.write("b.02.exr", made_files().at("other.exr"));
  const Words both{"compare", "a.#.exr", "b.##.exr"};
  const auto run = [&](const Words& more) { return place.gpupost(with(both, more)); };
  const Finished differs = run({"-o", "diff.%d.png"});
  CHECK(differs.exit_code == 6);
  CHECK_MESSAGE(differs.out.ends_with("1 of 3 pairs differ\n"), differs.out);
  CHECK(place.has("diff.2.png"));
  CHECK(run({"-o", "diff.png"}).exit_code == 1);
  CHECK(run({"-o", "diff.%d.txt"}).exit_code == 1);
  CHECK(run({"--frames", "1,3"}).exit_code == 0);
  CHECK(parse_json(run({"--json"}).out)["pairs"].size() == 3);
  place.write("c.11.png", made_files().at("in.png"));
  place.write("c.1.png", made_files().at("in.png"));
  const Finished lost = place.gpupost({"compare", "c.%d.png", "c.%d.png", "--frames", "1,11", "-o", "c.1%d.png"});
  CHECK(lost.exit_code == 1);
  CHECK(lost.err == "gpupost: compare: -o c.11.png is an input; name another file\n");
  CHECK(place.read("c.11.png") == made_files().at("in.png"));
  place.write("a.0005.exr", made_files().at("in.exr"));
  const Finished lacks = run({"--frames", "3-5"});
  CHECK(lacks.exit_code == 5);
  CHECK_MESSAGE(lacks.err.find("b.##.exr: missing frames 4-5;") != std::string::npos, lacks.err);
  CHECK_MESSAGE(run({}).err.find("a.#.exr: missing frame 4;") != std::string::npos, run({}).err);
  const json missing = parse_json(run({"--frames", "3-5", "--json"}).out)["missing"];
  CHECK(missing == json{"a.#.exr: missing frame 4; render it again, or use --skip-missing",
                        "b.##.exr: missing frames 4-5; render them again, or use --skip-missing"});
  CHECK(run({"--frames", "3-5", "--skip-missing"}).exit_code == 0);
  CHECK(run({"--frames", "4-5", "--skip-missing"}).exit_code == 2);  // nothing was compared
  place.write("b.05.exr", made_files().at("cut.exr"));
  const Finished cut = run({"--frames", "3,5"});
  CHECK(cut.exit_code == 5);
  CHECK_MESSAGE(cut.out.ends_with("0 of 2 pairs differ; 1 could not be compared\n"), cut.out);
  const Finished single = place.gpupost({"compare", "a.#.exr", "in.exr"});
  CHECK(single.exit_code == 1);
  CHECK_MESSAGE(single.err.find("in.exr is not a sequence of numbered frames") != std::string::npos, single.err);
}

TEST_CASE("compare names differences of invisible colors, and --input-alpha data compares them") {
  const TestFolder place;
  REQUIRE(place
              .shell("oiiotool --pattern fill:left=1,0,0,1:right=0,1,0,1 4x2 4 -d uint8 --ch R,G,B,A=0 -o a.tif && "
                     "oiiotool --pattern fill:left=0,0,1,1:right=0,1,0,1 4x2 4 -d uint8 --ch R,G,B,A=0 -o b.tif")
              .exit_code == 0);
  const Words straight{"--input-alpha", "straight"};
  for (const char* name : {"a", "b"})
    REQUIRE(place.gpupost(with({std::string(name) + ".tif", "-o", std::string(name) + ".png"}, straight)).exit_code ==
            0);
  const Finished seen = place.gpupost({"compare", "a.png", "b.png"});
  CHECK(seen.exit_code == 0);
  CHECK(seen.err.find("a.png and b.png: colors of texels with alpha 0 are not compared; they differ in ") !=
        seen.err.npos);
  const Finished data = place.gpupost({"compare", "a.png", "b.png", "--input-alpha", "data"});
  CHECK(data.exit_code == 6);
  CHECK(data.err == "");
  CHECK(place.gpupost({"compare", "a.png", "b.png", "--input-alpha", "premultiplied"}).exit_code == 6);
  // of floats only if they are taken as straight
  const Words floats{"--input-alpha", "data", "--input-transfer", "linear"};
  for (const char* name : {"a", "b"})
    REQUIRE(place.gpupost(with({std::string(name) + ".png", "-o", std::string(name) + ".exr"}, floats)).exit_code == 0);
  CHECK(place.gpupost({"compare", "a.exr", "b.exr"}).exit_code == 6);
  const Finished straight_floats = place.gpupost({"compare", "a.exr", "b.exr", "--input-alpha", "straight"});
  CHECK(straight_floats.exit_code == 0);
  CHECK(straight_floats.err.find("a.exr and b.exr: colors of texels with alpha 0 are not compared") != seen.err.npos);
  CHECK(place.gpupost({"compare", "a.png", "a.png"}).err == "");
}

TEST_CASE("compare: a channel that is uint in one file only is named, and its other channels are compared") {
  const TestFolder place;
  REQUIRE(
      place
          .shell(
              "oiiotool depth.exr -d id=float -o floats.exr && oiiotool --pattern noise 4x4 3 -d float --chnames a,b,c "
              "-o abc.exr && oiiotool abc.exr -d b=uint -o uint_b.exr")
          .exit_code == 0);
  const Finished middle = place.gpupost({"compare", "abc.exr", "uint_b.exr"});
  CHECK(middle.out.find("b is uint in one image only\n") != middle.out.npos);
  CHECK(middle.out.find("c            largest 0 ") != middle.out.npos);
  for (const Words& files : {Words{"depth.exr", "floats.exr"}, {"floats.exr", "depth.exr"}}) {
    const Finished finished = place.gpupost(with(with({"compare"}, files), {"-o", "diff.exr"}));
    CHECK(finished.exit_code == 6);
    CHECK(finished.out.find("id is uint in one image only\n") != finished.out.npos);
    CHECK(finished.out.find("Z            largest 0 ") != finished.out.npos);
    CHECK(place.has("diff.exr"));
  }
}

TEST_CASE("compare: channels that both images have are compared, and Y with R, G and B") {
  const TestFolder place;
  REQUIRE(
      place
          .shell("oiiotool in.exr --ch R,G,B -o rgb.exr && oiiotool bars.png --ch 0,0,0 --chnames R,G,B -o bars.exr "
                 "&& gpupost bars.png -o gray.exr")
          .exit_code == 0);
  for (const auto& [a, b, problem, names] :
       {std::tuple("in.exr", "rgb.exr", "channels differ: R G B A and R G B", "RGB"),
        {"rgb.exr", "in.exr", "channels differ: R G B and R G B A", "RGB"},
        {"gray.exr", "bars.exr", "channels differ: Y and R G B", "RGB"},
        {"bars.exr", "gray.exr", "channels differ: R G B and Y", "RGB"}}) {
    const Finished finished = place.gpupost({"compare", a, b, "--json", "-o", "d.exr"});
    CHECK(finished.exit_code == 6);
    const json result = parse_json(finished.out), pair = result["pairs"][0];
    CHECK(pair["problems"] == json({problem}));
    std::string found;
    for (const json& channel : pair["levels"][0]["channels"]) {
      found += channel["name"].get<std::string>();
      CHECK(channel["maximum"] == 0);
    }
    CHECK(found == names);
    CHECK(finished.err ==
          "gpupost: warning: compare: -o d.exr is not written; the images have different sizes, channels or parts\n");
  }
  const Finished other = place.gpupost({"compare", "rgb.exr", "other.exr"});
  CHECK(other.exit_code == 6);
  CHECK_MESSAGE(other.out.find("channels differ: R G B and R G B A\nR            largest 0 ") == 0, other.out);
  CHECK_MESSAGE(other.out.ends_with("\ndifferent: above the tolerance of 0\n"), other.out);
  CHECK(place.gpupost({"compare", "gray.exr", "bars.exr", "--flip", "0.1"}).out.find("\nFLIP ") != other.out.npos);
}

namespace {

double flip_of(const json& result) { return result["pairs"][0]["levels"][0]["flip"]["mean"]; }

// R, G, B and A of 16 x 16 texels.
Picture picture_of_level(const std::function<float(int x, int y, size_t component)>& number) {
  return color_picture_of(made_group({{{"R"}, {"G"}, {"B"}, {"A"}}}, Depth::f32, {16, 16}, 1,
                                     [&](int x, int y, size_t c, int) { return bits_of_float(number(x, y, c)); }));
}

}  // namespace

TEST_CASE("compare --flip decides by the mean of FLIP, and by the channels only if their limits are given") {
  const TestFolder place;
  const auto run = [&](Words words) { return place.gpupost(with({"compare", "in.exr", "other.exr"}, words)); };
  const Finished within = run({"--flip", "0.01"});
  CHECK(within.exit_code == 0);
  CHECK_MESSAGE(within.out.find("\nFLIP         largest 0.") != std::string::npos, within.out);
  CHECK(within.out.find("different") == std::string::npos);
  CHECK(within.out.find("G            largest 0.") != std::string::npos);
  CHECK(run({"--flip", "0.01", "--tolerance", "0"}).exit_code == 6);
  CHECK(run({"--flip", "0.01", "--tolerance", "0.1"}).exit_code == 0);
  CHECK(run({"--flip", "0.01", "--max-percent", "0.1"}).exit_code == 6);
  CHECK(run({"--flip", "0.01", "--max-percent", "0.2"}).exit_code == 0);
  const Finished above = run({"--flip", "0"});
  CHECK(above.exit_code == 6);
  CHECK_MESSAGE(above.out.ends_with("\ndifferent: mean FLIP above 0\n"), above.out);
  CHECK(run({"--flip", "0", "--tolerance", "0.1"}).exit_code == 6);
  CHECK(place.gpupost({"compare", "in.exr", "in.exr", "--flip", "0"}).exit_code == 0);
  CHECK(run({}).out.find("FLIP") == std::string::npos);
  for (const char* limit : {"-0.1", "1.1", "nan", "x"})
    CHECK(run({"--flip", limit}).err ==
          fmt::format("gpupost: compare: --flip {} is not a number of at least 0 and at most 1\n", limit));
  const Finished sizes = place.gpupost({"compare", "in.exr", "wide.exr", "--flip", "1"});
  CHECK(sizes.exit_code == 6);
  CHECK(sizes.out == "sizes differ: 37 x 21 and 38 x 21\ndifferent: properties of the files; see the first lines\n");
  CHECK(place.gpupost({"compare", "in.exr", "rec2020.exr", "--flip", "1"}).exit_code == 6);
}

TEST_CASE("compare --flip takes colors as they are shown: over black, and decoded from the file") {
  const TestFolder place;
  write_picture(place, "alpha.exr", picture_of_level([](int x, int y, size_t c) {
                  const float alpha = float(x) / 15;
                  return c == 3 ? alpha : alpha * float(y) / 15;
                }));
  write_picture(place, "a.exr", noise_of_channels("RGB", Depth::f32, Transfer::linear, {32, 32}));
  write_picture(place, "gray.exr", noise_of_channels("Y", Depth::f32, Transfer::linear, {32, 32}));
  write_picture(place, "black.exr", picture_of_level([](int, int, size_t c) { return c == 3 ? 1.0f : 0; }));
  write_picture(place, "hidden.exr", picture_of_level([](int, int, size_t c) { return c == 3 ? 0.0f : 1; }));
  const Words straight{"--input-alpha", "straight"};
  const auto mean = [&](const std::string& a, const std::string& b, const Words& more) {
    return flip_of(parse_json(place.gpupost(with({"compare", a, b, "--flip", "1", "--json"}, more)).out));
  };
  CHECK(mean("black.exr", "hidden.exr", straight) == 0);
  CHECK(mean("black.exr", "hidden.exr", {}) > 0.96);
  for (const std::string name : {"alpha", "a", "gray"}) {
    CHECK(mean(name + ".exr", name + ".exr", {}) == 0);
    REQUIRE(place.gpupost({name + ".exr", "-o", name + ".png"}).exit_code == 0);
    const double rounded = mean(name + ".exr", name + ".png", {});
    CHECK(rounded > 0);
    CHECK(rounded < 0.01);
  }
}

TEST_CASE("compare --flip --json has the limit, the mean, and the maximum with its position") {
  const TestFolder place;
  const json result =
      parse_json(place.gpupost({"compare", "in.exr", "other.exr", "--flip", "0.25", "--json"}, no_driver).out);
  CHECK(result["flip_limit"] == 0.25);
  CHECK(result["equal"] == true);
  const json& flip = result["pairs"][0]["levels"][0]["flip"];
  CHECK(flip["mean"] > 0);
  CHECK(flip["mean"] < flip["maximum"]);
  const int x = flip["worst"][0], y = flip["worst"][1];
  CHECK(std::max(std::abs(x - 5), std::abs(y - 3)) <= 10);  // the filters reach no farther
  const json plain = parse_json(place.gpupost({"compare", "in.exr", "other.exr", "--json"}).out);
  CHECK_FALSE(plain.contains("flip_limit"));
  CHECK_FALSE(plain["pairs"][0]["levels"][0].contains("flip"));
}

TEST_CASE("compare --flip -o writes the map of FLIP") {
  const TestFolder place;
  const auto run = [&](const Words& more) {
    return place.gpupost(with({"compare", "in.exr", "in.png", "--flip", "1", "--json"}, more));
  };
  const json flip = parse_json(run({"-o", "map.exr"}).out)["pairs"][0]["levels"][0]["flip"];
  const Picture map = decoded(place, "map.exr");
  CHECK(map.groups[0].is_luminance);
  CHECK_FALSE(map.groups[0].has_alpha());
  const double maximum = flip["maximum"];
  const size_t worst = size_t(flip["worst"][1]) * 37 + size_t(flip["worst"][0]);
  CHECK(number_at(map.groups[0], 4 * worst) == maximum);
  CHECK(run({"-o", "map.png"}).exit_code == 0);
  CHECK(number_at(decoded(place, "map.png").groups[0], 4 * worst) == std::round(255 * maximum));
  CHECK(run({"-o", "twice.exr", "--scale", "2"}).exit_code == 0);
  CHECK(number_at(decoded(place, "twice.exr").groups[0], 4 * worst) == 2 * maximum);
  const Finished unlike = place.gpupost({"compare", "in.exr", "wide.exr", "--flip", "1", "-o", "unlike.png"});
  CHECK(unlike.exit_code == 6);
  CHECK_MESSAGE(unlike.err.find("-o unlike.png is not written") != std::string::npos, unlike.err);
}

TEST_CASE("compare --flip compares images without color, and ids, by their channels") {
  const TestFolder place;
  Picture picture = decoded(place, "depth.exr");
  const auto change = [&](const std::string& name) {
    for (Group& group : picture.groups)
      if (group.channels[0].name == "Z") group.levels[0].texels.as<float>()[0] += 1;
    write_picture(place, name, picture);
  };
  change("far.exr");
  CHECK(place.gpupost({"compare", "depth.exr", "far.exr", "--flip", "0"}).exit_code == 0);
  CHECK(place.gpupost({"compare", "depth.exr", "far.exr", "--flip", "0", "--tolerance", "0"}).exit_code == 6);
  std::erase_if(picture.groups, [](const Group& group) { return group.is_color; });
  write_picture(place, "data.exr", picture);
  change("far_data.exr");
  CHECK(place.gpupost({"compare", "data.exr", "data.exr", "--flip", "0"}).exit_code == 0);
  const Finished differs = place.gpupost({"compare", "data.exr", "far_data.exr", "--flip", "1"});
  CHECK(differs.exit_code == 6);
  CHECK_MESSAGE(differs.out.ends_with("\ndifferent: above the tolerance of 0\n"), differs.out);
  CHECK(differs.out.find("FLIP") == std::string::npos);
}

TEST_CASE("compare --flip measures each face and each frame") {
  const TestFolder place;
  const auto write = [&](const std::string& name, float light) {
    write_picture(place, name, picture_of_level([=](int, int, size_t c) { return c == 3 ? 1.0f : light; }));
  };
  write("black.exr", 0);
  write("white.exr", 1);
  const Words black(6, "black.exr");
  Words last = black;
  last.back() = "white.exr";
  REQUIRE(place.gpupost(with(black, {"--assemble", "cube", "-o", "a.ktx2"})).exit_code == 0);
  REQUIRE(place.gpupost(with(last, {"--assemble", "cube", "-o", "b.ktx2"})).exit_code == 0);
  const Finished faces = place.gpupost({"compare", "a.ktx2", "b.ktx2", "--flip", "0.5", "--json"});
  CHECK(faces.exit_code == 6);  // one face is above, and the mean of all is not
  const json levels = parse_json(faces.out)["pairs"][0]["levels"];
  REQUIRE(levels.size() == 6);
  for (size_t face = 0; face < 6; ++face) CHECK((levels[face]["flip"]["mean"] > 0.96) == (face == 5));
  CHECK(place.gpupost({"compare", "a.ktx2", "b.ktx2", "--flip", "0.5", "--part", "0"}).exit_code == 0);
  for (const char* name : {"a.1.exr", "a.2.exr", "b.1.exr"}) write(name, 0);
  write("b.2.exr", 1);
  const Finished frames = place.gpupost({"compare", "a.%d.exr", "b.%d.exr", "--flip", "0.5", "-o", "map.%d.png"});
  CHECK(frames.exit_code == 6);
  CHECK_MESSAGE(frames.out.ends_with("1 of 2 pairs differ\n"), frames.out);
  CHECK(number_at(decoded(place, "map.1.png").groups[0], 0) == 0);
  CHECK(number_at(decoded(place, "map.2.png").groups[0], 0) == 247);  // 255 * 0.967
}

DEVICE_TEST_CASE("compare --flip measures level 0, or that of --level") {
  const TestFolder place;
  for (const auto& [filter, name] : {std::pair("box", "a.exr"), {"kaiser", "b.exr"}})
    REQUIRE(place.gpupost({"mips", "--filter", filter, "in.exr", "-o", name}).exit_code == 0);
  const Words both{"compare", "a.exr", "b.exr", "--flip", "0", "--json"};
  const Finished all = place.gpupost(both);
  CHECK(all.exit_code == 0);  // other levels do not decide
  const json levels = parse_json(all.out)["pairs"][0]["levels"];
  for (size_t level = 0; level < levels.size(); ++level) CHECK(levels[level].contains("flip") == (level == 0));
  const Finished one = place.gpupost(with(both, {"--level", "1"}));
  CHECK(one.exit_code == 6);
  CHECK(flip_of(parse_json(one.out)) > 0);
}
