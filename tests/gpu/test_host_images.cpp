// Images in the host's memory, which CPU devices read and write without copies.
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/gpu/device.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "tests/support/device.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

using namespace gpupost;
using namespace gpupost::test;

namespace {

bool are_equal(const Level& a, const Level& b) {
  return a.size == b.size && std::ranges::equal(a.texels.bytes(), b.texels.bytes());
}

void check_equal(const ChainRun& a, const ChainRun& b) {
  REQUIRE(a.result.levels.size() == b.result.levels.size());
  for (size_t level = 0; level < a.result.levels.size(); ++level)
    CHECK(are_equal(a.result.levels[level], b.result.levels[level]));
}

}  // namespace

GPU_TEST_CASE(
    "a CPU device has images in pages of the host, and on texels whose rows follow each other as it wants them") {
  const Device own(gpu.info());
  const bool can = gpu.info().traits.has_image_buffers && own.import_alignment() > 0;
  if (gpu.info().traits.type == DeviceType::cpu && gpu.info().traits.has_image_buffers) CHECK(can);
  const auto is_on_texels = [&](const PlanImage& image) {
    const Level base = noise(image.size, image.depth);
    return Image::on_texels(own, image, "texels", base.texels.bytes()).has_value();
  };
  CHECK(is_on_texels({.size = {64, 16}, .depth = Depth::half}) == can);
  CHECK(is_on_texels({.size = {64, 16}, .depth = Depth::f32}) == can);
  CHECK(!is_on_texels({.size = {63, 16}, .depth = Depth::half}));
  CHECK(!is_on_texels({.size = {64, 16}, .depth = Depth::half, .level_count = 2}));
  const std::optional<Image> image = Image::on_pages(own, {.size = {63, 17}, .depth = Depth::half}, "pages");
  REQUIRE(image.has_value() == can);
  if (can) CHECK(image->level_on_host(0).size == Size{63, 17});
}

GPU_TEST_CASE("a run leaves its input as it is, and its levels outlive the device") {
  for (const std::string_view op : {"gain --value 2", "blur --radius 2 --method separable", "mips --method per-level"})
    for (const Size size : {Size{1, 1}, Size{64, 16}, Size{63, 17}, Size{257, 129}}) {
      CAPTURE(op);
      CAPTURE(size.width);
      const size_t space = op.find(' ');
      const Call call = parse_call(*op_named(op.substr(0, space)), std::string(op.substr(space + 1)));
      const Level base = noise(size, Depth::half), before = noise(size, Depth::half);
      const PlanInput input{.size = size, .storage = Depth::half};
      std::optional<Gpu> own(device()->info());
      ChainRun run = run_chain(*own, {&call, 1}, input, base, {});
      own.reset();
      CHECK(are_equal(base, before));
      const ChainRun again = run_chain(*device(), {&call, 1}, input, base, {});
      check_equal(run, again);
    }
}

GPU_TEST_CASE("a run that may overwrite its input has the same result") {
  for (const Size size : {Size{64, 16}, Size{63, 17}, Size{257, 129}, Size{512, 300}})
    for (const Depth depth : {Depth::half, Depth::f32})
      for (const auto& calls :
           {chain_of({{"gain", "--value 2"}}, size), chain_of({{"blur", "--radius 3"}}, size),
            chain_of({{"blur", "--sigma 9"}, {"gain", "--value 3"}, {"sharpen", ""}}, size),
            chain_of({{"flip", "x"}, {"median", ""}, {"stats", ""}}, size),
            chain_of({{"mips", "--method per-level"}}, size), chain_of({{"resize", "--size 50%"}}, size)}) {
        CAPTURE(calls.front().text());
        CAPTURE(size.width);
        const PlanInput input{.size = size, .storage = depth};
        const Level base = noise(size, depth);
        Level given = noise(size, depth);
        const ChainRun kept = run_chain(gpu, calls, input, base, {});
        const ChainRun run = run_chain(gpu, calls, input, std::move(given), {});
        check_equal(run, kept);
        for (const StatisticsPart& part : run.plan.results)
          CHECK(std::ranges::equal(part.of(run.result.statistics), part.of(kept.result.statistics)));
        if (run.first_level == 1) CHECK(are_equal(given, base));
      }
}

GPU_TEST_CASE("tiles on a CPU device need at most 256 MiB") {
  if (gpu.info().traits.type != DeviceType::cpu) return skip("tiles on a GPU are as large as its memory allows");
  const Size size{4096, 2112};
  Gpu small = small_device(gpu, 4095);
  const std::vector<Call> calls = chain_of({{"gain", "--value 2"}}, size);
  const PlanInput input{.size = size, .storage = Depth::f32};
  const ChainRun run = run_chain(small, calls, input, noise(size, Depth::f32), {});
  REQUIRE(!run.plan.choices.empty());
  // two tiles would have 66 MiB each, and four times as much with the result and what is copied
  CHECK(run.plan.choices.back().find("in 4 tiles") == 0);
}
