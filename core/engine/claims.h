// What documents claim of an op, held against what was measured.
#pragma once

#include "core/engine/bench.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

Variant slower_of(const Claim& claim);  // of a claim that has one
Variant faster_of(const Claim& claim);
bool is_a_time(const Claim& claim);

// What a device gives of a claim, on one picture.
struct ClaimResult {
  const Claim* claim = nullptr;
  BenchPlace place;
  std::string obstacle;  // why it could not be measured; "": it was
  double gain = 0;       // per cent; of a claim that compares
  // of a claim of a time
  double milliseconds = 0;
  double gb_per_s = 0, floor_gb_per_s = 0;  // of the variant, and of the op's floor
};

// `measured` has the claim's variants.
ClaimResult claim_result(const Claim& claim, const BenchCase& measured);

// Where a claim is made.
std::vector<BenchPlace> places_of(const Claim& claim);

}  // namespace gpupost
