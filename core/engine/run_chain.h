// A chain on a picture of any size: at once where the device holds all that it needs, else in parts.
#pragma once

#include "core/gpu/gpu.h"
#include "core/plan/tiling.h"

namespace gpupost {

// What was run: of a chain that went through in parts the passes of all its stages, each with the sums of what its parts took.
struct ChainRun {
  Plan plan;
  RunResult result;  // levels from `first_level` on
  int first_level = 0;
  // Numbers that passes clamped as they stored halves or 11:11:10 bits. Where tiles overlap they count for each of them.
  uint64_t clamped_count = 0;
};

// Runs `calls` on `base`, as plan() and Gpu::run() do. Where a limit of the device, its memory or the time stands against that, the
// picture goes through in parts that overlap as far as the calls reach; their texels are the same, bit for bit, those of mips
// as a pass a level makes them. Where a call needs the whole picture it gets it, as long as it takes; Error(Exit::limit) names it
// and the limit that stands against that.
ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, const Level& base,
                   const ChainOptions& options);

}  // namespace gpupost
