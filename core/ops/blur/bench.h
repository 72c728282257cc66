// What `bench` measures of blurs.
#pragma once

#include "core/op/benchmark.h"

#include <string>
#include <vector>

namespace gpupost {

std::vector<std::string> blur_variants();
Benchmark blur_benchmark();

}  // namespace gpupost
