// Blurs in which a thread goes along a line: where its segments, blocks and queues begin and end.
#include "tests/support/device.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr std::string_view borders[] = {"clamp", "repeat", "mirror", "black", "renormalize"};
constexpr Kind floats = kinds[0], halves = kinds[1];

}  // namespace

GPU_TEST_CASE("lines: every border, on sides that no block of texels divides") {
  for (const std::string_view words :
       {"--radius 8 --method sliding", "--radius 17 --method sliding", "--sigma 9 --method lines"})
    for (const std::string_view border : borders) {
      const Call call = call_of("blur", fmt::format("{} --border {}", words, border));
      check_call(gpu, call, "nonfinite", {35, 21}, floats);
      check_call(gpu, call, "huge", {17, 9}, floats);
    }
}

GPU_TEST_CASE("lines: every radius about the length of a block, and many of them" * doctest::test_suite("thorough")) {
  for (const std::string_view words : {"--method sliding", "--method lines", "--method lines --kernel gaussian"})
    for (const int radius : {1, 2, 3, 4, 6, 7, 8, 9, 10, 15, 16, 31, 100})
      for (const std::string_view pattern : {"nonfinite", "huge"})
        check_call(gpu, call_of("blur", fmt::format("--radius {} {}", radius, words)), pattern, {35, 21}, halves);
}

GPU_TEST_CASE("lines: sums go on from segment to segment of a long line" * doctest::test_suite("thorough")) {
  for (const int radius : {7, 10, 100, 1024}) {
    const Call call = call_of("blur", fmt::format("--radius {} --method sliding --border mirror", radius));
    check_call(gpu, call, "noise", {4801, 3}, floats);
    check_call(gpu, call, "nonfinite", {3, 4801}, floats);
  }
}
