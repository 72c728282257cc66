// How many copies of its images a measurement goes round. Pure: needs no device.
#pragma once

#include <cstddef>

namespace gpupost {

// Copies of a plan's images to go round, each of `set_bytes`, so that no repeat finds its picture in a cache: more than
// twice the cache in all, 2 to 512, no more than fit into half of the memory but at least one.
int rotation_count(size_t set_bytes, size_t cache_bytes, size_t memory_bytes);

}  // namespace gpupost
