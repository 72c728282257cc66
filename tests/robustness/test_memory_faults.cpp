// R7: memory ends once, at each place in the code that asks for some, in the program and in the worker that decodes.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <sstream>

using namespace gpupost::test;

namespace {

Finished run_with(const Trial& trial, const std::string& process, const std::string& name, const std::string& value) {
  return trial.run({{"LD_PRELOAD", GPUPOST_FAULTS "/libhost_faults.so"}, {"GPUPOST_FAIL_IN", process}, {name, value}});
}

std::vector<std::string> places_of(const Trial& trial, const std::string& process) {
  const TemporaryFolder kept;
  const Finished finished = run_with(trial, process, "GPUPOST_ALLOCATIONS", kept.path("places"));
  REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  std::istringstream stream(kept.read("places"));
  std::vector<std::string> places;
  for (std::string line; std::getline(stream, line);) places.push_back(line);
  return places;
}

// At every place, or at some that are spread over all.
void fail_each_place(Criterion& bar, const Trial& trial, const std::string& process) {
  const std::vector<std::string> places = places_of(trial, process);
  REQUIRE_MESSAGE(places.size() > 10, "few places ask for memory: ", places.size());
  const size_t stride = is_thorough() ? 1 : 11;
  for (size_t index = 0; index < places.size(); index += stride) {
    const Finished finished = run_with(trial, process, "GPUPOST_FAIL_ALLOCATION", places[index]);
    bar.count(trial.wrong(finished, {7}), fmt::format("{}, place {} ({})", process, index, places[index]));
  }
}

}  // namespace

DEVICE_TEST_CASE("R7: wherever memory ends, the exit code is 7 and the old output stays") {
  Criterion bar("R7 memory", "allocations that failed ended rightly");
  const Trial mips({"mips"});
  fail_each_place(bar, mips, "program");
  fail_each_place(bar, mips, "worker");
  if (!is_thorough()) return;
  const Trial chain({"blur", "--sigma", "2", "exposure", "--stops", "1", "mips"}, "depth.exr");
  fail_each_place(bar, chain, "program");
  fail_each_place(bar, chain, "worker");
  const Trial png({"flip", "x"}, "in.png");
  fail_each_place(bar, png, "worker");
}
