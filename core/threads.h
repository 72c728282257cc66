// A loop over rows on every core.
#pragma once

#include <functional>

namespace gpupost {

// Calls body(begin, end) on disjoint ranges that make up [0, count), one range a core; returns when all have. The first
// exception thrown by a body is thrown again here. `grain` is the least count worth a thread.
void parallel_ranges(int count, int grain, const std::function<void(int, int)>& body);

// Threads that parallel_ranges and the codecs use: the cores this process may run on.
int core_count();

}  // namespace gpupost
