// `gpupost bench`: checks the variants of an op against its reference, then times them and its floor.
#pragma once

#include "core/engine/floors.h"
#include "core/gpu/gpu.h"
#include "core/reference/verify.h"

#include <string>
#include <vector>

namespace gpupost {

// A variant of an op.
struct Variant {
  std::string arguments;         // arguments after the op's name
  bool half_arithmetic = false;  // measured with --fp16
  bool operator==(const Variant&) const = default;

  std::string text() const { return arguments + (half_arithmetic ? " --fp16" : ""); }
  // The name that `bench --list` and tables print.
  std::string name() const { return (arguments.empty() ? "default" : arguments) + (half_arithmetic ? " --fp16" : ""); }
};

// The result for a variant. Exactly one of `obstacle`, `failure` and `times` is set.
struct VariantResult {
  Variant variant;
  std::string obstacle;  // why the device cannot run it
  std::string failure;   // why its result is wrong
  Summary times;         // time on the device plus `host_ms`
  double host_ms = 0;    // time in which the host finishes the result
  size_t bytes = 0;      // bytes of images read and written
  double ratio = 0;      // median divided by the median of the floor; 0 if the floor was not measured
  LevelCheck worst;      // the check that is nearest to its tolerance; level 0 means nothing was checked
};

struct FloorResult {
  Floor floor = Floor::copy;
  std::string shape;  // workgroup shape of the fastest pass
  Summary times;
  size_t bytes = 0;
};

// One case of a measurement: size, format and setting.
struct BenchPlace {
  Size size;
  Depth depth = Depth::half;
  Setting setting = {};
  bool operator==(const BenchPlace&) const = default;
};

// Results of one case.
struct BenchCase {
  BenchPlace place;
  std::string obstacle;  // why the device cannot hold the image; empty if it can
  Size verified_size;    // size of the check; smaller than `size` if host memory is too small for the reference
  std::vector<FloorResult> floors;
  std::vector<VariantResult> variants;  // in the requested order
};

// What `bench` measures for an op. An op without a benchmark of its own is measured at the usual sizes.
const Benchmark& benchmark_of(const Op& op);
// The options that `bench` gives to each variant: those of the benchmark, else those of the op's first example.
std::string_view bench_arguments(const Op& op);
// Returns whether `bench` can measure the op: the op has a reference that the result can be compared with.
bool can_bench(const Op& op);

// The variants of an op, each with float arithmetic, half arithmetic, or both.
std::vector<Variant> variants_of(const Op& op, bool with_float, bool with_half);

inline constexpr Floor all_floors[] = {Floor::copy, Floor::third, Floor::read};

// Throws errors that end the whole benchmark, such as a lost device.
BenchCase bench(Gpu& gpu, const Op& op, std::span<const Variant> variants, const BenchPlace& place,
                const MeasureOptions& options, std::span<const Floor> floors = all_floors);

// The benchmark of a chain: its floor, and the variants fused and not fused.
const Op& chain_row();
// Measures a chain.
BenchCase bench(Gpu& gpu, std::span<const Call> chain, std::span<const Variant> variants, const BenchPlace& place,
                const MeasureOptions& options, std::span<const Floor> floors = all_floors);

// The fastest variant with a correct result; nullptr if none.
const VariantResult* fastest(std::span<const VariantResult> results);

// Checks a variant with NaN, infinities and extreme values, on a small image with the same odd sides as `size`. Returns
// the failure, or "". Noise does not find such errors: a linear sampler may turn infinity into NaN.
std::string failure_on_hard_numbers(Gpu& gpu, const Op& op, const Variant& variant, Size size, Depth depth);

}  // namespace gpupost
