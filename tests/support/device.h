// The device of the tests, and what happens where there is none.
#pragma once

#include "core/gpu/gpu.h"

namespace gpupost::test {

// The device that GPUPOST_DEVICE names, else the best there is; opened once. nullptr where there is none: the test is then
// counted as skipped and said so, or fails where GPUPOST_TEST_REQUIRE_DEVICE=1.
Gpu* device();

// Counts a test as skipped, on standard error and in the last line of the run.
void skip(const char* why);
int skipped_count();

}  // namespace gpupost::test
