// Limits of devices that the devices at hand do not have.
#include "core/gpu/commands.h"
#include "core/gpu/device.h"
#include "core/op/parse.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

TEST_CASE("a clock that wraps around counts on") {
  CHECK(ticks_between(10, 25, 64) == 15);
  CHECK(ticks_between((uint64_t(1) << 36) - 10, 5, 36) == 15);
  CHECK(ticks_between(~uint64_t(0) - 9, 5, 64) == 15);
  CHECK(ticks_between(0xfffffff6, 5, 32) == 15);
}

TEST_CASE("host memory is imported only where its rounded size stays within its pages") {
  CHECK(importable_bytes(0x10000, 5000, 4096, 4096) == 8192);
  CHECK(importable_bytes(0x10000, 8192, 4096, 4096) == 8192);
  CHECK(importable_bytes(0x10000, 5000, 64, 4096) == 5056);
  CHECK(importable_bytes(0x10000, 5000, 65536, 4096) == 0);
  CHECK(importable_bytes(0x10000, 65536, 65536, 4096) == 65536);
  CHECK(importable_bytes(0x11000, 65536, 65536, 4096) == 0);
  CHECK(importable_bytes(0x10000, 5000, 0, 4096) == 0);
}

TEST_CASE("passes that exchange within subgroups have workgroups of full subgroups") {
  for (const int subgroup_size : {8, 16, 32, 64, 128}) {
    const DeviceTraits traits{
        .type = DeviceType::discrete,
        .max_group_invocations = 1024,
        .shared_bytes = 49152,
        .subgroup = {.size = subgroup_size, .has_quad = true, .has_shuffle = true, .has_reductions = true},
        .has_memory_model = true};
    for (const auto& [op, words] : {std::pair("blur", "--radius 13"),
                                    {"blur", "--radius 20"},
                                    {"blur", "--radius 40"},
                                    {"mips", ""},
                                    {"luminance", ""},
                                    {"luminance", "--tile 8x8"}})
      for (const Depth depth : {Depth::half, Depth::f32}) {
        const Call call = call_of(op, words);
        for (const Pass& pass : plan({&call, 1}, {.size = {1024, 1024}, .storage = depth}, traits).passes) {
          CAPTURE(subgroup_size);
          CAPTURE(pass.name);
          if (pass.arithmetic.subgroup_size > 0 || pass.arithmetic.reduces_in_subgroups)
            CHECK(pass.grid.group[0] % subgroup_size == 0);
        }
      }
  }
}

GPU_TEST_CASE("a chain of more allocations than the device allows at a time is refused") {
  DeviceInfo info = gpu.info();
  info.max_allocations = 12;
  Gpu few(info);
  const Level base = pattern("noise", {16, 8}, Depth::f32);
  const auto run_blurs = [&](size_t count) {
    const std::vector<Call> calls(count, call_of("blur", "--radius 2"));
    few.run(plan(calls, {.size = base.size, .storage = Depth::f32}, info.traits), base, 0);
  };
  CHECK_NOTHROW(run_blurs(1));
  CHECK_THROWS_AS(run_blurs(12), OutOfDeviceMemory);
}
