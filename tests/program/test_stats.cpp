// Statistics of whole files, as JSON on standard output.
#include "tests/program/test_folder.h"

#include "core/image/to_working.h"
#include "tests/support/json.h"
#include "tests/support/skip.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

using namespace gpupost;
using namespace gpupost::test;
using nlohmann::json;

namespace {

// What gpupost prints, a line each.
std::vector<json> lines_of(const Finished& finished) {
  INFO(finished.err);
  CHECK(finished.exit_code == 0);
  std::vector<json> lines;
  for (const std::string& line : test::lines_of(finished.out)) lines.push_back(parse_json(line));
  return lines;
}

json stats_of(const TestFolder& place, const std::string& file) {
  const std::vector<json> lines = lines_of(place.gpupost({file, "stats", "--verify", "--quiet"}));
  REQUIRE(lines.size() == 1);
  return lines[0];
}

json channel(const json& stats, const std::string& name) {
  for (const json& one : stats["channels"])
    if (one["name"] == name) return one;
  FAIL("no channel ", name);
  return {};
}

// A float EXR with R, G and B of one value everywhere but for R, which begins with `reds`.
std::string file_with(Size size, float value, const std::vector<float>& reds) {
  const auto number = [&](int x, int y, size_t component, int) {
    const auto index = size_t(y * size.width + x);
    return bits_of_float(component == 0 && index < reds.size() ? reds[index] : value);
  };
  return exr_of(color_picture_of(
      made_group({{{"R", Depth::f32}, {"G", Depth::f32}, {"B", Depth::f32}, {}}}, Depth::f32, size, 1, number)));
}

// The numbers of a line of `oiiotool --stats`, one a channel.
std::vector<double> oiio_numbers(const std::string& text, const std::string& label) {
  const size_t at = text.find("Stats " + label + ": ");
  REQUIRE(at != text.npos);
  std::istringstream stream(text.substr(at + label.size() + 8, text.find('\n', at) - at - label.size() - 8));
  return {std::istream_iterator<double>(stream), {}};
}

}  // namespace

DEVICE_TEST_CASE("every float channel's numbers are those of oiiotool, to six digits") {
  const TestFolder place;
  if (place.shell("oiiotool --version").exit_code != 0) return skip("there is no oiiotool");
  const std::string file = std::filesystem::absolute("testdata/scene.exr").string();
  const json stats = stats_of(place, file);
  const std::string told = place.shell("oiiotool --stats '" + file + "'").out;
  const std::vector<double> least = oiio_numbers(told, "Min"), largest = oiio_numbers(told, "Max"),
                            means = oiio_numbers(told, "Avg"), nans = oiio_numbers(told, "NanCount"),
                            deviations = oiio_numbers(told, "StdDev");
  const std::string names[] = {"R", "G", "B", "A", "Z", "", "N.X", "N.Y", "N.Z"};  // in the file's order; id is uint
  REQUIRE(means.size() == std::size(names));
  for (size_t index = 0; index < means.size(); ++index) {
    if (names[index].empty()) continue;
    CAPTURE(names[index]);
    const json found = channel(stats, names[index]);
    const auto is_equal = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); };
    CHECK(is_equal(found["mean"], means[index]));
    CHECK(is_equal(found["minimum"], least[index]));
    CHECK(is_equal(found["maximum"], largest[index]));
    CHECK(is_equal(found["deviation"], deviations[index]));
    CHECK(found["nan"] == nans[index]);
  }
  CHECK(stats["not_measured"] == json{"id"});
}

DEVICE_TEST_CASE("values of 8 bits are measured as they are, not rounded to half") {
  const TestFolder place;
  const Size size{9, 5};
  const auto number = [](int, int, size_t component, int) { return component == 3 ? 255u : 37u; };
  Picture picture = color_picture_of(
      made_group({{{"R", Depth::u8}, {"G", Depth::u8}, {"B", Depth::u8}, {}}}, Depth::u8, size, 1, number));
  picture.transfer = Transfer::srgb;
  write_picture(place, "gray.png", picture);
  const double light = srgb_decode(37 / 255.0);
  const auto is_light = [&](const json& one) { return std::abs(one["mean"].get<double>() / light - 1) < 1e-6; };
  CHECK(is_light(channel(stats_of(place, "gray.png"), "R")));
  const std::vector<json> lines = lines_of(place.gpupost({"gray.png", "stats", "-o", "out.png"}));
  CHECK(is_light(lines.at(0)["luminance"]));
  check_done(place, {"gray.png", "luminance", "-o", "y.exr"});
  CHECK(std::abs(number_at(decoded(place, "y.exr").groups[0], 0) / light - 1) < 1e-6);
}

