// Composites the samples of a texel of a deep image.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpupost {

// A sample from `front` to `back`. It is a point if back <= front or if one of them is not finite; otherwise a volume, whose
// density is constant.
struct DeepSample {
  double front = 0, back = 0;
  double alpha = 1;
};

// Computes the flat image of a texel. A flat color is the sum of the samples' premultiplied colors times their weights, and
// so is flat alpha.
class DeepWeights {
 public:
  // Samples in any order. NaN depths are farthest, NaN alpha does not cover, and alpha covers as if clamped to 0..1.
  void compute(std::span<const DeepSample> samples);
  std::span<const double> weights() const { return weights_; }
  // Indices of the samples by depth. Of samples at the same depth, points are first.
  std::span<const size_t> order() const { return order_; }

 private:
  void sort(std::span<const DeepSample> samples);
  void add_points(std::span<const DeepSample> samples, std::span<const size_t> points);
  void add_interval(std::span<const DeepSample> samples, double length);

  std::vector<double> weights_;
  std::vector<double> depths_;  // at which samples begin or end, in order
  std::vector<size_t> order_;
  std::vector<size_t> volumes_;  // that the current interval is in
  double passed_ = 1;            // share of the light from behind that passes everything so far
};

}  // namespace gpupost
