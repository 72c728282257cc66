// A picture in parts: what of a chain can be made so, and which texels a part needs. Pure: needs no device.
#pragma once

#include "core/plan/plan.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Calls that go through a device together: one that looks around, or that makes levels, with the point ops around it.
struct Stage {
  std::vector<Call> calls;
  Size size;  // of what it makes, of its base where it makes levels
  Margin reach;
  bool makes_levels = false;  // then its call is the only one
  bool moves = false;         // likewise; it takes texels as they stand, which needs no device
};

// The first call that needs the whole picture at once; nullptr: there is none.
const Call* not_in_parts(std::span<const Call> calls);
// The stages of a chain without such calls, on a picture of this size.
std::vector<Stage> stages_of(std::span<const Call> calls, Size size);

// Texels that all passes read, about: what their time goes with.
double taps_of(const Plan& plan);

struct ChainOptions {
  double most_ms = 0;  // that the device may work at once, so that no watchdog ends it; 0: as long as it takes
  double unwatched_taps = 1e10;  // fewer take no GPU long, so that they need not be watched
};

// How a chain goes through a device: at once, or in parts.
struct TilingDecision {
  Plan whole;
  std::string limit;        // of the device, for which it goes in parts; "" where none stands against going at once
  std::string obstacle;     // to going in parts; "" where there is none
  bool is_watched = false;  // it goes in parts where that saves the device from working too long at once
};
// Throws Error(Exit::limit), naming the limit and the obstacle, where it can go neither way.
TilingDecision passage_of(std::span<const Call> calls, const PlanInput& input, DeviceTraits traits,
                          const ChainOptions& options);

// Texels along x and y at whose multiples a part may begin, so that its sums are those of the whole picture.
std::array<int, 2> period_of(const Plan& plan);

// What a stage reads of a picture of size `from` for `made` of its result, from a multiple of the period on.
Region needed_for(const Region& made, Size from, const Stage& stage, std::array<int, 2> period);
// What level 1 of a picture is made of.
Region needed_for_level(const Region& made, Size whole);

// Both halves of a region, cut across its longer side at a multiple of the period, or across the other side; nothing where
// neither can be.
std::optional<std::array<Region, 2>> halves(const Region& region, std::array<int, 2> period);

// A copy of a part of a level of four numbers a texel.
Level part_of(const Level& whole, const Region& region, Depth depth);
// Puts the texels of a part from `first` on into the region of the whole.
void place_part(const Level& part, Position first, const Region& region, Level& whole, Depth depth);

}  // namespace gpupost
