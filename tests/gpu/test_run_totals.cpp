// Sums over tiles, and chains in tiles against the same chains at once. A guard that trips at once trips in tiles.
#include "core/base/error.h"
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/engine/run_totals.h"
#include "core/op/parse.h"
#include "tests/support/device.h"
#include "tests/support/error_of.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <random>

using namespace gpupost;
using namespace gpupost::test;

namespace {

Plan tile_of(std::initializer_list<std::string> passes, std::initializer_list<Guard> guards) {
  Plan plan;
  for (const std::string& name : passes)
    plan.passes.emplace_back(PassSpec{.name = name, .memory = {.bytes_read = 10, .bytes_written = 1}});
  plan.guards = guards;
  return plan;
}

RunResult result_of(std::vector<double> pass_ms, std::vector<uint32_t> statistics) {
  return {.levels = {}, .statistics = std::move(statistics), .times = {.pass_ms = std::move(pass_ms)}};
}

std::string failure_of(const RunTotals& totals) {
  return error_of([&] { totals.check_guards(); }, Exit::input);
}

std::vector<Call> chain_of(std::string_view text, Size size) {
  std::vector<Call> calls;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find(" | "));
    text.remove_prefix(std::min(text.size(), line.size() + 3));
    const size_t end = std::min(line.size(), line.find(' '));
    calls.push_back(call_of(line.substr(0, end), line.substr(end)));
  }
  give_inputs(calls, size);
  return calls;
}

// What a chain comes to: the levels, or the exit code with its message.
struct Outcome {
  ChainRun run;
  std::string failure;
};

Outcome outcome_of(Gpu& gpu, std::span<const Call> calls, const Level& base, Depth depth) {
  try {
    ChainRun run = run_chain(gpu, calls, {.size = base.size, .storage = depth}, base, {});
    check_guards(run.plan, run.result.statistics);
    return {std::move(run), ""};
  } catch (const Error& error) {
    return {{}, fmt::format("{} {}", int(error.code()), error.what())};
  }
}

// Returns the failure at once, which the one in tiles has to be.
std::string check_same(Gpu& gpu, Gpu& small, std::string_view text, const Level& base, Depth depth) {
  const std::vector<Call> calls = chain_of(text, base.size);
  const Outcome whole = outcome_of(gpu, calls, base, depth), tiles = outcome_of(small, calls, base, depth);
  const std::string how = fmt::format("{} of {}", text, name_of(depth));
  CHECK_MESSAGE(whole.failure == tiles.failure, how);
  CHECK_MESSAGE(are_equal(whole.run.result.levels, tiles.run.result.levels, depth), how);
  CHECK_MESSAGE((whole.run.clamped_count > 0) == (tiles.run.clamped_count > 0), how);
  return whole.failure;
}

}  // namespace

TEST_CASE("guards of tiles are summed by their messages, wherever their counts lie") {
  const Guard first{.offset = 0, .code = Exit::input, .message = "{} are wrong"};
  const Guard moved{.offset = 8, .code = Exit::input, .message = "{} are wrong"};
  const Guard other{.offset = 4, .code = Exit::usage, .message = "{} do not fit"};
  RunTotals totals;
  totals.begin_stage();
  totals.add(tile_of({"a"}, {first}), result_of({1}, {0, 0, 0, 0}));
  totals.add(tile_of({"a"}, {moved}), result_of({1}, {7, 7, 7, 7, 7, 7, 7, 7, 0}));
  CHECK(failure_of(totals) == "");
  totals.add(tile_of({"a"}, {moved}), result_of({1}, {7, 7, 7, 7, 7, 7, 7, 7, 3}));
  CHECK(failure_of(totals) == "3 are wrong");
  totals.add(tile_of({"a"}, {first, other}), result_of({1}, {4294967295, 0, 0, 0, 2}));
  CHECK(failure_of(totals) == "4294967298 are wrong");
  totals.begin_stage();
  CHECK(failure_of(totals) == "");
  totals.add(tile_of({"a"}, {first, moved}), result_of({1}, {0, 0, 0, 0, 0, 0, 0, 0, 5}));
  totals.add(tile_of({"a"}, {first, moved}), result_of({1}, {0, 0, 0, 0, 0, 0, 0, 0, 6}));
  CHECK(failure_of(totals) == "11 are wrong");
}