DEVICE_TEST_CASE("a picture with infinities and one NaN still has sane numbers, and counts them") {
  const TestFolder place;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  place.write("odd.exr", file_with({9, 5}, 0.5f, {std::nanf(""), infinity, -infinity, -2, 0}));
  const json stats = stats_of(place, "odd.exr");
  const json red = channel(stats, "R"), luminance = stats["luminance"];
  CHECK(red["nan"] == 1);
  CHECK(red["infinite"] == 2);
  CHECK(red["negative"] == 1);
  CHECK(red["zero"] == 1);
  CHECK(red["mean"] == doctest::Approx((40 * 0.5 - 2) / 42).epsilon(1e-6));
  CHECK(red["deviation"] == doctest::Approx(std::sqrt((40 * 0.25 + 4) / 42 - std::pow(18.0 / 42, 2))).epsilon(1e-5));
  CHECK(channel(stats, "G")["mean"] == 0.5);
  CHECK(channel(stats, "G")["deviation"] == 0);
  CHECK(luminance["nan"] == 1);
  CHECK(luminance["infinite"] == 2);
  CHECK(luminance["maximum"] == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(luminance["percentiles"]["50"] == doctest::Approx(0.5).epsilon(0.1));
}

DEVICE_TEST_CASE("black has a mean of 0 and no log average; a picture without any number has none at all") {
  const TestFolder place;
  place.write("black.exr", file_with({64, 48}, 0, {}));
  const json black = stats_of(place, "black.exr")["luminance"];
  CHECK(black["mean"] == 0);
  CHECK(black["zero"] == 64 * 48);
  CHECK(black["log_average"].is_null());
  CHECK(black["percentiles"]["50"].is_null());
  place.write("one.exr", file_with({1, 1}, 3, {}));
  const json one = stats_of(place, "one.exr")["luminance"];
  for (const char* name : {"mean", "minimum", "maximum", "log_average"}) CHECK(one[name] == doctest::Approx(3));
  place.write("none.exr", file_with({1, 1}, std::nanf(""), {}));
  CHECK(one["deviation"] == 0);
  CHECK(stats_of(place, "none.exr")["luminance"]["mean"].is_null());
  CHECK(stats_of(place, "none.exr")["luminance"]["deviation"].is_null());
}

DEVICE_TEST_CASE("a chain that ends in stats writes a picture with -o alone, and that is the picture of before") {
  const TestFolder place;
  const auto before = place.files();
  CHECK(lines_of(place.gpupost({"in.exr", "stats"})).size() == 1);
  CHECK(place.files() == before);
  for (const std::string name : {"in.exr", "in.png", "depth.exr"}) {
    const std::string out = "out." + name;
    CHECK(lines_of(place.gpupost({name, "stats", "-o", out})).size() == 1);
    CHECK(place.gpupost({"compare", name, out}).exit_code == 0);
  }
  CHECK(lines_of(place.shell("cat in.exr | gpupost stats")).size() == 1);
}

DEVICE_TEST_CASE("each stats of a chain and each input has a line of its own, of the picture as it stands there") {
  const TestFolder place;
  const std::vector<json> lines =
      lines_of(place.gpupost({"in.exr", "depth.exr", "stats", "exposure", "--stops", "1", "stats", "--measure",
                              "extremes", "crop", "--window", "5x4+0+0", "stats", "--verify", "--quiet"}));
  REQUIRE(lines.size() == 6);
  for (const size_t first : {0, 3}) {
    const json &plain = lines[first], &brighter = lines[first + 1], &part = lines[first + 2];
    CHECK(plain["input"] == (first == 0 ? "in.exr" : "depth.exr"));
    CHECK(plain["before"].empty());
    CHECK(part["before"].size() == 4);
    CHECK(brighter["luminance"]["mean"] ==
          doctest::Approx(2 * plain["luminance"]["mean"].get<double>()).epsilon(0.001));
    CHECK(!brighter.contains("channels"));
    CHECK(part["width"] == 5);
  }
  CHECK(channel(lines[5], "Z")["maximum"] == doctest::Approx(12.1));
}

DEVICE_TEST_CASE("stats in a chain lists the channels of the image at its place") {
  const TestFolder place;
  const auto channels_of = [&](const Words& words) {
    std::string names;
    const std::vector<json> lines = lines_of(place.gpupost(with(words, {"stats", "--quiet"})));
    for (const json& one : lines.at(0)["channels"]) names += one["name"].get<std::string>();
    return names;
  };
  REQUIRE(place.shell("oiiotool --create 4x4 2 --chnames R,G -o rg.exr").exit_code == 0);
  CHECK(channels_of({"rg.exr"}) == "RG");
  CHECK(channels_of({"rg.exr", "invert"}) == "RGB");
  CHECK(channels_of({"in.png", "luminance", "--tile", "1"}) == "Y");
  CHECK(channels_of({"in.png", "channels", "--list", "R,G,B"}) == "RGB");
  CHECK(channels_of({"rg.exr", "channels", "--list", "R,G,B,0.5"}) == "RGA");
}

DEVICE_TEST_CASE("each image of a sheet or an array has its name in its statistics") {
  const TestFolder place;
  for (const Words& last : {Words{"sheet", "-o", "sheet.exr"}, {"--assemble", "array", "-o", "array.ktx2"}}) {
    Words words = with({"in.exr", "other.exr", "stats"}, last);
    words.push_back("--quiet");
    const std::vector<json> lines = lines_of(place.gpupost(words));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0]["input"] == "in.exr");
    CHECK(lines[1]["input"] == "other.exr");
  }
}

