// Tiles refuse what the whole image refuses, and chains that cannot be tiled are refused.
#include "core/base/error.h"
#include "core/engine/run_chain.h"
#include "tests/support/device.h"
#include "tests/support/error_of.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>

using namespace gpupost;
using namespace gpupost::test;

GPU_TEST_CASE("counts of what is refused are those of all parts") {
  Gpu small = small_device(gpu, 100);
  const Call call = call_of("nan", "--policy error");
  const auto message_of = [&](Gpu& device, std::string_view name) -> std::string {
    return coded_error_of([&] {
      const ChainRun run = run_chain(device, {&call, 1}, {.size = {333, 222}, .storage = Depth::f32},
                                     pattern(name, {333, 222}, Depth::f32), {});
      check_guards(run.plan, run.result.statistics);
    });
  };
  CHECK(message_of(gpu, "noise").empty());
  CHECK(message_of(small, "noise").empty());
  CHECK(!message_of(gpu, "nonfinite").empty());
  CHECK(message_of(gpu, "nonfinite") == message_of(small, "nonfinite"));
}

GPU_TEST_CASE("packed tiles refuse what the whole image refuses, and nothing more") {
  if (!gpu.info().traits.has_packed_floats) return;
  const int scale = gpu.info().traits.type == DeviceType::cpu ? 1 : 4;
  const Size size{333 * scale, 222 * scale};
  Gpu small = small_device(gpu, 150 * scale);
  bool fuses = true;
  const auto message_of = [&](Gpu& device, std::span<const Call> calls, std::string_view name) -> std::string {
    const PlanInput input{.size = size, .storage = Depth::half, .is_r11g11b10_between = true, .fuses = fuses};
    return coded_error_of([&] {
      const ChainRun run = run_chain(device, calls, input, pattern(name, size, Depth::half), {});
      check_guards(run.plan, run.result.statistics);
    });
  };
  const std::vector<Call> chains[] = {chain_of({{"blur", "--radius 3"}, {"blur", "--sigma 2"}}, size),
                                      chain_of({{"flip", "x"}, {"blur", "--sigma 2"}}, size),
                                      chain_of({{"gain", "--value -1"}, {"stats", ""}, {"blur", "--sigma 2"}}, size)};
  for (const std::vector<Call>& calls : chains) {
    CAPTURE(calls.front().text());
    const std::string whole = message_of(gpu, calls, "noise");
    CHECK(whole.find("--storage r11g11b10 holds neither") != whole.npos);
    CHECK(message_of(small, calls, "noise") == whole);
  }
  for (const std::vector<Call>& calls : std::span(chains).first(2)) {
    CHECK(message_of(gpu, calls, "light").empty());
    CHECK(message_of(small, calls, "light").empty());
  }
  // every image is stored, but not with the texels around a tile
  fuses = false;
  const std::vector<Call> apart =
      chain_of({{"sharpen", "--amount 0.1"}, {"gain", "--value 0.5"}, {"blur", "--radius 3"}}, size);
  const std::string whole = message_of(gpu, apart, "noise");
  CHECK(whole.find("--storage r11g11b10 holds neither") != whole.npos);
  CHECK(message_of(small, apart, "noise") == whole);
}

GPU_TEST_CASE("what cannot be done in parts is refused, naming the limit and the op") {
  Gpu small = small_device(gpu, 100);
  const std::pair<std::vector<Call>, std::string_view> refused[] = {
      {chain_of({{"gain", ""}, {"mips", "--hicomp --from-base"}}, {333, 222}),
       "`mips --hicomp --from-base` cannot be tiled"},
      {chain_of({{"bloom", ""}}, {333, 222}), "a tile of `bloom` needs at least"},
      {chain_of({{"luminance", "--size 2"}}, {333, 222}),
       "a tile of `luminance --size 2` needs at least 167 x 111 texels"},
      {chain_of({{"blur", "--radius 110 --method direct"}}, {333, 222}),
       "a tile of `blur --radius 110 --method direct` needs at least"}};
  for (const auto& [calls, expected] : refused) {
    const Level base = pattern("noise", {333, 222}, Depth::half);
    const std::string said = error_of([&] { run_chain(small, calls, {.size = base.size}, base, {}); }, Exit::limit);
    CHECK_MESSAGE(said.find(expected) != said.npos, said);
    CHECK_MESSAGE(said.find("333 x 222 texels") != said.npos, said);
  }
}

GPU_TEST_CASE("chains that tiles would round once more are refused, naming the option") {
  Gpu small = small_device(gpu, 100);
  constexpr Size size{333, 222};
  const auto message_of = [&](std::span<const Call> calls, PlanInput input) -> std::string {
    input.size = size;
    return error_of([&] { run_chain(small, calls, input, pattern("light", size, Depth::half), {}); }, Exit::limit);
  };
  const auto has = [](std::string_view text, std::string_view part) { return text.find(part) != text.npos; };
  const std::vector<Call> passes = chain_of({{"blur", "--radius 3 --passes 2 --border repeat"}}, size);
  const std::vector<Call> guarded =
      chain_of({{"blur", "--radius 3 --method separable"}, {"nan", "--policy error"}}, size);
  const std::vector<Call> two = chain_of({{"blur", "--radius 3"}, {"blur", "--radius 2"}}, size);
  const PlanInput yxy{.between = Space::yxy}, packed{.is_r11g11b10_between = true};
  const PlanInput both{.between = Space::yxy, .is_r11g11b10_between = true};
  CHECK(has(message_of(passes, yxy), "cannot be tiled with --space yxy; expected --space rgb"));
  CHECK(has(message_of(guarded, yxy), "`nan --policy error` after an op that reads neighbors cannot be tiled"));
  if (!gpu.info().traits.has_packed_floats) return;
  CHECK(has(message_of(passes, packed), "cannot be tiled with --storage r11g11b10; expected --storage fp16 or fp32"));
  CHECK(has(message_of(two, both), "tiles cannot be stored as CIE Yxy in 11:11:10 bits"));
}
