// --apply-to: what ops do to channels beside the color.
#include "core/codec/codec.h"
#include "core/image/primaries.h"
#include "tests/program/test_folder.h"
#include "tests/support/json.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// The picture depth.exr: half R G B, float Z, uint id.
std::vector<float> depths_of(const Picture& picture, size_t level = 0) {
  const auto numbers = picture.groups.at(1).levels.at(level).texels.as<const float>();
  std::vector<float> depths;
  for (size_t at = 0; at < numbers.size(); at += 4) depths.push_back(numbers[at]);
  return depths;
}

Picture result_of(const TestFolder& place, const Words& words) {
  const Finished finished = place.gpupost(with(words, {"depth.exr", "-o", "out.exr"}));
  INFO(finished.err);
  REQUIRE(finished.exit_code == 0);
  return decoded(place, "out.exr");
}

bool has_mixed(const Picture& before, const Picture& after) {
  const std::vector<float> from = depths_of(before), to = depths_of(after);
  const std::set<float> known(from.begin(), from.end());
  return std::ranges::any_of(to, [&](float depth) { return !known.contains(depth); });
}

}  // namespace

DEVICE_TEST_CASE("depth is resized by nearest and not blurred, unless --apply-to says so") {
  const TestFolder place;
  const Picture before = decoded(place, "depth.exr");
  const Picture smaller = result_of(place, {"resize", "--size", "60%"});
  CHECK(depths_of(smaller).size() == texel_count(smaller.size()));
  CHECK(!has_mixed(before, smaller));
  CHECK(depths_of(result_of(place, {"blur", "--radius", "2"})) == depths_of(before));
  for (const std::string list : {"all", "Z", "color,Z"}) {
    CHECK_MESSAGE(has_mixed(before, result_of(place, {"resize", "--size", "60%", "--apply-to", list})), list);
    CHECK_MESSAGE(has_mixed(before, result_of(place, {"blur", "--radius", "2", "--apply-to", list, "--verify"})), list);
  }
  // colors are the same either way
  const Picture alone = result_of(place, {"blur", "--radius", "2"}),
                all = result_of(place, {"blur", "--radius", "2", "--apply-to", "all"});
  CHECK(std::ranges::equal(alone.groups[0].levels[0].texels.bytes(), all.groups[0].levels[0].texels.bytes()));
}

DEVICE_TEST_CASE("irradiance takes the nearest texel of channels other than color, the lower one of two") {
  const TestFolder place;
  Picture strip = picture_of(made_group({Channel{"Z", Depth::f32}}, Depth::f32, {48, 8}, 1,
                                        [](int x, int y, size_t, int) { return bits_of_float(float(100 * y + x)); }));
  Group color = made_group({Channel{"R", Depth::half}, Channel{"G", Depth::half}, Channel{"B", Depth::half}},
                           Depth::half, {48, 8}, 1, [](int, int, size_t, int) { return bits_of_half(1); });
  color.is_color = true;
  strip.groups.insert(strip.groups.begin(), std::move(color));
  write_picture(place, "strip.exr", strip);
  const std::vector<std::vector<int>> nearest{{3}, {1, 3, 6}, {0, 2, 4, 6}};
  for (const std::vector<int>& texels : nearest) {
    const size_t side = texels.size();
    check_done(place, {"strip.exr", "irradiance", "--size", std::to_string(side), "-o", "out.exr"});
    const std::vector<float> depths = depths_of(decoded(place, "out.exr"));
    REQUIRE(depths.size() == 6 * side * side);
    for (size_t at = 0; at < depths.size(); ++at) {
      const size_t column = at % (6 * side), row = at / (6 * side);
      CHECK(depths[at] == float(100 * texels[row] + 8 * int(column / side) + texels[column % side]));
    }
  }
}

DEVICE_TEST_CASE("mips makes levels of every channel") {
  const TestFolder place;
  CHECK(place.gpupost({"mips", "depth.exr", "-o", "color.exr"}).err == "");
  const Picture before = decoded(place, "depth.exr");
  CHECK(has_mixed(before, decoded(place, "color.exr", 1)));
}

