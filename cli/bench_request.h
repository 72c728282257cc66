// What `gpupost bench` was asked for.
#pragma once

#include "core/gpu/bench.h"

#include <string>
#include <vector>

namespace gpupost {

struct BenchRequest {
  const Op* op = nullptr;
  std::vector<Size> sizes;    // empty: those of the row
  std::vector<Depth> depths;  // likewise
  std::vector<Variant> variants;
  MeasureOptions options;
  std::string device;
  std::string json;  // a file to write, or - for standard output; "": none
  bool list = false;
};

// Throws Error(Exit::usage).
BenchRequest parse_bench(const std::vector<std::string>& words);

}  // namespace gpupost
