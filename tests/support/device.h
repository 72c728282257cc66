// The device of the tests, and what happens where there is none.
#pragma once

#include "core/gpu/gpu.h"
#include "tests/support/skip.h"

namespace gpupost::test {

// The device that GPUPOST_DEVICE names, else the best there is; opened once. nullptr where there is none: the test is then
// counted as skipped and said so, or fails where GPUPOST_TEST_REQUIRE_DEVICE=1.
Gpu* device();

// The device as a GPU of its abilities: plans differ by the kind of device.
DeviceTraits as_gpu(const Gpu& gpu);

}  // namespace gpupost::test

// A test case whose body gets device() as `gpu`. It is skipped or fails if there is no device, as device() says.
#define GPU_TEST_CASE(...) GPU_TEST_CASE_AS(DOCTEST_ANONYMOUS(gpu_test_case_), __VA_ARGS__)
#define GPU_TEST_CASE_AS(body, ...)                                    \
  static void body(gpupost::Gpu& gpu);                                 \
  TEST_CASE(__VA_ARGS__) {                                             \
    if (gpupost::Gpu* opened = gpupost::test::device()) body(*opened); \
  }                                                                    \
  static void body([[maybe_unused]] gpupost::Gpu& gpu)
