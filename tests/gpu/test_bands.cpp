// The results of bands are the same as those of a whole run, bit for bit.
#include "core/engine/run_chain.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/skip.h"
#include "tests/support/thorough.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

namespace {

bool can_run_bands(const Gpu& gpu) {
  const bool is_cpu = gpu.info().traits.type == DeviceType::cpu;
  if (!is_cpu) skip("only CPU devices run bands");
  return is_cpu;
}

// Bands of few rows of small images.
constexpr ChainOptions small_bands{.most_bytes_at_once = 1, .most_tile_bytes = size_t(1) << 19};

ChainRun in_bands(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, std::string_view pattern_name) {
  return run_chain(gpu, calls, input, pattern(pattern_name, input.size, input.storage), small_bands);
}

// "in 7 tiles: ..."
int band_count(const ChainRun& run) {
  for (const std::string& choice : run.plan.choices)
    if (choice.starts_with("in ")) return std::stoi(choice.substr(3));
  return 1;
}

void check_same_in_bands(Gpu& gpu, std::span<const Call> calls, const PlanInput& input) {
  CAPTURE(calls.front().text());
  CAPTURE(input.size.width);
  CAPTURE(name_of(input.storage));
  for (const std::string_view name : {"noise", "nonfinite"}) {
    const ChainRun whole =
        run_chain(gpu, calls, input, pattern(name, input.size, input.storage), {.most_bytes_at_once = 0});
    const ChainRun bands = in_bands(gpu, calls, input, name);
    CHECK(band_count(whole) == 1);
    CHECK(band_count(bands) >= 2);
    CHECK(bands.first_level == whole.first_level);
    CHECK(are_equal(whole.result.levels, bands.result.levels, input.storage));
  }
}

}  // namespace

GPU_TEST_CASE("ops that read neighbors are the same in bands") {
  if (!can_run_bands(gpu)) return;
  const Size sizes[] = {{256, 400}, {63, 1601}};
  int turn = 0;
  for (int round = 0; round < (is_thorough() ? 2 : 1); ++round)
    for (const auto& [op, arguments] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{{"median", ""},
                                                                              {"median", "--radius 4"},
                                                                              {"sharpen", ""},
                                                                              {"blur", "--radius 3 --method separable"},
                                                                              {"blur", "--sigma 2 --border mirror"},
                                                                              {"bloom", "--threshold 0.25 --radius 3"},
                                                                              {"guided", "--radius 3"},
                                                                              {"bilateral", "--sigma 1"},
                                                                              {"localgamma", "--adapt-radius 4"},
                                                                              {"dof", "--max-radius 3"}}) {
      const Size size = sizes[(turn + round) % 2];
      const Depth depth = turn++ / 2 % 2 == 0 ? Depth::half : Depth::f32;
      const std::vector<Call> calls = chain_of({{op, arguments}}, size);
      if (can_run(calls.front(), gpu.info().traits)) check_same_in_bands(gpu, calls, {.size = size, .storage = depth});
    }
}

GPU_TEST_CASE("chains of stages are the same in bands") {
  if (!can_run_bands(gpu)) return;
  const Size size{257, 515};
  const std::vector<Call> chains[] = {
      chain_of({{"exposure", "--stops 1"}, {"median", ""}, {"saturation", "--factor 0.5"}, {"blur", "--sigma 2"}},
               size),
      chain_of({{"gain", "--value 0.5"}, {"sharpen", ""}, {"median", ""}, {"tonemap", "--curve agx"}}, size),
      chain_of({{"median", ""}, {"merge", "--with other.exr --mode add"}, {"blur", "--sigma 2 --method separable"}},
               size),
      chain_of({{"nan", ""}, {"median", ""}}, size), chain_of({{"stats", ""}, {"median", ""}, {"stats", ""}}, size)};
  int turn = 0;
  for (const std::vector<Call>& calls : chains)
    check_same_in_bands(gpu, calls, {.size = size, .storage = turn++ % 2 == 0 ? Depth::half : Depth::f32});
}

