// What `gpupost bench` was asked for.
#pragma once

#include "core/gpu/bench.h"

#include <string>
#include <vector>

namespace gpupost {

struct BenchRequest {
  const Op* op = nullptr;     // nullptr: with `pages` alone
  std::vector<Size> sizes;    // empty: those of the row
  std::vector<Depth> depths;  // likewise
  std::vector<Variant> variants;
  MeasureOptions options;
  std::string device;
  std::string json;                // a file to write, or - for standard output; "": none
  std::string html;                // likewise, the page of it
  std::vector<std::string> pages;  // JSON of earlier runs, to make the page of
  bool list = false;
};

// Throws Error(Exit::usage).
BenchRequest parse_bench(const std::vector<std::string>& words);

}  // namespace gpupost
