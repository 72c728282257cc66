// Depth of field of whole files: where the depth comes from.
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace gpupost;
using namespace gpupost::test;

namespace {

std::vector<float> numbers_of(const Picture& picture, size_t group) {
  const auto count = 4 * texel_count(picture.groups[group].levels[0].size);
  std::vector<float> numbers;
  for (size_t index = 0; index < count; ++index) numbers.push_back(float(number_at(picture.groups[group], index)));
  return numbers;
}

void check_refused(const Finished& finished, int exit_code, const std::string& part) {
  CHECK(finished.exit_code == exit_code);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  CHECK_MESSAGE(finished.err.find(part) != std::string::npos, finished.err);
}

}  // namespace

DEVICE_TEST_CASE("depth comes from channel Z, from another one, or from a file, and stays as it is") {
  const TestFolder place;
  const std::string lens = "--focus 3 --f-stop 1 --sensor-width 3 --max-radius 4";
  REQUIRE(place.shell("gpupost depth.exr dof " + lens + " --verify -o z.exr").exit_code == 0);
  REQUIRE(place.shell("gpupost depth.exr dof " + lens + " --depth Z --verify -o named.exr").exit_code == 0);
  REQUIRE(place.shell("gpupost depth.exr dof " + lens + " --depth-file depth.exr -o file.exr").exit_code == 0);
  REQUIRE(place
              .shell("gpupost depth.exr dof " + lens +
                     " --depth-file in.png --depth G --depth-scale 4 --verify -o gray.exr")
              .exit_code == 0);
  const Picture before = decoded(place, "depth.exr"), after = decoded(place, "z.exr");
  CHECK(numbers_of(after, 0) != numbers_of(before, 0));
  CHECK(place.shell("cmp z.exr named.exr && cmp z.exr file.exr").exit_code == 0);
  CHECK(numbers_of(decoded(place, "gray.exr"), 0) != numbers_of(after, 0));
  REQUIRE(after.groups.size() == before.groups.size());
  for (size_t group = 1; group < before.groups.size(); ++group)
    if (before.groups[group].depth == Depth::f32) CHECK(numbers_of(after, group) == numbers_of(before, group));
}

DEVICE_TEST_CASE("a PNG of a picture with depth is made from it, though it cannot hold it") {
  const TestFolder place;
  const Finished finished =
      place.gpupost({"depth.exr", "dof", "--focus-at", "3,4", "--max-radius", "3", "--verify", "-o", "o.png"});
  CHECK_MESSAGE(finished.exit_code == 0, finished.err);
}

TEST_CASE("a depth file without the channel is refused with the option for another part") {
  const TestFolder place;
  check_refused(place.gpupost({"depth.exr", "dof", "--focus", "3", "--depth-file", "in.exr", "-o", "o.exr"}, no_driver),
                1, "choose one with --depth, or another part of the file with --depth-part");
  check_refused(place.gpupost({"in.exr", "dof", "--focus", "3", "-o", "o.exr"}, no_driver), 1,
                "choose one with --depth, or --depth-file");
}

DEVICE_TEST_CASE("a part of a frame has the circles that it has in the frame") {
  const TestFolder place;
  const Window window{.min_x = 7, .min_y = 0, .max_x = 25, .max_y = 20};
  Picture part = decoded(place, "depth.exr");
  part.data_window = window;
  for (Group& group : part.groups) {
    const TexelBuffer from = std::move(group.levels[0].texels);
    const size_t bytes = 4 * bytes_of(group.depth), width = size_t(size_of(window).width);
    Level cut{size_of(window), TexelBuffer(texel_count(size_of(window)) * bytes)};
    for (size_t y = 0; y < 21; ++y)
      std::memcpy(cut.texels.data() + y * width * bytes, from.data() + (y * 37 + 7) * bytes, width * bytes);
    group.levels[0] = std::move(cut);
  }
  write_picture(place, "part.exr", part);
  const std::string lens = " dof --focus 3 --f-stop 1 --sensor-width 3 --max-radius 32 --show coc --verify ";
  REQUIRE(place.shell("gpupost depth.exr" + lens + "-o whole.exr").exit_code == 0);
  REQUIRE(place.shell("gpupost part.exr" + lens + "-o of_part.exr").exit_code == 0);
  const std::vector<float> whole = numbers_of(decoded(place, "whole.exr"), 0),
                           of_part = numbers_of(decoded(place, "of_part.exr"), 0);
  for (size_t y = 0; y < 21; ++y)
    for (size_t index = 0; index < 4 * 19; ++index)
      CHECK(of_part[y * 4 * 19 + index] == whole[(y * 37 + 7) * 4 + index]);
}

