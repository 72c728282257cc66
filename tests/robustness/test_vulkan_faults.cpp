// R7: each call of Vulkan that can fail does so once.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <sstream>

using namespace gpupost::test;

namespace {

constexpr int device_lost = -4;
constexpr int results[] = {-1, -2, device_lost};  // the first two: out of the host's and of the device's memory

// Mesa's own layer, which would stand before ours, compares names in lists that it did not get (22.3.6).
const Environment layer = {
    {"VK_LAYER_PATH", GPUPOST_FAULTS}, {"VK_INSTANCE_LAYERS", "VK_LAYER_GPUPOST_faults"}, {"NODEVICE_SELECT", "1"}};

Finished run_with(const Trial& trial, const std::string& name, const std::string& value) {
  Environment environment = layer;
  environment.emplace_back(name, value);
  return trial.run(environment);
}

// The calls of a run without a fault, in their order.
std::vector<std::string> calls_of(const Trial& trial) {
  const TemporaryFolder kept;
  const Finished finished = run_with(trial, "GPUPOST_VULKAN_CALLS", kept.path("calls"));
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  std::istringstream stream(kept.read("calls"));
  std::vector<std::string> calls;
  for (std::string line; std::getline(stream, line);) calls.push_back(line);
  return calls;
}

// All three results at each call, or in turn from call to call.
void fail_each_call(Criterion& bar, const Words& words) {
  const Trial trial(words);
  const std::vector<std::string> calls = calls_of(trial);
  REQUIRE_MESSAGE(calls.size() > 50, "the layer was not asked: ", calls.size(), " calls");
  for (size_t index = 0; index < calls.size(); ++index)
    for (size_t which = 0; which < std::size(results); ++which) {
      if (!is_thorough() && index % std::size(results) != which) continue;
      const int result = results[which];
      if (result == device_lost && calls[index] == "vkCreateInstance") continue;  // before there is a device to lose
      const std::string fault = fmt::format("{}:{}", index + 1, result);
      const Finished finished = run_with(trial, "GPUPOST_FAIL_VULKAN", fault);
      const std::string tried = fmt::format("{} at call {}, {}", result, index + 1, calls[index]);
      if (result != device_lost) {
        bar.count(trial.wrong(finished, {7}), tried);
      } else {  // it is tried once more
        bar.count(trial.wrong(finished, {}), tried);
        bar.count(trial.wrong(run_with(trial, "GPUPOST_FAIL_VULKAN", fault + ":on"), {4}),
                  tried + " and all behind it");
      }
    }
}

}  // namespace

DEVICE_TEST_CASE("R7: whichever call of Vulkan fails, the exit code says so and the old output stays") {
  Criterion bar("R7 vulkan calls", "injected faults ended rightly");
  fail_each_call(bar, {"mips", "--quiet"});
  if (is_thorough()) fail_each_call(bar, {"blur", "--sigma", "2", "exposure", "--stops", "1", "mips", "--quiet"});
}
