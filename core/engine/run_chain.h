// Runs a chain on an image of any size: whole if the device can hold it, otherwise in tiles.
#pragma once

#include "core/gpu/gpu.h"
#include "core/plan/tiling.h"

namespace gpupost {

// The result of a run. With tiles, the passes of all stages are listed, each with the sum of its tiles.
struct ChainRun {
  Plan plan;
  RunResult result;  // levels starting at `first_level`
  int first_level = 0;
  // Number of values that were clamped when stored as half or B10G11R11. Values in overlapping tiles count once per
  // tile.
  uint64_t clamped_count = 0;
};

// Runs `calls` on `base`, like plan() and Gpu::run(). If the image exceeds a limit of the device, its memory or the
// time, it runs in tiles that overlap by the reach of the calls. Tiles give the same result bit for bit, but mip levels are
// those of one pass per level, and what is measured is joined from tiles. A call that needs the whole image runs whole, without a time limit.
// Error(Exit::limit) names such a call and the limit.
ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, const Level& base,
                   const ChainOptions& options);
// The same for a base that is no longer needed: see Gpu::run(). A large image on a CPU device runs in bands, which overwrite the
// base. After an error the base may be lost, so that nothing may try again; a lost device is then an Error.
ChainRun run_chain(Gpu& gpu, std::span<const Call> calls, const PlanInput& input, Level&& base,
                   const ChainOptions& options);

}  // namespace gpupost
