// R7: memory ends once, at each place in the code that asks for some, in the program and in the worker that decodes.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace gpupost::test;

namespace {

// At every place, or at some that are spread over all.
void fail_each_place(Criterion& bar, const Trial& trial, const std::string& process) {
  const auto [undisturbed, places] = trial.record("GPUPOST_ALLOCATIONS", host_faults_in(process));
  REQUIRE_MESSAGE(undisturbed.exit_code == 0, undisturbed.err);
  REQUIRE_MESSAGE(places.size() > 10, "few places ask for memory: ", places.size());
  const size_t stride = is_thorough() ? 1 : 11;
  for (size_t index = 0; index < places.size(); index += stride) {
    Environment environment = host_faults_in(process);
    environment.emplace_back("GPUPOST_FAIL_ALLOCATION", places[index]);
    const Finished finished = trial.run(environment);
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

DEVICE_TEST_CASE("R7: an EXR that OpenEXR compresses with little memory is whole, or the exit code is 7") {
  Criterion bar("R7 OpenEXR", "EXR files were whole, or refused");
  const TestFolder place;
  REQUIRE(place.shell("gpupost in.exr resize --size 5000x500 --bits 32f -o wide.exr").exit_code == 0);
  for (const char* compression : {"piz", "dwab"})
    for (int mebibytes = 180; mebibytes <= 320; mebibytes += is_thorough() ? 2 : 10) {
      const std::string line = fmt::format(
          "(ulimit -v {}; gpupost wide.exr -o out.exr --compression {}) && gpupost info out.exr && rm out.exr",
          mebibytes << 10, compression);
      const Finished finished = place.shell(line);
      const bool is_right = finished.exit_code == 0 || (finished.exit_code == 7 && !place.has("out.exr"));
      bar.count(is_right ? "" : fmt::format("exit {}: {}", finished.exit_code, finished.err), line);
    }
}
