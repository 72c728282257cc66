#include "core/pipeline/process_group.h"

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/image/channel_names.h"
#include "core/pipeline/device.h"
#include "core/pipeline/pixel_formats.h"
#include "core/reference/verify.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

namespace {

// Suffix for pass names of a group other than color: " (N.X N.Y N.Z Z)".
std::string names_behind(const Group& group) {
  return group.is_color ? "" : fmt::format(" ({})", fmt::join(names_of(group), " "));
}

void report_passes(const Plan& made, const RunTimes& times, const Group& group, JobReport& report) {
  if (group.is_color || report.choices.empty()) report.choices = made.choices;
  report.ms.compile += times.compile_ms;
  report.ms.upload += times.upload_ms;
  report.ms.download += times.download_ms;
  for (size_t index = 0; index < made.passes.size(); ++index) {
    const Pass& pass = made.passes[index];
    report.ms.passes += times.pass_ms[index];
    report.passes.push_back({.name = pass.name + names_behind(group),
                             .kernel = std::string(pass.kernel),
                             .storage = group.depth,
                             .milliseconds = times.pass_ms[index],
                             .bytes_read = pass.memory.bytes_read,
                             .bytes_written = pass.memory.bytes_written});
  }
}

Between between_of(const PlanInput& input) {
  return {.is_yxy = input.between == Space::yxy, .is_packed = input.is_r11g11b10_between, .fuses = input.fuses};
}

void verify_levels(std::span<const Call> calls, const PlanInput& input, const Group& group,
                   std::span<const Level> levels, int first_level, JobReport& report) {
  const Stopwatch watch;
  const Expected expected = expected_of(calls, group.levels[0], group.depth, between_of(input));
  // without levels, the chain changes nothing and its result is its input
  const std::vector<LevelCheck> checks =
      levels.empty() ? verify(expected, std::span(group.levels).first(1), 0) : verify(expected, levels, first_level);
  report.ms.verify += watch.milliseconds();
  for (const LevelCheck& check : checks) {
    report.verified.levels.push_back(check);
    if (check.share > 1) fail(Exit::difference, "--verify: {}; nothing was written", describe(check));
  }
}

// Results of the chain's `stats` calls for a group, in order.
std::vector<Statistics> numbers_of(std::span<const Call> calls, const Plan& made, std::span<const uint32_t> words,
                                   const Group& group) {
  std::vector<Statistics> numbers;
  for (size_t index = 0; index < calls.size(); ++index)
    if (calls[index].op->makes == Makes::statistics) {
      const Size size = result_size(calls.first(index), group.levels[0].size);
      numbers.push_back(
          statistics_of(made.results[numbers.size()].of(words), texel_count(size), measure_of(calls[index])));
    }
  return numbers;
}

void verify_numbers(std::span<const Call> calls, const PlanInput& input, const Group& group,
                    std::span<const Statistics> numbers, JobReport& report) {
  const Stopwatch watch;
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    if (call.op->makes != Makes::statistics) continue;
    const Expected found = expected_before(calls, index, group.levels[0], group.depth, between_of(input));
    const NumberCheck worst =
        worst_of(check_statistics(numbers.front(), found.levels[0], found.tolerance[0], measure_of(call)));
    numbers = numbers.subspan(1);
    report.verified.numbers.push_back(worst);
    if (worst.share() > 1)
      fail(Exit::difference, "--verify: {}: {}; nothing was written", call.text(), describe(worst));
  }
  report.ms.verify += watch.milliseconds();
}

}  // namespace

std::vector<Statistics> run_group(std::span<const Call> calls, const ChainRequest& request, DeviceSession& lazy,
                                  Group& group, JobReport& report) {
  const PlanInput input =
      plan_input(request.passes, group.levels[0].size, group.depth, group.is_color && !group.is_data);
  auto [made, result, first_level, clamped_count] = lazy.run_with_retry(report, [&](Gpu& gpu) {
    const ChainOptions options = chain_options(request.device, gpu.info().traits);
    // The pages of a decoder that lives on, in a batch, are copied when they are written, which takes longer than new ones.
    const bool keeps_input = request.passes.verify || lazy.keeps_memory();
    return keeps_input ? run_chain(gpu, calls, input, group.levels[0], options)
                       : run_chain(gpu, calls, input, std::move(group.levels[0]), options);
  });
  report_passes(made, result.times, group, report);
  check_guards(made, result.statistics);
  std::vector<Statistics> numbers = numbers_of(calls, made, result.statistics, group);
  if (request.passes.verify) verify_numbers(calls, input, group, numbers, report);
  const bool only_measures = result.levels.empty() && !numbers.empty();
  if (request.passes.verify && !only_measures) verify_levels(calls, input, group, result.levels, first_level, report);
  if (clamped_count > 0)
    report.add_warning(
        fmt::format("number of values too large for {} that were clamped between ops or in the result: {}; keep them "
                    "with --storage fp32, and in the file with --bits 32f",
                    input.is_r11g11b10_between ? "--storage r11g11b10" : "half storage", clamped_count));
  const Depth depth = result_depth(calls, group.depth);
  group.depth = depth;
  group.levels.resize(size_t(first_level));
  std::ranges::move(result.levels, std::back_inserter(group.levels));
  return numbers;
}

}  // namespace gpupost
