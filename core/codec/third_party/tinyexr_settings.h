// What our code tells tinyexr, and what it hears from it, a thread each.
#pragma once

namespace gpupost {

// Threads of tinyexr's next call from this thread. 0: core_count() of them; 1: the work is done by the caller.
extern thread_local int tinyexr_thread_count;

// Set when tinyexr has met PIZ data that it cannot decode, which it does not report (1.0.1). See test_decode_exr.
extern thread_local bool tinyexr_met_damage;

}  // namespace gpupost