DEVICE_TEST_CASE("the automatic exposure brings the log average to the key, and leaves black black") {
  const TestFolder place;
  const auto log_average = [&](const Words& words) -> json {
    const Words all = with(with({"float.exr", "exposure"}, words), {"stats", "--verify", "--quiet"});
    return lines_of(place.gpupost(all)).at(0)["luminance"]["log_average"];
  };
  CHECK(log_average({"--auto"}) == doctest::Approx(0.18).epsilon(1e-5));
  CHECK(log_average({"--auto", "--key", "2"}) == doctest::Approx(2).epsilon(1e-5));
  // without the darker half it is darker
  CHECK(log_average({"--auto", "--percentile", "50,100"}) < 0.15);
  place.write("black.exr", file_with({5, 3}, 0, {}));
  CHECK(place.gpupost({"black.exr", "exposure", "--auto", "-o", "out.exr"}).exit_code == 0);
  CHECK(place.gpupost({"compare", "black.exr", "out.exr"}).exit_code == 0);
}

TEST_CASE("words of the automatic exposure that contradict each other or mean nothing are refused") {
  const TestFolder place;
  for (const Words& words : {Words{},
                             {"--auto", "--stops", "1"},
                             {"--stops", "1", "--key", "0.2"},
                             {"--stops", "1", "--percentile", "1,99"},
                             {"--auto", "--percentile", "90,10"},
                             {"--auto", "--percentile", "10"},
                             {"--auto", "--percentile", "10,101"}}) {
    const Finished finished = place.gpupost(with({"in.exr", "exposure", "-o", "out.exr"}, words));
    CHECK(finished.exit_code == 1);
    CHECK(is_one_error(finished.err));
  }
}

TEST_CASE("numbers, pictures and reports do not meet on standard output") {
  const TestFolder place;
  for (const std::string line : {"cat in.exr | gpupost stats -o -", "cat in.exr | gpupost stats flip x",
                                 "gpupost in.exr stats -o -", "gpupost in.exr stats flip x -o -"}) {
    const Finished finished = place.shell(line + " | cat");
    CAPTURE(line);
    CHECK(finished.out == "");
    CHECK(finished.err.find("would both go to standard output") != std::string::npos);
    CHECK(is_one_error(finished.err));
  }
  CHECK(place.gpupost({"in.exr", "stats", "-o", "-"}).exit_code == 1);
  for (const std::string option :
       {"--report -", "--progress json --progress-file /dev/stdout", "--depfile /dev/stdout"}) {
    const Finished finished = place.shell("gpupost in.exr stats " + option + " | cat");
    CAPTURE(option);
    CHECK(finished.out == "");
    CHECK(finished.err.find(": the output of stats goes there too; name another file\n") != std::string::npos);
    CHECK(is_one_error(finished.err));
  }
}

DEVICE_TEST_CASE("the file of statistics is an output of each job that adds to it, and a target in the depfile") {
  const TestFolder place;
  REQUIRE(place.gpupost({"--bake", "5", "gain", "--value", "2", "-o", "look.cube"}).exit_code == 0);
  const Words words{"in.exr",    "in.png", "lut",      "look.cube", "--linear", "stats",      "-o",  "s.JSON",
                    "--depfile", "d",      "--report", "r.json",    "--quiet",  "--progress", "json"};
  for (const Words& more : {Words{}, {"--no-clobber"}}) {
    const Finished finished = place.gpupost(with(words, more));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    CHECK(place.read("d") == "s.JSON: in.exr look.cube in.png\nin.exr:\nlook.cube:\nin.png:\n");
    // lines of progress come before the file is written
    CHECK((finished.err.find("\"outputs\":[\"s.JSON\"]") != finished.err.npos) == !more.empty());
    for (const json& job : parse_json(place.read("r.json"))["jobs"]) CHECK(job["outputs"] == json{"s.JSON"});
  }
  CHECK(place.gpupost({"in.exr", "cut.png", "stats", "-o", "t.json", "--report", "r.json"}).exit_code == 5);
  CHECK(parse_json(place.read("r.json"))["jobs"][1]["outputs"].empty());
}

