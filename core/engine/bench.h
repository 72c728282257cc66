// An op's variants, checked against its definition and then timed beside its floor.
#pragma once

#include "core/engine/floors.h"
#include "core/gpu/gpu.h"
#include "core/reference/verify.h"

#include <string>
#include <vector>

namespace gpupost {

// One way to do an op.
struct Variant {
  std::string arguments;         // behind the op's name
  bool half_arithmetic = false;  // --fp16
  bool operator==(const Variant&) const = default;

  std::string text() const { return arguments + (half_arithmetic ? " --fp16" : ""); }
};

// What was found of a variant. Of `obstacle`, `failure` and `times` one is filled.
struct VariantResult {
  Variant variant;
  std::string obstacle;  // why it is not possible here
  std::string failure;   // why its result is wrong
  Summary times;         // the device's, and behind it `host_ms`
  double host_ms = 0;    // what the host takes to make of an op's numbers what they are asked for
  size_t bytes = 0;      // of images, read and written
  double ratio = 0;      // of the median to that of the op's floor, where that was measured
  LevelCheck worst;      // nearest to its tolerance; of level 0: nothing was checked
};

struct FloorResult {
  Floor floor = Floor::copy;
  std::string shape;  // the fastest pass
  Summary times;
  size_t bytes = 0;
};

// What variants are measured on.
struct BenchPlace {
  Size size;
  Depth depth = Depth::half;
  Setting setting = {};
  bool operator==(const BenchPlace&) const = default;
};

// All about one place.
struct BenchCase {
  BenchPlace place;
  std::string obstacle;  // why the device cannot hold it
  Size verified_size;    // smaller than `size` where the host has not the memory for the reference
  std::vector<FloorResult> floors;
  std::vector<VariantResult> variants;  // in the order in which they were asked for
};

// The variants of a row, each with float arithmetic, with half, or with both.
std::vector<Variant> variants_of(const Op& op, bool with_float, bool with_half);

inline constexpr Floor all_floors[] = {Floor::copy, Floor::third, Floor::read};

// Throws what ends all of it, such as a device that is lost.
BenchCase bench(Gpu& gpu, const Op& op, std::span<const Variant> variants, const BenchPlace& place,
                const MeasureOptions& options, std::span<const Floor> floors = all_floors);

// What stands for a chain where a row is asked for: what it is measured at, and as its variants that it is fused and that it
// is not.
const Op& chain_row();
// The same of a chain.
BenchCase bench(Gpu& gpu, std::span<const Call> chain, std::span<const Variant> variants, const BenchPlace& place,
                const MeasureOptions& options);

// The fastest that is right; nullptr where none is.
const VariantResult* fastest(std::span<const VariantResult> results);

// How a variant fails on hard numbers, on a small picture whose sides are odd where those of `size` are; "" where it is
// right. What noise does not show: a linear sampler may make not-a-number of infinity.
std::string failure_on_hard_numbers(Gpu& gpu, const Op& op, const Variant& variant, Size size, Depth depth);

}  // namespace gpupost
