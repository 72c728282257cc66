// Shaders that the device does not finish in time: the run ends by itself, with an error.
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpupost::test;

namespace {

// A point op of so many rounds a texel. llvmpipe leaves loops after 65,535 rounds, so each round does a lot.
std::string slow_file(int rounds, int lines) {
  std::string body;
  for (int line = 0; line < lines; ++line) body += "    c = sin(c) + cos(c.wzyx);\n";
  return fmt::format(
      "//!point x\nvec4 x(vec4 c, x_params p) {{\n  for (int i = 0; i < {}; ++i) {{\n{}  }}\n  return c;\n}}\n", rounds,
      body);
}

std::string endless_file() { return slow_file(60000, 60); }

}  // namespace

DEVICE_TEST_CASE("a shader that does not end is exit 4, and nothing is written") {
  const TestFolder place;
  place.write("endless.glsl", endless_file());
  const Finished finished =
      place.gpupost({"point", "endless.glsl", "in.exr", "-o", "out.exr", "--device-seconds", "1"});
  CHECK(finished.exit_code == 4);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  CHECK(finished.err.find("the device has not finished within 1 s") != std::string::npos);
  CHECK(finished.err.find("--device-seconds") != std::string::npos);
  CHECK(!place.has("out.exr"));
}

DEVICE_TEST_CASE("a device that still stores texels after its time does not bring the program down") {
  const TestFolder place;
  place.write("slow.glsl", slow_file(200, 4));
  const Finished finished = place.gpupost(
      {"resize", "--size", "2048x2048", "point", "slow.glsl", "in.exr", "-o", "out.exr", "--device-seconds", "1"});
  CHECK_MESSAGE(finished.exit_code == 4, finished.err);
}

DEVICE_TEST_CASE("a batch ends with all inputs as failures where the device is stuck at the first") {
  const TestFolder place;
  place.write("endless.glsl", endless_file());
  const Finished finished = place.gpupost({"point", "endless.glsl", "in.exr", "wide.exr", "float.exr", "-o",
                                           "{stem}.new.exr", "--device-seconds", "1", "--report", "report.json"});
  CHECK_MESSAGE(finished.exit_code == 4, finished.err);
  const size_t first = finished.err.find("the device has not finished");
  CHECK(first != std::string::npos);
  CHECK(finished.err.find("the device has not finished", first + 1) != std::string::npos);
  CHECK(place.has("report.json"));
}

DEVICE_TEST_CASE("arrays and calls that the driver would take minutes over are refused before it sees them") {
  const TestFolder place;
  place.write("array.glsl",
              "//!point x\nvec4 x(vec4 c, x_params p) { float a[100000000]; for (int i = 0; i < 512; ++i) a[i] = c.r * "
              "float(i); return vec4(a[int(c.g) & 511]); }\n");
  const Finished finished = place.gpupost({"point", "array.glsl", "in.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 2);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  CHECK(finished.err.find("array.glsl: its local variables take ") != std::string::npos);
}
