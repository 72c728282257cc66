// The program under Vulkan's validation layer with its synchronisation checks on.
#include "tests/program/test_folder.h"
#include "tests/program/tested_program.h"

#include <doctest/doctest.h>

using namespace gpupost::test;

DEVICE_TEST_CASE(
    "the validation layer has no message for either method, with pushed and with ordinary descriptor sets") {
  const TestFolder place;
  for (const std::string method : {"single-pass", "per-level"})
    for (const std::string plain_sets : {"0", "1"}) {
      const Finished finished = place.gpupost({"mips", "in.exr", "--method", method, "-o", "out.exr"},
                                              {{"GPUPOST_VALIDATE", "1"}, {"GPUPOST_PLAIN_SETS", plain_sets}});
      INFO(method, " ", plain_sets, ": ", finished.err);
      CHECK(finished.exit_code == 0);
      CHECK(finished.err.empty());
    }
}

DEVICE_TEST_CASE("a program without its barriers is reported, and writes nothing") {
  const TestFolder place;
  // not by Place, for which exit 70 is a failure of its own
  const Finished finished = run({.program = tested_program(),
                                 .words = {"mips", "in.exr", "--method", "per-level", "-o", "out.exr"},
                                 .environment = {{"GPUPOST_VALIDATE", "1"}, {"GPUPOST_FAULT", "barriers"}},
                                 .folder = place.path()});
  INFO(finished.err.substr(0, 1000));
  CHECK(finished.exit_code == 70);
  CHECK(finished.err.find("SYNC-HAZARD") != std::string::npos);
  CHECK(!place.has("out.exr"));
}
