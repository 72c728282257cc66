// Tests that cannot run on this machine.
#pragma once

#include <doctest/doctest.h>

namespace gpupost::test {

// Counts the running test case as skipped: said on standard error, and counted in the last line of the run.
void skip(const char* why);

}  // namespace gpupost::test

// A test case that runs if has_device() is true. Otherwise has_device() counts it as skipped.
#define DEVICE_TEST_CASE(...) DEVICE_TEST_CASE_AS(DOCTEST_ANONYMOUS(device_test_case_), __VA_ARGS__)
#define DEVICE_TEST_CASE_AS(body, ...) \
  static void body();                  \
  TEST_CASE(__VA_ARGS__) {             \
    if (has_device()) body();          \
  }                                    \
  static void body()
