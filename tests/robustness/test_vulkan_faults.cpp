// R7: each call of Vulkan that can fail does so once.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace gpupost::test;

namespace {

constexpr int out_of_host_memory = -1, out_of_device_memory = -2, device_lost = -4;
constexpr int results[] = {out_of_host_memory, out_of_device_memory, device_lost};

// Mesa's own layer, which would stand before ours, compares names in lists that it did not get (22.3.6).
const Environment layer = {
    {"VK_LAYER_PATH", GPUPOST_FAULTS}, {"VK_INSTANCE_LAYERS", "VK_LAYER_GPUPOST_faults"}, {"NODEVICE_SELECT", "1"}};

Finished run_with_fault(const Trial& trial, const std::string& fault) {
  Environment environment = layer;
  environment.emplace_back("GPUPOST_FAIL_VULKAN", fault);
  return trial.run(environment);
}

// All three results at each call, or in turn from call to call.
void fail_each_call(Criterion& bar, const Words& words) {
  const Trial trial(words);
  const auto [undisturbed, calls] = trial.record("GPUPOST_VULKAN_CALLS", layer);
  REQUIRE_MESSAGE(undisturbed.exit_code == 0, undisturbed.err);
  REQUIRE_MESSAGE(calls.size() > 50, "the layer was not asked: ", calls.size(), " calls");
  for (size_t index = 0; index < calls.size(); ++index)
    for (size_t which = 0; which < std::size(results); ++which) {
      if (!is_thorough() && index % std::size(results) != which) continue;
      const int result = results[which];
      if (result == device_lost && calls[index] == "vkCreateInstance") continue;  // before there is a device to lose
      const std::string fault = fmt::format("{}:{}", index + 1, result);
      const Finished finished = run_with_fault(trial, fault);
      const std::string tried = fmt::format("{} at call {}, {}", result, index + 1, calls[index]);
      // The loader cannot tell too little memory from a damaged manifest.
      const bool is_of_loader = result == out_of_host_memory && calls[index] == "vkCreateInstance";
      if (result != device_lost) {
        bar.count(trial.wrong(finished, {is_of_loader ? 4 : 7}), tried);
      } else {  // it is tried once more
        bar.count(trial.wrong(finished, {}), tried);
        bar.count(trial.wrong(run_with_fault(trial, fault + ":on"), {4}), tried + " and all behind it");
      }
    }
}

}  // namespace

DEVICE_TEST_CASE("R7: whichever call of Vulkan fails, the exit code says so and the old output stays") {
  Criterion bar("R7 vulkan calls", "injected faults ended rightly");
  fail_each_call(bar, {"mips", "--quiet"});
  if (is_thorough()) fail_each_call(bar, {"blur", "--sigma", "2", "exposure", "--stops", "1", "mips", "--quiet"});
}
