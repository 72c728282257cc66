// Shaders that the device does not finish in time: the run ends by itself, with an error.
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>

using namespace gpupost::test;

namespace {

// Many seconds of work for any picture. llvmpipe leaves loops after 65,535 rounds, so each round does a lot.
std::string endless_file() {
  std::string body;
  for (int line = 0; line < 60; ++line) body += "    c = sin(c) + cos(c.wzyx);\n";
  return "//!point x\nvec4 x(vec4 c, x_params p) {\n  for (int i = 0; i < 60000; ++i) {\n" + body +
         "  }\n  return c;\n}\n";
}

}  // namespace

TEST_CASE("a shader that does not end is exit 4, and nothing is written") {
  if (!has_device()) return;
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

TEST_CASE("a batch ends with all inputs as failures where the device is stuck at the first") {
  if (!has_device()) return;
  const TestFolder place;
  place.write("endless.glsl", endless_file());
  const Finished finished = place.gpupost({"point", "endless.glsl", "in.exr", "wide.exr", "float.exr", "-o",
                                           "{stem}.new.exr", "--device-seconds", "1", "--report", "report.json"});
  CHECK_MESSAGE(finished.exit_code == 5, finished.err);
  const size_t first = finished.err.find("the device has not finished");
  CHECK(first != std::string::npos);
  CHECK(finished.err.find("the device has not finished", first + 1) != std::string::npos);
  CHECK(place.has("report.json"));
}

TEST_CASE("arrays and calls that the driver would take minutes over are refused before it sees them") {
  if (!has_device()) return;
  const TestFolder place;
  place.write("array.glsl",
              "//!point x\nvec4 x(vec4 c, x_params p) { float a[100000000]; for (int i = 0; i < 512; ++i) a[i] = c.r * "
              "float(i); return vec4(a[int(c.g) & 511]); }\n");
  const Finished finished = place.gpupost({"point", "array.glsl", "in.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 2);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  CHECK(finished.err.find("array.glsl: its local variables take ") != std::string::npos);
}
