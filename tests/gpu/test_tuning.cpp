// What `tune` keeps is read back whole, or not at all.
#include "core/base/error.h"
#include "core/engine/tuning.h"
#include "core/gpu/cache.h"
#include "core/op/benchmark.h"
#include "core/ops/registry.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// A cache folder of its own while it lives.
class OwnCache {
 public:
  OwnCache() {
    if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  }
  ~OwnCache() {
    if (before_.empty()) unsetenv("XDG_CACHE_HOME");
    else setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }
  std::string file() const { return folder_.path() + "/gpupost/tuned-" + uuid; }
  static constexpr const char* uuid = "00112233445566778899aabbccddeeff";

 private:
  TemporaryFolder folder_;
  std::string before_;
};

DeviceInfo some_device() { return {.uuid = OwnCache::uuid, .driver = "a driver 1.2", .driver_uuid = "ffee"}; }

std::vector<Tuned> some_tuning() {
  const std::string first = op_named("mips")->bench->variants().front(),
                    last = op_named("mips")->bench->variants().back();
  return {{.op = "mips", .depth = Depth::half, .size = {256, 128}, .arguments = first},
          {.op = "mips", .depth = Depth::half, .half_arithmetic = true, .size = {256, 128}, .arguments = last},
          {.op = "mips", .depth = Depth::f32, .size = {4096, 1}, .arguments = last}};
}

}  // namespace

TEST_CASE("what is kept of a device is read back, until it is forgotten") {
  const OwnCache cache;
  CHECK(read_tuning(some_device()).empty());
  CHECK(!forget_tuning(some_device()));
  keep_tuning(some_device(), some_tuning());
  CHECK(read_tuning(some_device()) == some_tuning());
  CHECK(forget_tuning(some_device()));
  CHECK(read_tuning(some_device()).empty());
}

TEST_CASE("another driver knows nothing of what was kept") {
  const OwnCache cache;
  keep_tuning(some_device(), some_tuning());
  DeviceInfo newer = some_device();
  newer.driver = "a driver 1.3";
  CHECK(read_tuning(newer).empty());
  newer = some_device();
  newer.driver_uuid = "ffef";
  CHECK(read_tuning(newer).empty());
}

TEST_CASE("what is odd in what was kept makes all of it nothing") {
  const OwnCache cache;
  std::vector<Tuned> odd = some_tuning();
  SUBCASE("an op that there is not") { odd[0].op = "mipz"; }
  SUBCASE("a variant that there is not") { odd[1].arguments = "--method fastest"; }
  SUBCASE("more than a variant") { odd[1].arguments += " --levels 3"; }
  SUBCASE("no size") { odd[2].size.width = 0; }
  SUBCASE("two lines in one") { odd[0].arguments += "\nmips"; }
  CHECK_THROWS_AS(keep_tuning(some_device(), odd), Error);  // it reads what it wrote
  CHECK(read_tuning(some_device()).empty());
}

TEST_CASE("a file with another byte, and one that is cut short, are ignored") {
  const OwnCache cache;
  keep_tuning(some_device(), some_tuning());
  std::ifstream stream(cache.file(), std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE(sound.find("mips") != std::string::npos);
  for (const std::string& broken : {std::string(sound).replace(sound.find("256"), 3, "257"), sound.substr(0, 40),
                                    sound.substr(0, sound.size() - 1), std::string()}) {
    std::ofstream(cache.file(), std::ios::binary) << broken;
    CHECK(read_tuning(some_device()).empty());
  }
}

TEST_CASE("a cache folder that cannot be written is an error that names it") {
  const OwnCache cache;
  setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
  const std::string message = error_of([&] { keep_tuning(some_device(), some_tuning()); }, Exit::output);
  CHECK(message.find("/dev/null/nowhere/gpupost") != message.npos);
}
