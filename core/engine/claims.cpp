#include "core/engine/claims.h"

#include <algorithm>

namespace gpupost {

Variant slower_of(const Claim& claim) { return {std::string(claim.slower), claim.slower_is_half}; }
Variant faster_of(const Claim& claim) { return {std::string(claim.faster), claim.faster_is_half}; }
bool is_a_time(const Claim& claim) { return claim.slower.empty(); }

static const VariantResult& result_of(const BenchCase& measured, const Variant& variant) {
  return *std::ranges::find(measured.variants, variant, &VariantResult::variant);
}

ClaimResult claim_result(const Claim& claim, const BenchCase& measured) {
  ClaimResult result{.claim = &claim, .place = measured.place, .obstacle = measured.obstacle};
  if (!result.obstacle.empty()) return result;
  const VariantResult& faster = result_of(measured, faster_of(claim));
  const VariantResult& slower = is_a_time(claim) ? faster : result_of(measured, slower_of(claim));
  for (const VariantResult* variant : {&slower, &faster})
    if (result.obstacle.empty()) result.obstacle = variant->obstacle + variant->failure;
  if (!result.obstacle.empty()) return result;
  result.gain = 100 * (slower.times.median_ms / faster.times.median_ms - 1);
  result.milliseconds = faster.times.median_ms;
  result.gb_per_s = gb_per_second(faster.bytes, faster.times.median_ms);
  if (!measured.floors.empty())
    result.floor_gb_per_s = gb_per_second(measured.floors[0].bytes, measured.floors[0].times.median_ms);
  return result;
}

std::vector<BenchPlace> places_of(const Claim& claim) {
  std::vector<BenchPlace> places;
  for (const Size size : claim.sizes)
    for (const Depth depth : claim.depths) places.push_back({size, depth, claim.setting});
  return places;
}

}  // namespace gpupost
