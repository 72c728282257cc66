// Images of very long sides, which go through in tiles: positions must not overflow 32 bits.
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/op/parse.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>

using namespace gpupost;
using namespace gpupost::test;

namespace {

void check_long(Gpu& gpu, std::string_view op, std::string_view words, Size size) {
  std::vector<Call> calls{call_of(op, words)};
  give_inputs(calls, size);
  const Level base = pattern("noise", size, Depth::f32);
  const ChainRun run = run_chain(gpu, calls, {.size = size, .storage = Depth::f32}, base, {});
  CAPTURE(op);
  CAPTURE(words);
  CAPTURE(size.width);
  CAPTURE(size.height);
  const int first_level = run.first_level;
  for (const LevelCheck& check : verify(calls, base, run.result.levels, first_level, Depth::f32))
    CHECK_MESSAGE(check.share <= 1, describe(check));
}

}  // namespace

GPU_TEST_CASE("resize keeps its positions where sides multiply to more than 32 bits") {
  check_long(gpu, "resize", "--size 20000x1 --filter triangle", {200000, 1});
}

TEST_SUITE_BEGIN("thorough");

GPU_TEST_CASE("every filter keeps its positions on long sides") {
  for (const std::string_view filter : {"box", "triangle", "kaiser"}) {
    const std::string words = " --filter " + std::string(filter);
    check_long(gpu, "resize", "--size 20000x1" + words, {200000, 1});
    check_long(gpu, "resize", "--size 1x32768" + words, {1, 100003});
    check_long(gpu, "resize", "--size 32767x1" + words, {32768, 1});
    check_long(gpu, "resize", "--size 32768x1" + words, {32767, 1});
    check_long(gpu, "resize", "--size 32768x1" + words, {5, 1});
  }
  check_long(gpu, "resize", "--size 30000x1 --filter lanczos3 --border repeat", {131071, 1});
  check_long(gpu, "resize", "--size 30000x1 --filter lanczos3 --border mirror", {131071, 1});
}

GPU_TEST_CASE("other ops keep their positions on long sides") {
  for (const Size size : {Size{200001, 1}, Size{1, 131072}}) {
    check_long(gpu, "mips", "", size);
    check_long(gpu, "blur", "--radius 40", size);
    check_long(gpu, "blur", "--sigma 3 --border mirror", size);
    check_long(gpu, "flip", "", size);
    check_long(gpu, "exposure", "--stops 1", size);
  }
  check_long(gpu, "crop", "--window 70000x1+130000+0", {200001, 1});
}

TEST_SUITE_END();
