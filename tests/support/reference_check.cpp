#include "tests/support/reference_check.h"

#include "core/base/error.h"
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/patterns.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>

namespace gpupost::test {

static bool is_of_half_arithmetic(const Pass& pass) { return pass.arithmetic.is_half; }

static PlanInput input_of(Size size, Kind kind, const Route& route) {
  return {.size = size,
          .storage = kind.depth,
          .half_arithmetic = kind.half_arithmetic,
          .between = route.between,
          .is_r11g11b10_between = route.is_r11g11b10,
          .fuses = route.fuses};
}

static void check_levels(std::span<const Call> calls, std::string_view pattern_name, const Level& base,
                         std::span<const Level> levels, int first_level, Kind kind, const Route& route) {
  REQUIRE(int(levels.size()) == result_level_count(calls, base.size) - first_level);
  const Between between{.is_yxy = route.between == Space::yxy, .is_packed = route.is_r11g11b10, .fuses = route.fuses};
  std::string text;
  for (const Call& call : calls) text += call.text() + " ";
  for (const LevelCheck& check : verify(calls, base, levels, first_level, kind.depth, between))
    CHECK_MESSAGE(
        check.share <= 1,
        fmt::format("{}on {} {}x{} {}{}{}{}{}{}: {}", text, pattern_name, base.size.width, base.size.height,
                    name_of(kind.depth), kind.half_arithmetic ? " half arithmetic" : "",
                    route.fuses ? "" : " not fused", between.is_yxy ? " in Yxy" : "",
                    between.is_packed ? " packed" : "",
                    route.tile_side > 0 ? fmt::format(" in tiles of {}", route.tile_side) : "", describe(check)));
}

void check_chain(Gpu& gpu, std::span<const Call> given, std::string_view pattern_name, Size size, Kind kind,
                 const Route& route) {
  std::vector<Call> calls(given.begin(), given.end());
  give_inputs(calls, size);
  const Level base = pattern(pattern_name, size, kind.depth);
  const Plan made = plan(calls, input_of(size, kind, route), gpu.info().traits);
  // without a pass of half arithmetic the plan is that of the kind before
  if (kind.half_arithmetic && std::ranges::none_of(made.passes, is_of_half_arithmetic)) return;
  const int first_level = made.keeps_level_0 ? 1 : 0;
  const RunResult result = gpu.run(made, base, first_level);
  check_levels(calls, pattern_name, base, result.levels, first_level, kind, route);
}

bool check_route(Gpu& gpu, std::span<const Call> given, std::string_view pattern_name, Size size, Kind kind,
                 const Route& route) {
  std::vector<Call> calls(given.begin(), given.end());
  give_inputs(calls, size);
  const Level base = pattern(pattern_name, size, kind.depth);
  DeviceInfo info = gpu.info();
  if (route.tile_side > 0) info.traits.max_image_side = route.tile_side;
  Gpu small(info);
  try {
    const ChainRun run =
        run_chain(route.tile_side > 0 ? small : gpu, calls, input_of(size, kind, route), base, ChainOptions{});
    check_guards(run.plan, run.result.statistics);
    check_levels(calls, pattern_name, base, run.result.levels, run.first_level, kind, route);
  } catch (const Error& error) {
    const bool is_refusal = error.code() == Exit::limit
                                ? route.tile_side > 0
                                : error.code() == Exit::usage && (route.tile_side == 0 || route.is_r11g11b10);
    CHECK_MESSAGE(is_refusal, std::string(error.what()));
    return false;
  }
  return true;
}

void check_call(Gpu& gpu, const Call& call, std::string_view pattern_name, Size size, Kind kind) {
  check_chain(gpu, {&call, 1}, pattern_name, size, kind);
}

std::span<const Kind> kinds_of(const Call& call, Size size, const DeviceTraits& traits) {
  const PlanInput input{.size = size, .storage = Depth::half, .half_arithmetic = true};
  const bool has_half_arithmetic = std::ranges::any_of(plan({&call, 1}, input, traits).passes, is_of_half_arithmetic);
  return std::span(kinds).first(has_half_arithmetic ? 3 : 2);
}

bool can_run(const Call& call, const DeviceTraits& traits) {
  try {
    plan({&call, 1}, {.size = {64, 64}}, traits);
    return true;
  } catch (const Error& error) {
    CHECK_MESSAGE(std::string_view(error.what()).find(" cannot run on " + traits.name + ": ") != std::string_view::npos,
                  call.text(), ": ", std::string(error.what()));
    return false;
  }
}

Call call_of(std::string_view op, std::string_view words) { return parse_call(*op_named(op), words); }

Call call_of_example(const Op& op, std::string_view example) {
  Call call = parse_call(op, example);
  if (is_thorough()) return call;
  const Param* samples = op.param("samples");
  if (samples && call.is_default(*samples)) call = call.with("samples", 64);
  const Param* size = op.param("size");
  if (size && size->kind == ParamKind::integer && call.integer("size") > 16) call = call.with("size", 16);
  return call;
}

}  // namespace gpupost::test