TEST_CASE("passes of tiles are summed by their names, of a tile with more of them too") {
  RunTotals totals;
  totals.begin_stage();
  totals.add(tile_of({"before"}, {}), result_of({100}, {}));
  totals.begin_stage();
  totals.add(tile_of({"rows", "columns"}, {}), result_of({1, 2}, {}));
  totals.add(tile_of({"columns", "before", "rows", "rows"}, {}), result_of({10, 20, 30, 40}, {}));
  totals.add(tile_of({"rows"}, {}), result_of({5}, {}));
  const Plan plan = totals.take_plan();
  const RunTimes times = totals.take_times();
  std::string all;
  for (size_t index = 0; index < plan.passes.size(); ++index)
    all +=
        fmt::format("{} {} {}, ", plan.passes[index].name, plan.passes[index].memory.bytes_read, times.pass_ms[index]);
  CHECK(all == "before 10 100, rows 30 36, columns 20 12, before 10 20, rows 10 40, ");
}

GPU_TEST_CASE("what a guard refuses at once it refuses in tiles, with the same count") {
  constexpr Size size{150, 90};
  Gpu small = small_device(gpu, 100);
  const std::string_view overflow =
      "exposure --stops 32 | exposure --stops 32 | exposure --stops 32 | exposure --stops 32";
  const std::string lens = "dof --focus 3 --max-radius 4";
  for (const std::string& text :
       {fmt::format("{} | {} | nan --policy error", lens, overflow),
        fmt::format("{} | nan --policy error | {}", overflow, lens),
        fmt::format("{} | nan --policy error | gain --value 0.5 | blur --radius 3", overflow),
        fmt::format("blur --radius 3 --method separable | {} | nan --policy error", overflow)})
    CHECK(check_same(gpu, small, text, pattern("ramp", size, Depth::f32), Depth::f32).starts_with("2 nan: "));
  // the count of a tile of another size must not be taken for one of a guard
  CHECK(check_same(gpu, small, lens + " | nan --policy error", pattern("noise", size, Depth::f32), Depth::f32) == "");
}

GPU_TEST_CASE("chains drawn by lot are the same in tiles, with their exit codes" * doctest::test_suite("thorough")) {
  const int scale = gpu.info().traits.type == DeviceType::cpu ? 1 : 4;  // a GPU's tiles are larger
  const Size size{203 * scale, 133 * scale};
  Gpu small = small_device(gpu, 128 * scale);
  constexpr std::string_view ops[] = {"exposure --stops 32",
                                      "exposure --stops -31",
                                      "nan --policy error",
                                      "nan",
                                      "gain --value 0.5",
                                      "blur --radius 2 --method direct",
                                      "dof --focus 3 --max-radius 4",
                                      "flip x",
                                      "saturation --factor 1.5",
                                      "resize --size 150x90",
                                      "blur --sigma 1 --border mirror"};
  std::mt19937 random(20);
  int failure_count = 0;
  for (int round = 0; round < 40; ++round) {
    std::string text;
    for (int count = 2 + int(random() % 4); count > 0; --count)
      text += fmt::format("{}{}", text.empty() ? "" : " | ", ops[random() % std::size(ops)]);
    if (round % 4 < 2) text += " | nan --policy error";
    const Depth depth = round % 2 ? Depth::half : Depth::f32;
    const Level base = pattern(round % 3 ? "noise" : "nonfinite", size, depth);
    failure_count += !check_same(gpu, small, text, base, depth).empty();
  }
  CHECK(failure_count > 2);
  CHECK(failure_count < 36);
}