DEVICE_TEST_CASE("luminance and sheet drop other channels for the ops behind them too") {
  const TestFolder place;
  for (const Words& chain : {Words{"luminance", "--tile", "1"},
                             {"luminance", "--tile", "2", "crop", "--window", "2x2+1+1"},
                             {"stats", "luminance", "--size", "5x4", "pad", "--size", "9x8"},
                             {"sheet"}}) {
    const Picture made = result_of(place, chain);
    CHECK(made.groups.size() == 1);
    CHECK(made.groups[0].is_color);
  }
  CHECK(place.gpupost({"luminance", "median", "--apply-to", "Z", "depth.exr", "-o", "x.exr"}).err ==
        "gpupost: --apply-to filters other channels, and `luminance` drops them; leave out one of both\n");
  CHECK(place.gpupost({"luminance", "--tile", "1", "dof", "depth.exr", "-o", "x.exr"}).err ==
        "gpupost: dof: `luminance` before it drops all channels but Y, also depth; put `dof` before "
        "`luminance`\n");
}

DEVICE_TEST_CASE("ids of a Cryptomatte are never mixed and never rounded") {
  const TestFolder place;
  std::array<Channel, 4> names;
  for (size_t c = 0; c < 4; ++c) names[c] = {fmt::format("Ids00.{}", "ABGR"[c]), Depth::f32};
  Picture picture = decoded(place, "depth.exr");
  std::erase_if(picture.groups, [](const Group& group) { return !group.is_color; });
  picture.groups.push_back(made_group(names, Depth::f32, picture.size(), 1, [](int x, int y, size_t c, int) {
    return std::bit_cast<uint32_t>(1e30f + 1e24f * float(100 * y + 3 * x + int(c)));
  }));
  const std::string name = "Ids";
  picture.attributes.push_back({"cryptomatte/0a1b2c3/name", "string", {name.begin(), name.end()}});
  write_picture(place, "depth.exr", picture);
  const Picture before = decoded(place, "depth.exr");
  CHECK(depths_of(result_of(place, {"blur", "--radius", "2", "--apply-to", "all", "--fp16"})) == depths_of(before));
  CHECK(!has_mixed(before, result_of(place, {"resize", "--size", "60%", "--apply-to", "all"})));
  result_of(place, {"mips", "--fp16"});
  CHECK(!has_mixed(before, decoded(place, "out.exr", 1)));
  CHECK(
      place.gpupost({"blur", "--radius", "2", "--apply-to", "Ids00", "depth.exr", "-o", "x.exr"}).err ==
      "gpupost: --apply-to Ids00: channel Ids00.R is of a Cryptomatte, which ops cannot filter; leave --apply-to out; "
      "the image has no other float channels\n");
  // as color
  for (const Words& chain : {Words{"blur", "--radius", "2"}, {"mips"}, {"gain", "--value", "2"}}) {
    const Finished refused = place.gpupost(with(chain, {"depth.exr", "--layer", "Ids00", "-o", "x.exr"}));
    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(
        refused.err.ends_with("--layer: channel Ids00.R is of a Cryptomatte, whose ids must not change; choose "
                              "another --layer\n"),
        refused.err);
  }
  for (const Words& chain : {Words{"flip", "x"},
                             {"channels", "--list", "G,G,G", "gain", "--value", "2"},
                             {"crop", "--window", "4x4+0+0"},
                             {"resize", "--size", "50%", "--filter", "nearest"},
                             {"stats"}})
    result_of(place, with(chain, {"--layer", "Ids00"}));
  for (const Words& option : {Words{"--fp16"},
                              {"--bits", "16f"},
                              {"--storage", "fp16"},
                              {"--storage", "r11g11b10"},
                              {"--space", "yxy"},
                              {"--output-primaries", "ap1"},
                              {"--input-transfer", "srgb"},
                              {"--input-alpha", "straight"}}) {
    const Finished refused = place.gpupost(with({"flip", "x", "depth.exr", "--layer", "Ids00", "-o", "x.exr"}, option));
    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.err.find(option[0]) < refused.err.find(": --layer Ids00: channel Ids00.R is of a Crypt"),
                  refused.err);
  }
  for (const Words& output : {Words{"-o", "x.png"},
                              {"-o", "x.jpg"},
                              {"-o", "x.hdr"},
                              {"-o", "x.tif", "--bits", "8"},
                              {"-o", "x.dds", "--compression", "bc6h"}}) {
    for (const Words& words : {output, with(output, {"--explain", "flip", "x"})}) {
      const Finished refused = place.gpupost(with({"depth.exr", "--layer", "Ids00"}, words));
      CHECK(refused.exit_code == 1);
      CHECK_MESSAGE(refused.err.find("is of a Cryptomatte, whose ids must not change") != refused.err.npos,
                    refused.err);
    }
  }
  check_done(place, {"depth.exr", "--layer", "Ids00", "-o", "x.tif", "--quiet"});
  result_of(place, {"channels", "--list", "G,G,G", "--layer", "Ids00", "--fp16"});
}

