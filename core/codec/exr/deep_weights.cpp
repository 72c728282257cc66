// Source: "Interpreting OpenEXR Deep Pixels", Flattening an Image: volumes are split where other samples begin or end, then
// samples at the same place are merged, then all are composited front to back. Each step is linear in the colors.
#include "core/codec/exr/deep_weights.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gpupost {

namespace {

double front_of(const DeepSample& sample) { return std::isnan(sample.front) ? INFINITY : sample.front; }
bool is_volume(const DeepSample& sample) {
  return std::isfinite(sample.front) && std::isfinite(sample.back) && sample.back > sample.front;
}
double back_of(const DeepSample& sample) { return is_volume(sample) ? sample.back : front_of(sample); }
double coverage_of(const DeepSample& sample) {
  return std::isnan(sample.alpha) ? 0 : std::clamp(sample.alpha, 0.0, 1.0);
}

// A sample of density u lets exp(-u) pass; densities of merged samples add up.
double density_of(double coverage) { return -std::log1p(-coverage); }
// The color of a merged sample is the mean of color / alpha, weighted by density. The limit for alpha 0 is 1.
double density_a_coverage(double coverage) { return coverage > 0 ? density_of(coverage) / coverage : 1; }
double alpha_a_density(double density) { return density > 0 ? -std::expm1(-density) / density : 1; }

}  // namespace

void DeepWeights::sort(std::span<const DeepSample> samples) {
  order_.resize(samples.size());
  for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  std::ranges::sort(order_, {}, [&](size_t i) { return std::tuple(front_of(samples[i]), back_of(samples[i]), i); });
  depths_.clear();
  for (const DeepSample& sample : samples) {
    depths_.push_back(front_of(sample));
    if (is_volume(sample)) depths_.push_back(sample.back);
  }
  std::ranges::sort(depths_);
  depths_.erase(std::unique(depths_.begin(), depths_.end()), depths_.end());
}

// Points at the same depth. Opaque ones hide the others.
void DeepWeights::add_points(std::span<const DeepSample> samples, std::span<const size_t> points) {
  if (points.empty() || passed_ == 0) return;
  if (points.size() == 1) {
    weights_[points[0]] = passed_;
    passed_ *= 1 - coverage_of(samples[points[0]]);
    return;
  }
  const auto is_opaque = [&](size_t i) { return coverage_of(samples[i]) == 1; };
  if (const auto count = std::ranges::count_if(points, is_opaque)) {
    for (const size_t i : points)
      if (is_opaque(i)) weights_[i] = passed_ / double(count);
    passed_ = 0;
    return;
  }
  double density = 0;
  for (const size_t i : points) density += density_of(coverage_of(samples[i]));
  for (const size_t i : points)
    weights_[i] = passed_ * alpha_a_density(density) * density_a_coverage(coverage_of(samples[i]));
  passed_ *= std::exp(-density);
}

// The same for the parts of the volumes in an interval.
void DeepWeights::add_interval(std::span<const DeepSample> samples, double length) {
  if (volumes_.empty() || passed_ == 0) return;
  const auto is_opaque = [&](size_t i) { return coverage_of(samples[i]) == 1; };
  const auto share_of = [&](size_t i) { return length / (samples[i].back - samples[i].front); };
  if (const auto count = std::ranges::count_if(volumes_, is_opaque)) {
    for (const size_t i : volumes_)
      if (is_opaque(i)) weights_[i] += passed_ / double(count);
    passed_ = 0;
    return;
  }
  double density = 0;
  for (const size_t i : volumes_) density += share_of(i) * density_of(coverage_of(samples[i]));
  for (const size_t i : volumes_)
    weights_[i] += passed_ * alpha_a_density(density) * share_of(i) * density_a_coverage(coverage_of(samples[i]));
  passed_ *= std::exp(-density);
}

void DeepWeights::compute(std::span<const DeepSample> samples) {
  sort(samples);
  weights_.assign(samples.size(), 0);
  volumes_.clear();
  passed_ = 1;
  size_t next = 0;  // in order_
  for (size_t k = 0; k < depths_.size() && passed_ > 0; ++k) {
    const double depth = depths_[k];
    std::erase_if(volumes_, [&](size_t i) { return samples[i].back <= depth; });
    const size_t begin = next;
    const auto is_here = [&] { return next < order_.size() && front_of(samples[order_[next]]) == depth; };
    while (is_here() && !is_volume(samples[order_[next]])) ++next;
    add_points(samples, std::span(order_).subspan(begin, next - begin));
    while (is_here()) volumes_.push_back(order_[next++]);
    if (k + 1 < depths_.size()) add_interval(samples, depths_[k + 1] - depth);
  }
}

}  // namespace gpupost