DEVICE_TEST_CASE("the file of statistics is replaced only if all inputs were measured") {
  const TestFolder place;
  CHECK(place.gpupost({"in.exr", "stats", "-o", "s.json"}).exit_code == 0);
  const std::string before = place.read("s.json");
  CHECK(place.gpupost({"cut.png", "stats", "-o", "s.json"}).exit_code == 2);
  CHECK(place.gpupost({"in.png", "cut.png", "stats", "-o", "s.json"}).exit_code == 5);
  CHECK(place.read("s.json") == before);
}

DEVICE_TEST_CASE(
    "a sequence of which all frames are skipped has an empty file of statistics in the place of an old one") {
  const TestFolder place;
  place.write("s.json", "old");
  place.write("f.0001.exr", "");
  const Finished finished = place.gpupost({"stats", "f.####.exr", "--frames", "9", "--skip-missing", "-o", "s.json"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(place.read("s.json").empty());
}

DEVICE_TEST_CASE("a shard without inputs has an empty file of statistics") {
  const TestFolder place;
  place.write("s.json", "old");
  const auto finished = [&](const std::string& shard) {
    return place.gpupost({"stats", "in.exr", "-o", "s.json", "--shard", shard});
  };
  CHECK(finished("1/2").exit_code == 0);
  const std::string first = place.read("s.json");
  CHECK(finished("2/2").exit_code == 0);
  const std::string second = place.read("s.json");
  CHECK((first.empty() != second.empty()));
  CHECK(std::max(first, second).starts_with("{"));
}

DEVICE_TEST_CASE("a file about the run that cannot be written leaves the others and the last line of --progress json") {
  const TestFolder place;
  const Finished finished = place.shell(
      "ln -s /dev/full full; gpupost in.exr flip x -o o.png --depfile full --report "
      "r.json --progress json --progress-file p.json");
  CHECK(finished.exit_code == 3);
  CHECK(finished.err == "gpupost: full: cannot be written: No space left on device\n");
  CHECK(place.has("r.json"));
  const json end = parse_json(test::lines_of(place.read("p.json")).back());
  CHECK(end["event"] == "end");
  CHECK(end["exit"] == 3);
}

DEVICE_TEST_CASE("if the file of statistics cannot be written, the report says so, and the depfile is written") {
  const TestFolder place;
  const Finished finished =
      place.shell("ln -s /dev/full full.json; gpupost in.exr in.png stats -o full.json --depfile d --report r.json");
  CHECK(finished.exit_code == 3);
  const std::string error = "full.json: cannot be written: No space left on device";
  CHECK(finished.err == "gpupost: " + error + "\n");
  CHECK(place.has("d"));
  CHECK(place.read("d").empty());
  for (const json& job : parse_json(place.read("r.json"))["jobs"]) {
    CHECK(job["error"] == error);
    CHECK(job["outputs"].empty());
    CHECK(job["statistics"].size() == 1);
  }
}

DEVICE_TEST_CASE("--verify of statistics names the numbers of a histogram by their luminances") {
  const TestFolder place;
  const std::string told = place.gpupost({"depth.exr", "stats", "--verify"}).err;
  CHECK_MESSAGE(told.find("closest to its tolerance: ") != told.npos, told);
  CHECK_MESSAGE(told.find(", within the allowed ") != told.npos, told);
  CHECK_MESSAGE(told.find("bin ") == told.npos, told);
}

DEVICE_TEST_CASE("a table says what JSON says, and the report has the same object") {
  const TestFolder place;
  const Finished table = place.gpupost({"in.exr", "stats", "--table"});
  const json plain = stats_of(place, "in.exr");
  CHECK(table.exit_code == 0);
  for (const std::string& text : Words{"luminance", "log average", "percentile 50", plain["luminance"]["mean"].dump()})
    CHECK_MESSAGE(table.out.find(text) != std::string::npos, text, " is missing in\n", table.out);
  CHECK(place.gpupost({"in.exr", "stats", "--report", "r.json"}).exit_code == 0);
  const json report = parse_json(place.read("r.json"));
  CHECK(report["jobs"][0]["statistics"][0] == plain);
  CHECK(report["jobs"][0]["outputs"].empty());
}