GPU_TEST_CASE("a chain in Yxy is the same in bands, and one that is packed runs at once") {
  if (!can_run_bands(gpu)) return;
  const Size size{256, 400};
  const std::vector<Call> calls = chain_of({{"exposure", "--stops 1"}, {"median", ""}}, size);
  check_same_in_bands(gpu, calls, {.size = size, .between = Space::yxy});
  CHECK(band_count(in_bands(gpu, calls, {.size = size, .is_r11g11b10_between = true}, "light")) == 1);
}

GPU_TEST_CASE("a guard that fails ends a run in bands") {
  if (!can_run_bands(gpu)) return;
  const Size size{256, 400};
  const std::vector<Call> calls = chain_of({{"gain", "--value 2"}, {"nan", "--policy error"}, {"median", ""}}, size);
  CHECK_THROWS_AS(in_bands(gpu, calls, {.size = size, .storage = Depth::half}, "nonfinite"), Error);
}

GPU_TEST_CASE("what cannot replace its input runs at once") {
  if (!can_run_bands(gpu)) return;
  const Size size{256, 400};
  for (const auto& [op, arguments] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"blur", "--radius 3 --border repeat --method separable"},  // the last rows read the first ones
           {"resize", "--size 50%"},
           {"flip", "x"},
           {"mips", "--method per-level"},
           {"bloom", "--threshold 0.25 --radius 40"},  // a band would read many rows that it does not make
           {"gain", "--value 2"}}) {                   // one image is enough, if it is a buffer too
    CAPTURE(op);
    const std::vector<Call> calls = chain_of({{op, arguments}}, size);
    const ChainRun run = in_bands(gpu, calls, {.size = size}, "noise");
    const bool takes_two_images = op == "gain" && !gpu.info().traits.has_image_buffers;
    CHECK((band_count(run) > 1) == takes_two_images);
    const ChainRun whole = run_chain(gpu, calls, {.size = size}, pattern("noise", size, Depth::half), {});
    CHECK(run.first_level == whole.first_level);
    CHECK(are_equal(run.result.levels, whole.result.levels, Depth::half));
  }
}

GPU_TEST_CASE("an image too large for the device runs in bands, and in tiles if a row is too large") {
  if (!can_run_bands(gpu)) return;
  const Size size{403, 667};
  const std::vector<Call> chains[] = {chain_of({{"median", ""}}, size), chain_of({{"gain", "--value 2"}}, size),
                                      chain_of({{"blur", "--sigma 2"}, {"median", ""}}, size),
                                      // the first stage reads too far for bands
                                      chain_of({{"blur", "--radius 60 --method separable"}, {"median", ""}}, size)};
  for (const std::vector<Call>& calls : chains) {
    const PlanInput input{.size = size, .storage = Depth::f32};
    CAPTURE(calls.front().text());
    const ChainRun whole = run_chain(gpu, calls, input, pattern("noise", size, Depth::f32), {});
    DeviceInfo info = gpu.info();
    info.traits.memory.allocation_bytes = size_t(2) << 20;  // a third of the image
    Gpu small(info);
    const ChainRun bands = run_chain(small, calls, input, pattern("noise", size, Depth::f32), small_bands);
    CHECK(band_count(bands) >= 2);
    CHECK(are_equal(whole.result.levels, bands.result.levels, Depth::f32));
    info = gpu.info();
    info.traits.max_image_side = 200;
    Gpu narrow(info);
    const ChainRun tiles = run_chain(narrow, calls, input, pattern("noise", size, Depth::f32), small_bands);
    CHECK(std::ranges::any_of(tiles.plan.choices, [](const auto& text) { return text.find(" tiles: ") < 12; }));
    CHECK(are_equal(whole.result.levels, tiles.result.levels, Depth::f32));
  }
}

GPU_TEST_CASE("a base that is still needed is not replaced by bands") {
  if (!can_run_bands(gpu)) return;
  const Size size{256, 400};
  const std::vector<Call> calls = chain_of({{"median", ""}}, size);
  const Level base = pattern("noise", size, Depth::half), before = pattern("noise", size, Depth::half);
  CHECK(band_count(run_chain(gpu, calls, {.size = size}, base, small_bands)) == 1);
  CHECK(std::ranges::equal(base.texels.bytes(), before.texels.bytes()));
}