DEVICE_TEST_CASE("ops that move texels before it move depth along") {
  const TestFolder place;
  const std::string lens = " dof --focus 3 --f-stop 1 --sensor-width 3 --max-radius 4 ";
  REQUIRE(place.shell("gpupost depth.exr flip x" + lens + "flip x --verify -o moved.exr").exit_code == 0);
  REQUIRE(place.shell("gpupost depth.exr" + lens + "-o straight.exr").exit_code == 0);
  const std::vector<float> moved = numbers_of(decoded(place, "moved.exr"), 0);
  const std::vector<float> straight = numbers_of(decoded(place, "straight.exr"), 0);
  REQUIRE(moved.size() == straight.size());
  for (size_t index = 0; index < moved.size(); ++index)
    CHECK(std::abs(moved[index] - straight[index]) <= 0.002f * std::abs(straight[index]) + 1e-4f);
  CHECK(place.shell("gpupost depth.exr resize --size 50%" + lens + "--verify -o small.exr").exit_code == 0);
  CHECK(place.shell("gpupost depth.exr blur --radius 2" + lens + "--verify -o soft.exr").exit_code == 0);
}

DEVICE_TEST_CASE("a sequence takes the depth file of each frame") {
  const TestFolder place;
  REQUIRE(place
              .shell("for n in 1 2; do cp depth.exr s.000$n.exr; done; cp depth.exr z.0001.exr; "
                     "gpupost depth.exr flip x -o z.0002.exr")
              .exit_code == 0);
  REQUIRE(place.shell("gpupost 's.####.exr' dof --focus 3 --depth-file 'z.{frame}.exr' -o 'o.####.exr'").exit_code ==
          0);
  for (const std::string number : {"0001", "0002"}) {
    REQUIRE(place.shell("gpupost depth.exr dof --focus 3 --depth-file z." + number + ".exr -o one.exr").exit_code == 0);
    CHECK(place.gpupost({"compare", "one.exr", "o." + number + ".exr"}).exit_code == 0);
  }
  CHECK(place.gpupost({"compare", "o.0001.exr", "o.0002.exr"}).exit_code == 6);
  REQUIRE(place
              .shell("gpupost 's.####.exr' dof --focus 3 --depth-file 'z.{frame}.exr' sheet -o sheet.exr && "
                     "gpupost 'o.####.exr' sheet -o of_two_runs.exr")
              .exit_code == 0);
  check_same(place, "sheet.exr", "of_two_runs.exr");
}

DEVICE_TEST_CASE(
    "second images with another data window are refused, and those without a display window of their own are not") {
  const TestFolder place;
  REQUIRE(place.gpupost({"depth.exr", "shift", "--x", "2", "-o", "moved.exr"}).exit_code == 0);
  for (const Words& op : {Words{"dof", "--depth-file"}, {"guided", "--guide"}, {"denoise", "--albedo"}}) {
    CAPTURE(op.front());
    const auto run = [&](const char* image, const char* second) {
      return place.gpupost(with(with({image, "-o", "o.exr"}, op), {second}));
    };
    check_refused(run("depth.exr", "moved.exr"), 1,
                  "the data window of moved.exr begins at 2,0, and that of the image at 0,0");
    for (const char* second : {"moved.exr", "depth.exr"}) {
      const Finished finished = run("moved.exr", second);
      CHECK_MESSAGE(finished.exit_code == 0, finished.err);
    }
  }
}

TEST_CASE("a depth that is not there or not of the picture's size is refused in one line") {
  const TestFolder place;
  check_refused(place.gpupost({"in.exr", "dof", "-o", "o.exr"}), 1, "has no channel Z for the depth; it has ");
  check_refused(place.gpupost({"depth.exr", "dof", "--depth", "W", "-o", "o.exr"}), 1, "has no channel W");
  check_refused(place.gpupost({"in.exr", "dof", "--depth-file", "wide.exr", "--depth", "R", "-o", "o.exr"}), 1,
                "--depth-file wide.exr is 38 x 21; expected 37 x 21");
  check_refused(place.gpupost({"in.exr", "dof", "--depth-file", "missing.exr", "-o", "o.exr"}), 2, "missing.exr");
  check_refused(place.gpupost({"in.exr", "dof", "--depth-file", "cut.exr", "-o", "o.exr"}), 2, "cut.exr");
  check_refused(place.gpupost({"depth.exr", "dof", "--focus-at", "37,0", "-o", "o.exr"}), 1,
                "--focus-at 37,0 is outside");
  check_refused(place.gpupost({"depth.exr", "dof", "--focus", "0.04", "-o", "o.exr"}), 1, "focal length");
  check_refused(place.gpupost({"depth.exr", "dof", "--focal-length", "3000", "-o", "o.exr"}), 1, "focal length");
  check_refused(place.gpupost({"depth.exr", "dof", "--blades", "2", "-o", "o.exr"}), 1, "--blades 2");
  check_refused(place.gpupost({"depth.exr", "dof", "--focus", "3", "--focus-at", "1,1", "-o", "o.exr"}), 1,
                "both given");
}
