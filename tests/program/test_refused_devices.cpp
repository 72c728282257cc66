// Devices that are not there or do not open.
#include "tests/program/refusals.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

using namespace gpupost::test;

TEST_CASE("no device") {
  check_all({
      {"no driver", {"mips", "in.exr", "-o", "out.exr"}, 4, {"gpupost doctor"}, no_driver},
      {"no driver for devices", {"devices"}, 4, {"gpupost doctor"}, no_driver},
  });
}

DEVICE_TEST_CASE("no device of that name") {
  std::vector<Refusal> refusals = {
      {"by name", {"mips", "in.exr", "-o", "out.exr", "--device", "nonsense"}, 4, {"--device nonsense"}},
      {"by index", {"mips", "in.exr", "-o", "out.exr", "--device", "99"}, 4, {"--device 99"}},
      {"by environment",
       {"mips", "in.exr", "-o", "out.exr"},
       4,
       {"nonsense", "from GPUPOST_DEVICE"},
       {{"GPUPOST_DEVICE", "nonsense"}}},
      {"the plan for it", {"--explain", "mips", "--device", "nonsense"}, 4, {"nonsense"}},
  };
  if (!has_gpu()) {
    refusals.push_back({"a GPU", {"mips", "in.exr", "-o", "out.exr", "--device", "gpu"}, 4, {"gpu"}});
    refusals.push_back({"a GPU required", {"mips", "in.exr", "-o", "out.exr", "--require-gpu"}, 4, {"--require-gpu"}});
    refusals.push_back({"a GPU required of a CPU",
                        {"mips", "in.exr", "-o", "out.exr", "--require-gpu", "--device", "cpu"},
                        4,
                        {"--require-gpu", "; choose a GPU with --device, or leave --require-gpu out"}});
  }
  check_all(refusals);
}

TEST_CASE("no input is read where a GPU is required and there is none, and the exit is 4") {
  if (!has_device() || has_gpu()) return;
  check_all(
      {{"of two inputs, one of them bad",
        {"mips", "in.exr", "text.exr", "-o", "sub/", "--require-gpu"},
        4,
        {"--require-gpu: "}},
       {"without a driver", {"mips", "in.exr", "text.exr", "-o", "sub/", "--require-gpu"}, 4, {"driver"}, no_driver}});
}

TEST_CASE("a device that does not open has the same exit code for one input, a batch and every report") {
  const TestFolder place;
  CHECK(place.gpupost({"mips", "in.exr", "other.exr", "-o", "sub/"}, no_driver).exit_code == 4);
  CHECK(place.gpupost({"mips", "in.exr", "-o", "out.exr", "--timing", "--report", "r.json"}, no_driver).exit_code == 4);
  CHECK(place.has("r.json"));
  CHECK(place.gpupost({"mips", "text.exr", "-o", "out.exr", "--report", "s.json"}, no_driver).exit_code == 2);
}
