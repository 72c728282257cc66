// Levels of a part of a frame, in files of their own: they lie and look as those of the frame do.
#include "tests/program/test_folder.h"

#include "core/image/level_windows.h"
#include "tests/support/json.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <filesystem>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// What a window sees of an endless picture, with ids beside it.
void write_seen(const TestFolder& place, const std::string& name, const Windows& windows) {
  const Window& data = windows.data;
  const auto number = [&](int x, int y, size_t component, int) {
    const double value = std::sin(0.05 * (x + data.min_x)) + std::cos(0.04 * (y + data.min_y) + double(component));
    return std::bit_cast<uint32_t>(float(value));
  };
  Picture picture{.data_window = data, .display_window = windows.display, .groups = {}};
  picture.groups.push_back(made_group({{{"R", Depth::f32}, {"G", Depth::f32}, {"B", Depth::f32}, {}}}, Depth::f32,
                                      size_of(data), 1, number));
  picture.groups[0].is_color = true;
  picture.groups.push_back(made_group({{{"id", Depth::u32}}}, Depth::u32, size_of(data), 1,
                                      [](int x, int, size_t, int) { return uint32_t(x); }));
  write_picture(place, name, picture);
}

float number_at(const Picture& picture, int x, int y) {
  const Window& data = picture.data_window;
  const size_t index = size_t(y - data.min_y) * size_t(size_of(data).width) + size_t(x - data.min_x);
  return picture.groups[0].levels[0].texels.as<float>()[4 * index];
}

void check_levels(const TestFolder& place, const Window& frame, const Window& part, int level_count) {
  write_seen(place, "whole.exr", {.data = frame, .display = frame});
  write_seen(place, "part.exr", {.data = part, .display = frame});
  for (const char* name : {"whole", "part"}) {
    const Finished finished =
        place.gpupost({"mips", "--levels", std::to_string(level_count), std::string(name) + ".exr", "-o",
                       std::string(name) + ".{level}.exr", "--verify"});
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  }
  for (int level = 0; level < level_count; ++level) {
    CAPTURE(level);
    const Picture whole = decoded(place, fmt::format("whole.{}.exr", level));
    const Picture made = decoded(place, fmt::format("part.{}.exr", level));
    CHECK(made.display_window == whole.display_window);
    CHECK(made.data_window == data_window_at_level({.data = part, .display = frame}, level));
    CHECK(made.groups.size() == 2);
    const Window& data = made.data_window;
    double most = 0;
    for (int y = data.min_y + 1; y < data.max_y; ++y)
      for (int x = data.min_x + 1; x < data.max_x; ++x)
        most = std::max(most, std::abs(double(number_at(made, x, y)) - double(number_at(whole, x, y))));
    CHECK(most <= 1e-5);
  }
}

}  // namespace

DEVICE_TEST_CASE("levels of a part of a frame, a file each, are those of the frame there") {
  const TestFolder place;
  check_levels(place, {0, 0, 127, 95}, {5, 7, 90, 61}, 4);
  check_levels(place, {-16, 8, 111, 103}, {3, 19, 77, 80}, 3);
  check_levels(place, {0, 0, 100, 70}, {5, 7, 90, 61}, 4);  // of odd sides
}

DEVICE_TEST_CASE("levels of a chain are measured and made of the part alone") {
  const TestFolder place;
  write_seen(place, "part.exr", {.data = {5, 7, 90, 61}, .display = {0, 0, 127, 95}});
  const Finished finished =
      place.gpupost({"part.exr", "stats", "blur", "--sigma", "2", "mips", "--levels", "3", "-o", "p.{level}.exr"});
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  CHECK(finished.out.find("\"width\":86,\"height\":55") != std::string::npos);
  CHECK(place.gpupost({"part.exr", "blur", "--sigma", "2", "-o", "blurred.exr"}).exit_code == 0);
  CHECK(place.gpupost({"compare", "blurred.exr", "p.0.exr"}).exit_code == 0);
}

TEST_CASE("a part at any place of a frame keeps what it holds at every level, and no more") {
  constexpr Window frame{-3, 2, 60, 65};
  for (int min = -3; min < 20; ++min)
    for (int side = 1; side < 20; ++side) {
      const Windows windows{.data = {min, min + 5, min + side - 1, min + side + 4}, .display = frame};
      for (int level = 0; level < 5; ++level) {
        const Window held = data_window_at_level(windows, level);
        const int texel = 1 << level, first = frame.min_x >> level;
        CHECK((held.min_x - first) * texel <= min - frame.min_x);
        CHECK((held.min_x - first + 1) * texel > min - frame.min_x);
        CHECK((held.max_x - first + 1) * texel >= min + side - frame.min_x);
        CHECK((held.max_x - first) * texel < min + side - frame.min_x);
      }
    }
}

