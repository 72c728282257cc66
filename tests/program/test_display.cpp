// Pictures made for a display: what is warned of, and how often.
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

DEVICE_TEST_CASE("a tone curve of a pure color gives no number below 0 and no warning of it") {
  const TestFolder place;
  for (const std::string color : {"0,0,5", "0,0,0.3", "3,0,0", "0,0.7,0"}) {
    REQUIRE(place.gpupost({"channels", "--list", color, "in.exr", "-o", "pure.exr", "--quiet"}).exit_code == 0);
    for (const Words& curve : {Words{}, Words{"--curve", "reinhard-local"}, Words{"--curve", "agx-rec2020"}}) {
      Words words{"tonemap", "pure.exr", "-o", "shown.png"};
      words.insert(words.begin() + 1, curve.begin(), curve.end());
      const Finished finished = place.gpupost(words);
      CHECK(finished.exit_code == 0);
      CHECK_MESSAGE(finished.err.find("below 0") == std::string::npos, color, ": ", finished.err);
    }
  }
}

DEVICE_TEST_CASE(
    "a warning with a number is said of one input of several, and how many more have it with other numbers") {
  const TestFolder place;
  for (const std::string stops : {"1", "2", "3"})
    REQUIRE(place.gpupost({"exposure", "--stops", stops, "in.exr", "-o", stops + ".exr", "--quiet"}).exit_code == 0);
  const Finished finished = place.gpupost({"1.exr", "2.exr", "3.exr", "-o", "{stem}.png"});
  CHECK(finished.exit_code == 0);
  CHECK_MESSAGE(std::ranges::count(finished.err, '\n') == 2, finished.err);
  CHECK_MESSAGE(finished.err.find("warning: 2 more inputs with other numbers; for 1.exr: ") != std::string::npos,
                finished.err);
}

TEST_CASE("splines in the place of a narrow gaussian are refused") {
  const TestFolder place;
  const Finished narrow = place.gpupost({"blur", "--sigma", "1.1", "--method", "spline", "in.exr", "-o", "out.exr"});
  CHECK(narrow.exit_code == 1);
  CHECK_MESSAGE(is_one_error(narrow.err), narrow.err);
  CHECK(narrow.err.find("--sigma 1.1") != std::string::npos);
}
