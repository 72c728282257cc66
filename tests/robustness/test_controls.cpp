// R9: what the validation layer is there to find, it finds. The barrier that is missing stands in tests/program/test_validation.cpp.
#include "tests/program/test_folder.h"
#include "tests/robustness/trial.h"

#include <doctest/doctest.h>

using namespace gpupost::test;

DEVICE_TEST_CASE("R9: an object that is left over is reported") {
  const Trial trial({"mips"});
  const Environment validated{{"GPUPOST_VALIDATE", "1"}};
  const Finished sound = trial.run(validated);
  CHECK_MESSAGE(sound.exit_code == 0, sound.err);
  Environment leaking = validated;
  leaking.emplace_back("GPUPOST_FAULT", "leak");
  const Finished finished = trial.run(leaking);
  const bool is_reported = finished.exit_code == 70 && finished.err.find("has not been destroyed") != std::string::npos;
  Criterion bar("R9 leaked object", "negative controls were reported");
  bar.count(is_reported ? "" : finished.err, "a fence");
}

DEVICE_TEST_CASE("R9: accesses behind the end of a buffer are reported") {
  const Trial trial({"mips", "--method", "single-pass"});
  const Environment validated{{"GPUPOST_VALIDATE", "assisted"}};
  const Finished sound = trial.run(validated);
  CHECK_MESSAGE(sound.exit_code == 0, sound.err);
  Environment overrunning = validated;
  overrunning.emplace_back("GPUPOST_FAULT", "overrun");
  const Finished finished = trial.run(overrunning);
  const bool is_reported = finished.exit_code == 70 && finished.err.find("access out of bounds") != std::string::npos;
  Criterion bar("R9 buffer overrun", "negative controls were reported");
  bar.count(is_reported ? "" : finished.err, "scratch memory without its texels");
}
