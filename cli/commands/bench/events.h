// What `gpupost bench` does before and after each case.
#pragma once

#include "core/engine/bench.h"

#include <functional>

namespace gpupost {

struct BenchEvents {
  std::function<void(size_t case_count)> on_start;
  std::function<void(const BenchPlace& place)> on_case;
  std::function<void()> on_result;  // the last case of the run has its results
};

}  // namespace gpupost
