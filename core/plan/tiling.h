// Tiling: which chains can run in tiles, and which input texels a tile needs. It needs no device.
#pragma once

#include "core/plan/plan.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpupost {

// A measurement of the whole image, which all tiles need.
struct StatisticsStep {
  size_t calls_before = 0;  // number of calls of the stage that the image goes through first
  Call call;                // a call of `stats`
  bool is_result = false;   // it is a call of the chain, not one that an op of the stage needs
};

// A stage: calls that run on a tile together. At most one call reads neighbors or makes levels; the others are point
// ops around it. Calls of `stats` are only in `measurements`, so a stage can have no calls.
struct Stage {
  std::vector<Call> calls;
  Size size;  // size of the result; for levels, of level 0 or of the only level that is made
  Margin margin;
  std::function<Position(Position)> nearest;  // the input texel at a position of the result; null: the same position
  std::function<Region(const Region& made)> region = {};  // see Footprint::region
  std::vector<StatisticsStep> measurements = {};          // in the order of the calls
  bool makes_levels = false;                              // the stage has only the call that makes levels
  bool moves = false;                    // the stage has only calls that copy texels, which needs no device
  std::optional<StoredAgain> copy = {};  // for a stage without calls that copies the image into another format

  void reach_as(const Footprint& footprint);
};

// The first call that needs the whole image; nullptr if none.
const Call* find_untileable(std::span<const Call> calls);
// Splits a chain that can be tiled into stages.
std::vector<Stage> stages_of(std::span<const Call> calls, const PlanInput& input);

// Approximate number of texels that all passes read, which estimates their time.
double reads_of(const Plan& plan);

struct ChainOptions {
  double most_ms = 0;             // longest submission in ms, because drivers stop long submissions; 0: no limit
  double unwatched_reads = 1e10;  // number of reads below which a submission is never too long
  // On a CPU device, a chain whose images take more bytes, or that the device cannot run whole, runs in bands, which replace the
  // input. 0: no limit, and no bands.
  size_t most_bytes_at_once = 0;
  size_t most_tile_bytes = size_t(256) << 20;  // largest memory of a tile on a CPU device, and of a band
};

// The decision to run a chain whole or in tiles.
struct TilingDecision {
  Plan whole;
  std::string limit;          // of the device, for which it goes in parts; "" where none stands against going at once
  std::string obstacle;       // to going in parts; "" where there is none
  std::vector<Stage> stages;  // of a chain with a limit: their tiles fit; else empty
  bool is_watched = false;    // runs in tiles if a submission would take too long
  std::string bands;          // reason to run in bands, if the caller gives the input away; "": no bands
};
// Throws Error(Exit::limit), with the limit and the obstacle, if the chain fits neither whole nor in tiles. If tiles are too
// large, calls get Footprint::in_smaller_tiles, unless that would change an option that the user gave.
TilingDecision decide_tiling(std::span<const Call> calls, const PlanInput& input, DeviceTraits traits,
                             const ChainOptions& options);

// Returns whether the stage can run in bands: its result has the size and depth of its input, and each row depends only on rows
// near it.
bool can_run_in_bands(const Stage& stage, const PlanInput& input);

// Multiples of texels along x and y at which a tile may begin, so that its sums are those of the whole image.
std::array<int, 2> tile_alignment_of(const Plan& plan);

// Returns whether a tile of the stage's result is exactly the region that was asked for, without a margin.
bool makes_regions(const Stage& stage, Size from);
// The plan of a stage, for an image or a tile.
Plan plan_of(const Stage& stage, const PlanInput& input, const DeviceTraits& traits);
// Input region that a stage reads to make the region `made`, for an image of size `from`.
Region needed_for(const Region& made, Size from, const Stage& stage, std::array<int, 2> alignment);

// A tile of a stage.
struct Tile {
  Region region, needed;  // of the result, and of the input
  Plan plan;
};
// `input` and `alignment` are those of the stage; the size of its input is input.size.
Tile tile_for(const Region& region, const Stage& stage, const PlanInput& input, std::array<int, 2> alignment,
              const DeviceTraits& traits);
// Throws Error(Exit::limit): the smallest tiles of a stage are too large. The message names the call that makes them large, and
// the option that helps. `why`: the limit for which the chain is tiled.
[[noreturn]] void refuse_tiles(const Stage& stage, Size from, std::array<int, 2> alignment, const std::string& why);

// Splits a region at a multiple of the alignment, across its longer side if possible. Empty if it cannot be split.
std::optional<std::array<Region, 2>> halves(const Region& region, std::array<int, 2> alignment);

// Copies a region of a level.
Level part_of(const Level& whole, const Region& region, Depth depth);
// Writes the texels of a tile, starting at `first`, into a region of the whole image.
void place_part(const Level& part, Position first, const Region& region, Level& whole, Depth depth);

}  // namespace gpupost
