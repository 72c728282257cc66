// What a measurement needs beside a device: how many copies of its images it goes round, and a summary of its times.
#pragma once

#include <cstddef>
#include <vector>

namespace gpupost {

// Copies of a plan's images to go round, each of `set_bytes`, so that no repeat finds its picture in a cache: more than
// twice the cache in all, 2 to 512, no more than fit into half of the memory but at least one.
int rotation_count(size_t set_bytes, size_t cache_bytes, size_t memory_bytes);

// The times of a plan, repeated.
struct Summary {
  double min_ms = 0, median_ms = 0, max_ms = 0;
  int count = 0;
};
Summary summary_of(std::vector<double> milliseconds);

}  // namespace gpupost
