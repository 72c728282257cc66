#include "tests/support/tiled_runs.h"

#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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

// Where two runs differ first and which methods they took; empty if the results are equal.
static std::string difference(const ChainRun& a, const ChainRun& b, Depth depth) {
  if (are_equal(a.result.levels, b.result.levels, depth)) return "";
  std::string text =
      fmt::format("whole: {}; in parts: {}", fmt::join(a.plan.choices, ", "), fmt::join(b.plan.choices, ", "));
  for (size_t level = 0; level < std::min(a.result.levels.size(), b.result.levels.size()); ++level) {
    const std::vector<double> of_a = numbers_of(a.result.levels[level], depth),
                              of_b = numbers_of(b.result.levels[level], depth);
    const auto [in_a, in_b] = std::ranges::mismatch(
        of_a, of_b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
    if (in_a == of_a.end() || in_b == of_b.end()) continue;
    const auto texel = (in_a - of_a.begin()) / 4, width = ptrdiff_t(a.result.levels[level].size.width);
    return text +
           fmt::format("; level {} at ({}, {}): {:.9g} and {:.9g}", level, texel % width, texel / width, *in_a, *in_b);
  }
  return text + "; sizes";
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
  CHECK(difference(whole, parts, input.storage) == "");
}

}  // namespace gpupost::test
