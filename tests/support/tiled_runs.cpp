#include "tests/support/tiled_runs.h"

#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace gpupost::test {

Gpu small_device(const Gpu& gpu, int side) {
  DeviceInfo info = gpu.info();
  info.traits.max_image_side = side;
  return Gpu(info);
}

bool is_in_parts(const ChainRun& run) {
  return std::ranges::any_of(run.plan.choices, [](const std::string& choice) { return choice.starts_with("in "); });
}

std::vector<Call> chain_of(std::initializer_list<std::pair<std::string_view, std::string_view>> words, Size size) {
  std::vector<Call> calls;
  for (const auto& [op, arguments] : words) calls.push_back(call_of(op, arguments));
  give_inputs(calls, size);
  return calls;
}

void check_same(Gpu& gpu, Gpu& small, std::span<const Call> calls, const PlanInput& input, const Level& base,
                const ChainOptions& options) {
  const ChainRun whole = run_chain(gpu, calls, input, base, {}), parts = run_chain(small, calls, input, base, options);
  std::string text;
  for (const Call& call : calls) text += call.text() + " ";
  CAPTURE(text);
  CAPTURE(name_of(input.storage));
  CHECK(!is_in_parts(whole));
  CHECK(is_in_parts(parts));
  CHECK(parts.first_level == whole.first_level);
  CHECK(are_equal(whole.result.levels, parts.result.levels, input.storage));
}

}  // namespace gpupost::test
