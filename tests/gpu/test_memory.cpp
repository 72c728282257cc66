// Memory that is kept from run to run.
#include "core/gpu/memory.h"
#include "core/op/parse.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>

#include <span>

using namespace gpupost;
using namespace gpupost::test;

namespace {

MemoryBlock block(size_t bytes, uint32_t type) {
  MemoryBlock made;
  made.bytes = bytes;
  made.type = type;
  return made;
}

std::vector<std::byte> blurred(Gpu& gpu, Size size, const std::string& words) {
  const Call call = call_of("blur", words);
  const Level base = pattern("noise", size, Depth::half);
  const RunResult result =
      gpu.run(plan({&call, 1}, {.size = size, .storage = Depth::half}, gpu.info().traits), base, 0);
  const std::span bytes = result.levels.front().texels.bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("a pool hands out blocks of the same size and type, once") {
  MemoryPool pool;
  pool.put(block(64, 1));
  CHECK(pool.block_count() == 0);  // it keeps none until it is told to
  pool.keep(true);
  pool.put(block(64, 1));
  pool.put(block(32, 1));
  CHECK(pool.bytes() == 96);
  CHECK(!pool.take(64, 2));
  CHECK(!pool.take(63, 1));
  CHECK(pool.take(64, 1));
  CHECK(!pool.take(64, 1));
  pool.keep(false);
  CHECK(pool.block_count() == 0);
}

TEST_CASE("a pool frees blocks that a whole run has not used") {
  MemoryPool pool;
  pool.keep(true);
  pool.start_run();
  pool.put(block(64, 1));
  pool.put(block(32, 1));
  pool.start_run();  // both lie there for this run
  pool.put(*pool.take(64, 1));
  CHECK(pool.block_count() == 2);
  pool.start_run();  // the run before did not use the second one
  CHECK(pool.bytes() == 64);
  pool.start_run();
  CHECK(pool.block_count() == 0);
}

GPU_TEST_CASE("runs in kept memory give the same as runs in new memory") {
  Gpu keeping(gpu.info());
  keeping.keep_memory(true);
  for (const auto& [size, words] :
       std::initializer_list<std::pair<Size, std::string>>{{Size{64, 40}, "--radius 3"},
                                                           {Size{64, 40}, "--sigma 2"},
                                                           {Size{17, 9}, "--radius 5"},
                                                           {Size{64, 40}, "--radius 3 --border black"},
                                                           {Size{40, 64}, "--sigma 2"}})
    for (int repeat = 0; repeat < 3; ++repeat) {
      CAPTURE(size.width);
      CAPTURE(words);
      CHECK(blurred(keeping, size, words) == blurred(gpu, size, words));
    }
}
