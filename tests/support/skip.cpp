#include "tests/support/device.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>

namespace gpupost::test {

static int skipped = 0;

void skip(const char* why) {
  ++skipped;
  fmt::print(stderr, "skipped: {}\n", why);
}

int skipped_count() { return skipped; }

}  // namespace gpupost::test
