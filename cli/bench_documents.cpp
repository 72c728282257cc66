#include "cli/bench_documents.h"

#include "core/error.h"

#include <algorithm>

namespace gpupost {

Variant slower_of(const Claim& claim) { return {std::string(claim.slower), claim.slower_is_half}; }
Variant faster_of(const Claim& claim) { return {std::string(claim.faster), claim.faster_is_half}; }

namespace {

// A picture that claims speak of, and the variants to measure on it.
struct Place {
  Size size;
  Depth depth;
  std::vector<Variant> variants;
};

template <class T>
bool is_wanted(const std::vector<T>& wanted, T value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

// Every picture once, whatever many claims speak of it.
std::vector<Place> places_of(const BenchRequest& request) {
  std::vector<Place> places;
  for (const Claim& claim : request.op->benchmark.claims)
    for (const Size size : claim.sizes)
      for (const Depth depth : claim.depths) {
        if (!is_wanted(request.sizes, size) || !is_wanted(request.depths, depth)) continue;
        auto place = std::ranges::find_if(
            places, [&](const Place& known) { return known.size == size && known.depth == depth; });
        if (place == places.end()) place = places.insert(places.end(), {.size = size, .depth = depth, .variants = {}});
        for (const Variant& variant : {slower_of(claim), faster_of(claim)})
          if (std::ranges::find(place->variants, variant) == place->variants.end()) place->variants.push_back(variant);
      }
  return places;
}

const VariantResult* result_of(const BenchCase& measured, const Variant& variant) {
  const auto found = std::ranges::find(measured.variants, variant, &VariantResult::variant);
  return found == measured.variants.end() ? nullptr : &*found;
}

ClaimResult claim_result(const Claim& claim, const BenchCase& measured) {
  ClaimResult result{.claim = &claim, .size = measured.size, .depth = measured.depth, .obstacle = measured.obstacle};
  const VariantResult* slower = result_of(measured, slower_of(claim));
  const VariantResult* faster = result_of(measured, faster_of(claim));
  for (const VariantResult* variant : {slower, faster})
    if (variant && result.obstacle.empty()) result.obstacle = variant->obstacle + variant->failure;
  if (result.obstacle.empty()) result.gain = 100 * (slower->times.median_ms / faster->times.median_ms - 1);
  return result;
}

}  // namespace

void bench_documents(Gpu& gpu, const BenchRequest& request, BenchRun& run, const std::function<void()>& on_case) {
  const Benchmark& row = request.op->benchmark;
  const std::vector<Place> places = places_of(request);
  if (places.empty()) fail(Exit::usage, "bench: no document claims anything of {} at these sizes and formats", run.op);
  for (const Place& place : places) {
    run.cases.push_back(
        bench(gpu, *request.op, place.variants, place.size, place.depth, request.options, {&row.floor, 1}));
    for (const Claim& claim : row.claims)
      if (std::ranges::find(claim.sizes, place.size) != claim.sizes.end() &&
          std::ranges::find(claim.depths, place.depth) != claim.depths.end())
        run.claims.push_back(claim_result(claim, run.cases.back()));
    on_case();
  }
}

}  // namespace gpupost
