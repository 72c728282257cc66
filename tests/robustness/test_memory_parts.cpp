// R7: a device that has no memory for a picture at once, and says so when it is asked.
#include "tests/program/test_folder.h"
#include "tests/support/json.h"

#include <doctest/doctest.h>

using namespace gpupost::test;

namespace {

// Nothing over 9 MB, of a picture of 1600 x 1200 texels of halves, 15.4 MB. As in test_vulkan_faults.cpp otherwise.
const Environment little_memory = {{"VK_LAYER_PATH", GPUPOST_FAULTS},
                                   {"VK_INSTANCE_LAYERS", "VK_LAYER_GPUPOST_faults"},
                                   {"NODEVICE_SELECT", "1"},
                                   {"GPUPOST_MOST_MEMORY", "9000000"}};

}  // namespace

DEVICE_TEST_CASE("a picture that the device has no memory for at once goes through in parts, and is the same") {
  const TestFolder place;
  REQUIRE(place.shell("gpupost in.exr resize --size 1600x1200 -o large.exr").exit_code == 0);
  for (const std::string chain : {"exposure --stops 1", "blur --radius 3 --method separable saturation",
                                  "resize --size 70%", "mips --method per-level", "mips --normal",
                                  "flip x blur --sigma 2 mips --method per-level --levels 3 -o '{stem}.{level}.exr'"}) {
    const std::string line = "gpupost large.exr " + chain + " --compression none --report report.json";
    INFO(line);
    REQUIRE(place.shell(line).exit_code == 0);
    const auto outputs = parse_json(place.read("report.json"))["jobs"][0]["outputs"];
    std::vector<std::string> whole;
    for (const std::string name : outputs) whole.push_back(place.read(name));
    const Finished finished = place.shell(line, little_memory);
    REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    for (size_t index = 0; index < whole.size(); ++index)
      CHECK_MESSAGE(place.read(outputs[index]) == whole[index], outputs[index]);
    const auto report = parse_json(place.read("report.json"));
    const std::string choices = report["jobs"][0]["choices"].dump();
    CHECK_MESSAGE(choices.find(" tiles: ") != choices.npos, choices);
    CHECK_MESSAGE(choices.find("bytes of memory left") != choices.npos, choices);
  }
}

DEVICE_TEST_CASE("a picture that the device has no memory for, and that cannot go in parts, is refused by name") {
  const TestFolder place;
  REQUIRE(place.shell("gpupost in.exr resize --size 1600x1200 -o large.exr").exit_code == 0);
  for (const std::string chain : {"mips --from-base --filter kaiser", "mips --from-base --normal"}) {
    const Finished finished = place.shell("gpupost large.exr " + chain + " -o out.exr", little_memory);
    CHECK(finished.exit_code == 7);
    CHECK_MESSAGE(is_one_error(finished.err), finished.err);
    CHECK_MESSAGE(finished.err.find("bytes of memory left") != finished.err.npos, finished.err);
    CHECK(!place.has("out.exr"));
  }
}
