// Compares published figures of an op with measurements.
#pragma once

#include "core/engine/bench.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

Variant slower_of(const Claim& claim);  // the claim must have `slower`
Variant faster_of(const Claim& claim);
bool is_a_time(const Claim& claim);

// The measured value of a published figure, for one image.
struct ClaimResult {
  const Claim* claim = nullptr;
  BenchPlace place;
  std::string obstacle;  // why it could not be measured; "": it was
  double gain = 0;       // gain in percent, if the figure is a gain
  // If the figure is a time:
  double milliseconds = 0;
  double gb_per_s = 0, floor_gb_per_s = 0;  // speed of the variant and of the floor
};

// `measured` must contain the variants of the claim.
ClaimResult claim_result(const Claim& claim, const BenchCase& measured);

// The document and place of a figure.
std::vector<BenchPlace> places_of(const Claim& claim);

}  // namespace gpupost
