// Settings of tinyexr, per thread.
#pragma once

namespace gpupost {

// Number of threads of tinyexr's next call from this thread. 0: core_count(). 1: only the calling thread.
extern thread_local int tinyexr_thread_count;

}  // namespace gpupost
