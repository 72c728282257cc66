#include "tests/support/reference_check.h"

#include "core/base/error.h"
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/patterns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

namespace gpupost::test {

static bool is_of_half_arithmetic(const Pass& pass) { return pass.arithmetic.is_half; }

void check_chain(Gpu& gpu, std::span<const Call> given, std::string_view pattern_name, Size size, Kind kind,
                 const Route& route) {
  std::vector<Call> calls(given.begin(), given.end());
  give_inputs(calls, size);
  const Level base = pattern(pattern_name, size, kind.depth);
  const PlanInput input{.size = size,
                        .storage = kind.depth,
                        .half_arithmetic = kind.half_arithmetic,
                        .between = route.between,
                        .is_r11g11b10_between = route.is_r11g11b10,
                        .fuses = route.fuses};
  const Plan made = plan(calls, input, gpu.info().traits);
  // without a pass of half arithmetic the plan is that of the kind before
  if (kind.half_arithmetic && std::ranges::none_of(made.passes, is_of_half_arithmetic)) return;
  const int first_level = made.keeps_level_0 ? 1 : 0;
  const RunResult result = gpu.run(made, base, first_level);
  REQUIRE(int(result.levels.size()) == result_level_count(calls, size) - first_level);
  const Between between{.is_yxy = route.between == Space::yxy, .is_packed = route.is_r11g11b10};
  std::string text;
  for (const Call& call : calls) text += call.text() + " ";
  for (const LevelCheck& check : verify(calls, base, result.levels, first_level, kind.depth, between))
    CHECK_MESSAGE(
        check.share <= 1,
        fmt::format("{}on {} {}x{} {}{}{}{}{}: {}", text, pattern_name, size.width, size.height, name_of(kind.depth),
                    kind.half_arithmetic ? " half arithmetic" : "", route.fuses ? "" : " not fused",
                    between.is_yxy ? " in Yxy" : "", between.is_packed ? " packed" : "", describe(check)));
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

}  // namespace gpupost::test
