// The measurements of `bench` for mip chains.
#pragma once

#include "core/op/benchmark.h"

namespace gpupost {

Benchmark mips_benchmark();

}  // namespace gpupost