DEVICE_TEST_CASE(
    "ids of a Cryptomatte that --layer makes the color keep their bits, and `channels` makes others of them") {
  const TestFolder place;
  std::array<Channel, 4> names;
  for (size_t c = 0; c < 4; ++c) names[c] = {fmt::format("Ids00.{}", "RGBA"[c]), Depth::f32};
  Picture picture = color_picture_of(made_group(names, Depth::f32, {8, 8}, 1, [](int x, int y, size_t c, int) {
    return std::bit_cast<uint32_t>(1e30f + 1e24f * float(100 * y + 3 * x + int(c)));
  }));
  const std::string name = "Ids";
  picture.attributes.push_back({"cryptomatte/0a1b2c3/name", "string", {name.begin(), name.end()}});
  set_primaries(picture, ap1);
  write_picture(place, "ids.exr", picture);
  const auto run = [&](const Words& chain) {
    const Finished finished = place.gpupost(with({"ids.exr", "--layer", "Ids00", "-o", "out.exr"}, chain));
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    return finished.err;
  };
  const auto texels = [&](const char* file) {
    const Picture read = decode_file(place.path(file), {.layer = "Ids00", .limits = {}}).picture;
    const std::span<const float> values = read.groups.front().levels[0].texels.as<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  for (const Words& chain : {Words{"stats"}, {"flip", "x", "stats", "flip", "x"}, {"nan"}}) {
    CHECK(run(chain).find("primaries") == std::string::npos);
    CHECK(texels("out.exr") == texels("ids.exr"));
    CHECK(decoded(place, "out.exr").attributes.size() == decoded(place, "ids.exr").attributes.size());
  }
  for (const char* compression : {"pxr24", "dwaa"})
    CHECK(run({"flip", "x", "--compression", compression}).find("changes the ids of Cryptomattes") !=
          std::string::npos);
  CHECK(run({"channels", "--list", "G,R,B,A"}).find("are dropped: cryptomatte/0a1b2c3/name") != std::string::npos);
  CHECK(std::ranges::count(decoded(place, "out.exr").attributes, "cryptomatte/0a1b2c3/name", &Attribute::name) == 0);
}

DEVICE_TEST_CASE("a note tells of alphas of layers that --keep-alpha does not keep") {
  const TestFolder place;
  std::array<Channel, 4> names;
  for (size_t c = 0; c < 4; ++c) names[c] = {fmt::format("L.{}", "RGBA"[c]), Depth::f32};
  Picture picture = decoded(place, "depth.exr");
  picture.groups.push_back(made_group(names, Depth::f32, picture.size(), 1, [](int x, int y, size_t c, int) {
    return std::bit_cast<uint32_t>(float(x + y + int(c)));
  }));
  write_picture(place, "depth.exr", picture);
  const std::string call = "convolve --rows 1,1,1,1,1,1,1,1,1 --normalize --keep-alpha";
  const auto err_of = [&](const std::string& names_of_filtered) {
    return place.shell("gpupost depth.exr " + call + " --apply-to " + names_of_filtered + " -o out.exr").err;
  };
  const std::string note =
      "channels L.A are filtered, because --keep-alpha of `" + call + "` keeps only the alpha of the color\n";
  CHECK(err_of("L").find(note) != std::string::npos);
  CHECK(err_of("Z,L.R").find("keeps only") == std::string::npos);
}

DEVICE_TEST_CASE("ids in a layer of --apply-to take the nearest texel, as with all") {
  const TestFolder place;
  Picture picture = decoded(place, "depth.exr");
  picture.groups[1].channels[0].name = "L.Z";
  picture.groups[2].channels[0].name = "L.id";
  write_picture(place, "depth.exr", picture);
  const Picture all = result_of(place, {"resize", "--size", "60%", "--apply-to", "all"}),
                layer = result_of(place, {"resize", "--size", "60%", "--apply-to", "L"});
  for (const size_t group : {1, 2})
    CHECK(std::ranges::equal(all.groups[group].levels[0].texels.bytes(), layer.groups[group].levels[0].texels.bytes()));
}

DEVICE_TEST_CASE("one note for all inputs says what was not filtered, and --quiet silences it") {
  const TestFolder place;
  place.write("sub/depth.exr", place.read("depth.exr"));
  const Words chain{"blur", "--radius", "1", "depth.exr", "sub/depth.exr", "-o", "{stem}.{dir}.soft.exr"};
  Words words{"blur", "--radius", "1", "depth.exr", "-o", "out.exr", "--report", "r.json"};
  const Finished finished = place.gpupost(words);
  CHECK(finished.err ==
        "gpupost: note: depth.exr: channels Z are not filtered, because --apply-to does not name them: `blur "
        "--radius 1` leaves them as they are (--apply-to all filters them like the color)\n");
  CHECK(parse_json(place.read("r.json"))["jobs"][0]["notes"].size() == 1);
  words.push_back("--quiet");
  CHECK(place.gpupost(words).err == "");
  const Finished batch = place.gpupost({"blur", "--radius", "1", "depth.exr", "sub/depth.exr", "-o", "{dir}/soft.exr"});
  CHECK(std::ranges::count(batch.err, '\n') == 2);
  CHECK_MESSAGE(batch.err.find("note: 1 more input: channels Z") != std::string::npos, batch.err);
  CHECK(place.gpupost({"flip", "x", "depth.exr", "-o", "out.exr"}).err == "");
  CHECK(place.gpupost({"exposure", "--stops", "1", "depth.exr", "-o", "out.exr"}).err == "");
}

DEVICE_TEST_CASE("nan mends depth too, and dof sees the mended one") {
  const TestFolder place;
  Picture broken = decoded(place, "depth.exr");
  const auto numbers = broken.groups[1].levels[0].texels.as<float>();
  numbers[0] = std::numeric_limits<float>::quiet_NaN();
  numbers[4] = std::numeric_limits<float>::infinity();
  write_picture(place, "depth.exr", broken);
  const std::vector<float> mended = depths_of(result_of(place, {"nan", "--policy", "clamp"}));
  CHECK(mended[0] == 0);
  CHECK(mended[1] == 65504);
  CHECK(mended[2] == numbers[8]);
  const Finished refused =
      place.gpupost({"nan", "--policy", "error", "depth.exr", "-o", "o.exr", "--report", "failed.json", "--timing"});
  CHECK(refused.exit_code == 2);
  const nlohmann::json failed = parse_json(place.read("failed.json"))["jobs"][0];
  CHECK(failed["width"] == 37);
  CHECK(failed["error"].get<std::string>().find("infinite values: 2") != std::string::npos);
  CHECK_MESSAGE(refused.err.find("infinite values: 2") != std::string::npos, refused.err);
  // the same as of a file that was mended before
  REQUIRE(place.gpupost({"nan", "depth.exr", "-o", "mended.exr"}).exit_code == 0);
  REQUIRE(place.gpupost({"dof", "--focus", "5", "mended.exr", "-o", "two.exr"}).exit_code == 0);
  REQUIRE(place.gpupost({"nan", "dof", "--focus", "5", "depth.exr", "-o", "one.exr"}).exit_code == 0);
  CHECK(place.gpupost({"compare", "one.exr", "two.exr"}).exit_code == 0);
}

DEVICE_TEST_CASE("a picture without color is mixed where --apply-to names its channels, and else refused") {
  const TestFolder place;
  Picture picture = decoded(place, "depth.exr");
  picture.groups.erase(picture.groups.begin());
  write_picture(place, "z.exr", picture);
  const Finished refused = place.gpupost({"blur", "--radius", "1", "z.exr", "-o", "o.exr"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err ==
        "gpupost: blur --radius 1: the image has no color, and this op skips other channels; expected --apply-to all, "
        "or --apply-to with some of Z\n");
  CHECK(place.gpupost({"blur", "--radius", "1", "z.exr", "-o", "o.exr", "--apply-to", "Z", "--verify"}).exit_code == 0);
  CHECK(place.gpupost({"resize", "--size", "50%", "mips", "z.exr", "-o", "o.exr", "--verify"}).exit_code == 0);
  CHECK(place.gpupost({"nan", "z.exr", "-o", "o.exr"}).exit_code == 0);
}

DEVICE_TEST_CASE("--explain and shader show what channels beside the color go through") {
  const TestFolder place;
  const auto explained = [&](const Words& words) {
    const Finished finished = place.gpupost(with(words, {"depth.exr", "--explain"}));
    CHECK(finished.exit_code == 0);
    return finished.out;
  };
  const std::string mixed = explained({"resize", "--size", "50%", "mips"});
  const size_t beside =
      mixed.find("channels Z\nnearest  `resize --size 50%` copies the nearest texels\nchain    mips\n");
  REQUIRE_MESSAGE(beside != mixed.npos, mixed);
  CHECK(mixed.find("pass 0", beside) != mixed.npos);
  CHECK(mixed.find("channels id\nnearest  `resize --size 50%` copies the nearest texels\nnearest  `mips` copies the "
                   "nearest texels\n") != mixed.npos);
  CHECK(explained({"blur", "--radius", "2"}).find("channels Z stay as they are\n") != std::string::npos);
  const std::string dropped = "channels Z id are dropped\n";
  CHECK(explained({"exposure", "--stops", "1", "-o", "x.png"}).ends_with(dropped));
  CHECK(explained({"sheet", "-o", "x.exr"}).ends_with(dropped));
  CHECK(explained({"flip", "x", "--drop-channels"}).ends_with(dropped));
  CHECK(explained({"luminance"}).ends_with(dropped));
  // depth of floats has a pass of its own where the color is of halves
  const std::string all = place.gpupost({"shader", "blur", "--radius", "2", "depth.exr", "--apply-to", "all"}).out;
  const std::string alone = place.gpupost({"shader", "blur", "--radius", "2", "depth.exr"}).out;
  CHECK(all.size() > alone.size());
}

TEST_CASE("--apply-to with a channel that is not there is refused in one line") {
  const TestFolder place;
  const Finished finished = place.gpupost({"blur", "--radius", "1", "depth.exr", "-o", "o.exr", "--apply-to", "Q"});
  CHECK(finished.exit_code == 1);
  CHECK(finished.err ==
        "gpupost: --apply-to Q: the image has no channel or layer of this name besides color; expected color, all, or "
        "some of Z\n");
}

DEVICE_TEST_CASE("--keep-alpha and the color of a canvas are not for depths, also with --apply-to") {
  const TestFolder place;
  const std::vector<float> before = depths_of(decoded(place, "depth.exr"));
  const Words mean{"convolve", "--rows", "1,1,1,1,1,1,1,1,1", "--normalize", "--apply-to", "Z"};
  Words kept = mean;
  kept.push_back("--keep-alpha");
  const std::vector<float> filtered = depths_of(result_of(place, kept));
  CHECK(filtered != before);
  CHECK(filtered == depths_of(result_of(place, mean)));
  Words padded{"pad", "--size", "60x60", "--color", "0.1,0.2,0.3,0.5"};
  const std::vector<float> alone = depths_of(result_of(place, padded));
  padded.insert(padded.end(), {"median", "--radius", "1", "--apply-to", "Z", "--verify"});
  const std::vector<float> applied = depths_of(result_of(place, padded));
  for (const size_t corner : {size_t(0), size_t(59), size_t(59 * 60), size_t(60 * 60 - 1)})
    CHECK(applied[corner] == alone[corner]);  // in the border, all texels nearby are the same
  const Picture fitted = result_of(place, {"resize", "--fit", "30x60", "--pad", "0.1,0.2,0.3,0.5", "--apply-to", "Z"});
  const std::vector<float> depths = depths_of(fitted);
  constexpr size_t width = 30, top = 21;  // 37 x 21 texels become 30 x 17
  for (size_t at = 0; at < top * width; ++at) CHECK(depths[at] == depths[top * width + at % width]);
}

DEVICE_TEST_CASE("a picture with only uint channels is not filtered, and the message names them") {
  const TestFolder place;
  Picture picture = decoded(place, "depth.exr");
  picture.groups.erase(picture.groups.begin(), picture.groups.begin() + 2);
  write_picture(place, "ids.exr", picture);
  for (const Words& more : {Words{}, {"--apply-to", "all"}}) {
    const Finished refused = place.gpupost(with({"blur", "--radius", "1", "ids.exr", "-o", "o.exr"}, more));
    CHECK(refused.exit_code == 1);
    CHECK(refused.err ==
          "gpupost: blur --radius 1: this op filters half and float channels without ids, and the image has only id; "
          "leave the op out\n");
  }
}

DEVICE_TEST_CASE("--apply-to is refused where no op of the chain takes it, and lists those that do, as the help does") {
  const TestFolder place;
  const std::string names = "blur, convolve, dilate, erode, irradiance, median, project, resize, rotate and warp";
  for (const Words& chain : {Words{"sharpen"},
                             {"bilateral"},
                             {"guided"},
                             {"exposure", "--stops", "1"},
                             {"flip", "x"},
                             {"mips"},
                             {"pad", "--size", "80x80"},
                             Words{}}) {
    Words words = with(chain, {"depth.exr", "-o", "o.exr", "--apply-to", "Z"});
    const Finished refused = place.gpupost(words);
    CAPTURE(text_of({.program = "gpupost", .words = words}));
    CHECK(refused.exit_code == 1);
    CHECK(refused.err == "gpupost: --apply-to Z has no effect, because no op of the chain takes it; expected one of " +
                             names + ", or no --apply-to\n");
    words.back() = "color";  // the default
    CHECK(place.gpupost(words).exit_code == 0);
  }
  std::string help = place.gpupost({"--help"}).out;
  std::ranges::replace(help, '\n', ' ');
  help.erase(std::unique(help.begin(), help.end(), [](char a, char b) { return a == ' ' && b == ' '; }), help.end());
  CHECK(help.find("This is for " + names + ".") != help.npos);
  // one op that takes it is enough, and these do something with it
  check_done(place, {"sharpen", "blur", "--radius", "1", "depth.exr", "-o", "o.exr", "--apply-to", "Z"});
  const std::vector<Words> chains{{"blur", "--radius", "1"},   {"convolve", "--rows", "1,2,1,2,4,2,1,2,1"},
                                  {"dilate", "--radius", "1"}, {"erode", "--radius", "1"},
                                  {"median", "--radius", "1"}, {"project"},
                                  {"resize", "--size", "60%"}, {"rotate", "--degrees", "30"}};
  for (const Words& chain : chains) {
    CAPTURE(chain.front());
    CHECK(depths_of(result_of(place, chain)) != depths_of(result_of(place, with(chain, {"--apply-to", "all"}))));
  }
}
