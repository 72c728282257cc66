// Shared by tests of `ocio`.
#pragma once

#include "core/ops/ocio/worker.h"
#include "tests/support/skip.h"

namespace gpupost::test {

// Whether the build has OpenColorIO; else the running test case counts as skipped.
inline bool has_ocio() {
  const bool has = !ocio_version().empty();
  if (!has) skip("built without OpenColorIO");
  return has;
}

}  // namespace gpupost::test
