// The ops that tests of every op loop over.
#pragma once

#include "core/ops/registry.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <span>
#include <string>

namespace gpupost::test {

// All ops, or only the op that the environment variable GPUPOST_TEST_OP names. Fails the test case if there is no such op.
inline std::span<const Op* const> tested_ops() {
  const char* name = std::getenv("GPUPOST_TEST_OP");
  if (!name) return all_ops();
  for (const Op* const& op : all_ops())
    if (op->name == name) return {&op, 1};
  FAIL("GPUPOST_TEST_OP is \"", std::string(name), "\"; expected the name of an op (`gpupost ops` lists them)");
  return {};
}

}  // namespace gpupost::test
