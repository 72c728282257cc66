// Runs one stage of a chain on an image, tile by tile. run_chain.cpp uses it.
#pragma once

#include "core/engine/run_totals.h"
#include "core/plan/tiling.h"

#include <functional>
#include <limits>
#include <string>

namespace gpupost {

constexpr size_t least_bytes = 16 << 20;  // below this many bytes, running out of memory is an error

// Limits of a tile, in addition to those of the device.
struct Bounds {
  double most_ms = 0;                                      // 0: no limit
  size_t most_bytes = std::numeric_limits<size_t>::max();  // a larger allocation has failed before
  std::string why;                                         // why the image is tiled
};

// Receives the result of a tile: `corner` is where the region `made` begins in its image.
using TakeTile = std::function<void(const Region& made, Position corner, const Plan& plan, const RunResult& result)>;

// Runs a stage on `base`. `made` is the size of the result; `take` receives each tile of it. Lowers `bounds` if memory
// runs out.
void run_stage(Gpu& gpu, const Stage& stage, const PlanInput& input, const Level& base, Size made, const TakeTile& take,
               Bounds& bounds, RunTotals& totals);

}  // namespace gpupost