DEVICE_TEST_CASE("--explain shows the sizes of a run, also where the data window is not the display window") {
  const TestFolder place;
  write_seen(place, "a.exr", {.data = {10, 10, 39, 39}, .display = {0, 0, 63, 63}});
  write_seen(place, "b.exr", {.data = {18, 18, 59, 29}, .display = {0, 0, 63, 63}});
  write_seen(place, "c.exr", {.data = {2, 1, 17, 8}, .display = {0, 0, 31, 31}});
  // the size of the last image of color, that of the result
  const auto explained = [&](Words words) {
    words.push_back("--explain");
    const Finished finished = place.gpupost(words);
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    const std::string color = finished.out.substr(0, finished.out.find("\nchannels "));
    const size_t image = color.rfind("\nimage ");
    REQUIRE(image != color.npos);
    const size_t begin = color.find("  ", image) + 2;
    return color.substr(begin, color.find(',', begin) - begin);
  };
  for (const Words& words : std::vector<Words>{{"a.exr", "resize", "--fit", "33x33"},
                                               {"b.exr", "resize", "--long-side", "32"},
                                               {"c.exr", "resize", "--size", "50%"},
                                               {"c.exr", "resize", "--size", "50%", "crop", "--to", "display"},
                                               {"a.exr", "b.exr", "resize", "--fit", "33x33", "sheet"}}) {
    CAPTURE(text_of({.program = "gpupost", .words = words}));
    check_done(place, with(words, {"-o", "out.exr", "--quiet"}));
    const Size size = decoded(place, "out.exr").size();
    const int columns = words[1] == "b.exr" ? 2 : 1;
    CHECK(explained(words) == fmt::format("{} x {}", size.width / columns, size.height));
  }
  // levels in one file without windows are made of the display window
  CHECK(explained({"a.exr", "mips", "-o", "a.dds"}) == "64 x 64");
  CHECK(explained({"a.exr", "mips", "-o", "a.exr"}) == "30 x 30");
  CHECK(explained({"a.exr", "mips", "-o", "a.exr", "--to-display"}) == "64 x 64");
  // those in files of their own match the levels of the frame, so the part is enlarged before them
  CHECK(explained({"a.exr", "mips", "--levels", "3", "-o", "l.{level}.exr"}) == "32 x 32");
  CHECK(explained({"a.exr", "flip", "x", "mips", "--levels", "3"}) == "32 x 32");
  check_done(place, {"a.exr", "mips", "--levels", "3", "-o", "l.{level}.exr", "--report", "r.json"});
  const auto passes = parse_json(place.read("r.json"))["jobs"][0]["passes"];
  CHECK(passes[0]["bytes_read"] == 16 * 32 * 32);
}

DEVICE_TEST_CASE("levels for a format without windows are those of crop --to display directly before mips") {
  const TestFolder place;
  write_seen(place, "a.exr", {.data = {10, 10, 39, 39}, .display = {0, 0, 63, 63}});
  for (const Words& ops :
       {Words{}, {"crop", "--window", "20x16+3+5"}, {"crop", "--to", "data"}, {"blur", "--radius", "2"}}) {
    const Words before = with({"a.exr"}, ops);
    check_done(place, with(before, {"crop", "--to", "display", "mips", "-o", "same.dds"}));
    const Finished finished = place.gpupost(with(before, {"mips", "--verify", "-o", "out.dds"}));
    CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    CHECK((place.read("out.dds") == place.read("same.dds")));
    const bool is_told =
        finished.err.find("dds holds no windows; it gets the display window of 64 x 64 texels\n") != finished.err.npos;
    CHECK(is_told == (ops.empty() || ops.front() == "blur"));
  }
}

TEST_CASE("a display window that is too large is refused by name, also in a sheet of several inputs") {
  const TestFolder place;
  write_seen(place, "huge.exr", {.data = {0, 0, 4, 3}, .display = {0, 0, 40000, 40000}});
  const Finished sheet = place.gpupost({"in.exr", "huge.exr", "sheet", "-o", "out.exr"});
  CHECK(sheet.exit_code == 2);
  const Finished levels = place.gpupost({"huge.exr", "mips", "-o", "out.dds"});
  CHECK(levels.exit_code == 2);
  CHECK(levels.err.starts_with("gpupost: huge.exr: its display window has 40001 x 40001 texels; the limit is "));
  CHECK(sheet.err.starts_with("gpupost: huge.exr: its display window has 40001 x 40001 texels; the limit is "));
  const Finished batch = place.gpupost({"huge.exr", "in.exr", "-o", "{stem}.out.png"});
  CHECK(batch.exit_code == 5);
  CHECK(batch.err.starts_with("gpupost: huge.exr: its display window has 40001 x 40001 texels; the limit is "));
}
