// Parallel loops.
#pragma once

#include <functional>

namespace gpupost {

// Calls body(begin, end) for disjoint ranges that cover [0, count), one per core, and waits for all. The caller runs
// ranges that get no thread. Rethrows the first exception. `grain` is the smallest count for a thread.
void parallel_ranges(int count, int grain, const std::function<void(int, int)>& body);

// Number of threads for parallel_ranges and codecs: the cores of this process, or fewer after limit_threads().
int core_count();
// Limits core_count(); 0: no limit.
void limit_threads(int most);

}  // namespace gpupost
