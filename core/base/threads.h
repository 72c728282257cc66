// A loop over rows on every core.
#pragma once

#include <functional>

namespace gpupost {

// Calls body(begin, end) on disjoint ranges that make up [0, count), one range a core; returns when all have. Ranges that get
// no thread are done by the caller. The first exception of a body is thrown again. `grain` is the least count worth a thread.
void parallel_ranges(int count, int grain, const std::function<void(int, int)>& body);

// Threads that parallel_ranges and the codecs use: the cores this process may run on, or fewer after limit_threads().
int core_count();
// From here on core_count() is at most this; 0: no limit.
void limit_threads(int most);

}  // namespace gpupost
