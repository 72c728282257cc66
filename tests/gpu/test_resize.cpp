// Parts of a frame in another size, on the device: at once and in tiles, held against the definition.
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include "core/engine/run_chain.h"
#include "core/reference/verify.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace gpupost;
using namespace gpupost::test;

GPU_TEST_CASE("a part of a frame is resized as defined, and the same in tiles") {
  DeviceInfo info = gpu.info();
  info.traits.max_image_side = 40;
  Gpu small(info);
  constexpr Windows windows{.data = {41, 8, 111, 70}, .display = {3, -5, 130, 97}};
  const Size size = size_of(windows.data);
  const Level base = pattern("noise", size, Depth::f32);
  for (const std::string words :
       {"--size 50% --filter box", "--size 33% --filter triangle --border mirror", "--size 77.7%",
        "--size 131% --filter mitchell --border repeat", "--size 30x25 --filter kaiser", "--size 90x61 --filter box"}) {
    std::vector<Call> calls{call_of("resize", words)};
    set_windows(calls, windows);
    const PlanInput input{.size = size, .storage = Depth::f32};
    const ChainRun whole = run_chain(gpu, calls, input, base, {}), tiles = run_chain(small, calls, input, base, {});
    const Level& made = whole.result.levels[0];
    REQUIRE(made.size == size_of(result_windows(calls, windows).data));
    for (const LevelCheck& check : verify(expected_of(calls, base, Depth::f32), std::span(&made, 1), 0))
      CHECK_MESSAGE(check.share <= 1, words, ": ", describe(check));
    const Level& joined = tiles.result.levels[0];
    REQUIRE(joined.size == made.size);
    CHECK_MESSAGE(std::memcmp(joined.texels.data(), made.texels.data(), made.texels.size()) == 0, words);
  }
}

GPU_TEST_CASE("resize and sharpen with --space yxy keep infinities apart that have finite numbers beside them") {
  using Words = std::pair<const char*, const char*>;
  for (const auto& [op, words] : {Words{"resize", "--size 50%"},
                                  {"resize", "--size 130% --filter box"},
                                  {"resize", "--size 50% --ringing keep"},
                                  {"sharpen", ""},
                                  {"sharpen", "--sigma 3 --amount 0.5 --threshold 0.02"}}) {
    const Call call = call_of(op, words);
    check_chain(gpu, {&call, 1}, "nonfinite", {65, 33}, kinds[0], {.between = Space::yxy});
  }
}
