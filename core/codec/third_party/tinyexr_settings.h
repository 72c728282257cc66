// What our code tells tinyexr, a thread each.
#pragma once

namespace gpupost {

// Threads of tinyexr's next call from this thread. 0: core_count() of them; 1: the work is done by the caller.
extern thread_local int tinyexr_thread_count;

}  // namespace gpupost
