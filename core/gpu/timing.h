// Number of image copies for a measurement, and the summary of its times.
#pragma once

#include <cstddef>
#include <vector>

namespace gpupost {

// Number of copies of a plan's images, each of `set_bytes`, so that no repeat finds its image in a cache. Together they
// exceed twice the cache, within 2 to 512, and fit in half of the memory; at least one.
int rotation_count(size_t set_bytes, size_t cache_bytes, size_t memory_bytes);

// Summary of the times of repeated runs.
struct Summary {
  double min_ms = 0, median_ms = 0, max_ms = 0;
  int count = 0;
};
Summary summary_of(std::vector<double> milliseconds);

}  // namespace gpupost
