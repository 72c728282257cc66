#include "core/ops/blur/reference.h"

#include "core/base/error.h"
#include "core/base/threads.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gpupost {

namespace {

// A weight of a gaussian that is smaller than this share of the one in the middle is none: it would be lost in a float, and
// an infinity there stays out.
constexpr double least_weight = 0x1p-24;

// Boxes in the place of a gaussian, as many as make the whole as wide: with ends of a weight of their own (P. Gwosdek et
// al., Theoretical Foundations of Gaussian Convolution by Extended Box Filtering, 2011). Returns their radius.
int make_boxes(Blur& blur) {
  constexpr int box_count = 4;
  const double variance = blur.sigma * blur.sigma / box_count;
  const int radius = int(std::floor((std::sqrt(12 * variance + 1) - 1) / 2));  // of the texels that weigh 1
  const double outer = double(radius + 1) * (radius + 1);
  blur.end = (2 * radius + 1) * (variance - radius * (radius + 1) / 3.0) / (2 * (outer - variance));
  blur.kernel = BlurKernel::box;
  blur.passes *= box_count;
  const bool has_ends = blur.end >= least_weight;
  if (!has_ends) blur.end = 1;
  return has_ends ? radius + 1 : radius;
}

int reach_of(double sigma) { return int(std::floor(sigma * std::sqrt(-2 * std::log(least_weight)))); }

}  // namespace

BlurKernel kernel_of(const Call& call) {
  const std::string_view kernel = call.choice("kernel");
  if (kernel == "auto") return call.has("sigma") ? BlurKernel::gaussian : BlurKernel::box;
  return kernel == "gaussian" ? BlurKernel::gaussian : BlurKernel::box;
}

Blur blur_of(const Call& call) {
  Blur blur{.kernel = kernel_of(call), .border = Border(call.integer("border")), .passes = call.integer("passes")};
  const bool has_radius = call.has("radius"), has_sigma = call.has("sigma");
  if (!has_radius && !has_sigma)
    fail(Exit::usage, "blur: neither --radius nor --sigma is given; expected --radius 0..1024 or --sigma 0..341");
  if (blur.kernel == BlurKernel::box && has_sigma)
    fail(Exit::usage, "blur: --sigma {} is of a gaussian; expected --radius with --kernel box", call.number("sigma"));
  int radius = has_radius ? call.integer("radius") : int(std::ceil(3 * call.number("sigma")));
  if (blur.kernel == BlurKernel::gaussian) {
    blur.sigma = has_sigma ? call.number("sigma") : radius / 3.0;
    radius = std::min(radius, reach_of(blur.sigma));
  }
  if (call.choice("method") == "boxes" && blur.kernel == BlurKernel::gaussian) radius = make_boxes(blur);
  blur.radius_x = call.choice("axis") == "y" ? 0 : radius;
  blur.radius_y = call.choice("axis") == "x" ? 0 : radius;
  return blur;
}

std::vector<double> weights_of(const Blur& blur, int radius) {
  std::vector<double> weights(size_t(2 * radius) + 1, 1);
  if (blur.kernel == BlurKernel::gaussian && radius > 0)
    for (int k = -radius; k <= radius; ++k)
      weights[size_t(k + radius)] = std::exp(-double(k) * k / (2 * blur.sigma * blur.sigma));
  if (blur.kernel == BlurKernel::box && radius > 0) weights.front() = weights.back() = blur.end;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<float> weight_table(const Blur& blur) {
  std::vector<float> table;
  for (const double weight : weights_of(blur, blur.radius_x)) table.push_back(float(weight / 2));
  for (const double weight : weights_of(blur, blur.radius_y)) table.push_back(float(weight));
  return table;
}

// --- the definition -------------------------------------------------------------------------------------------------

namespace {

// The texel of a side of n that tap t reads; -1: none.
int tap_texel(int t, int n, Border border) {
  const bool is_inside = t >= 0 && t < n;
  if (border == Border::black || border == Border::renormalize) return is_inside ? t : -1;
  return continued(t, n, border);
}

// The sum of the weights that lie on the picture around texel `at` of a side of n.
double weight_inside(const std::vector<double>& weights, int at, int n) {
  const int radius = int(weights.size()) / 2;
  double sum = 0;
  for (int k = std::max(-radius, -at); k <= std::min(radius, n - 1 - at); ++k) sum += weights[size_t(k + radius)];
  return sum;
}

Plane along_x(const Plane& from, const std::vector<double>& weights, Border border) {
  const int radius = int(weights.size()) / 2, width = from.size.width;
  Plane to{.size = from.size, .values = std::vector<double>(from.values.size())};
  std::vector<double> inside;
  for (int x = 0; x < width; ++x)
    inside.push_back(border == Border::renormalize ? weight_inside(weights, x, width) : 1);
  parallel_ranges(from.size.height, 4, [&](int begin, int end) {
    std::vector<double> padded(size_t(width) + weights.size());
    for (int y = begin; y < end; ++y) {
      const double* row = from.values.data() + size_t(y) * size_t(width);
      double* sums = to.values.data() + size_t(y) * size_t(width);
      for (int x = -radius; x < width + radius; ++x) {
        const int texel = tap_texel(x, width, border);
        padded[size_t(x + radius)] = texel < 0 ? 0 : row[texel];
      }
      for (size_t k = 0; k < weights.size(); ++k)
        for (int x = 0; x < width; ++x) sums[x] += weights[k] * padded[size_t(x) + k];
      for (int x = 0; x < width; ++x) sums[x] /= inside[size_t(x)];
    }
  });
  return to;
}

Plane along_y(const Plane& from, const std::vector<double>& weights, Border border) {
  const int radius = int(weights.size()) / 2, width = from.size.width, height = from.size.height;
  Plane to{.size = from.size, .values = std::vector<double>(from.values.size())};
  parallel_ranges(height, 4, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      double* sums = to.values.data() + size_t(y) * size_t(width);
      for (int k = -radius; k <= radius; ++k) {
        const int texel = tap_texel(y + k, height, border);
        if (texel < 0) continue;
        const double* row = from.values.data() + size_t(texel) * size_t(width);
        const double weight = weights[size_t(k + radius)];
        for (int x = 0; x < width; ++x) sums[x] += weight * row[x];
      }
      const double inside = border == Border::renormalize ? weight_inside(weights, y, height) : 1;
      for (int x = 0; x < width; ++x) sums[x] /= inside;
    }
  });
  return to;
}

Planes blurred_once(Planes planes, const Blur& blur) {
  for (Plane& plane : planes) {
    if (blur.radius_x > 0) plane = along_x(plane, weights_of(blur, blur.radius_x), blur.border);
    if (blur.radius_y > 0) plane = along_y(plane, weights_of(blur, blur.radius_y), blur.border);
  }
  return planes;
}

// What one pass may add where the absolute values of what it sums are `magnitude` on average: the sums of floats of many
// texels lose more than storing them does.
double added_error(double magnitude, const Blur& blur, Depth depth) {
  const double taps = 2.0 * (blur.radius_x + blur.radius_y) + 2;
  const double of_sums = 0x1p-25 * taps * magnitude;
  // weights of a sum of floats near zero are lost together with their products
  const double of_zero = depth == Depth::f32 ? 0x1p-126 * (2.0 * blur.radius_x + 1) * (2.0 * blur.radius_y + 1) : 0;
  // two taps of a gaussian that a linear sampler takes at once: the share of each has 8 bits
  const double of_shares = depth == Depth::u8 && blur.kernel == BlurKernel::gaussian ? 0x1p-9 : 0;
  return rounding(magnitude, depth) + of_sums + of_zero + of_shares;
}

}  // namespace

Planes blurred(Planes from, const Blur& blur) {
  for (int pass = 0; pass < blur.passes; ++pass) from = blurred_once(std::move(from), blur);
  return from;
}

Planes blurred_tolerance(Planes from, Planes error, const Blur& blur, Depth depth) {
  for (int pass = 0; pass < blur.passes; ++pass) {
    error = blurred_once(std::move(error), blur);
    Planes magnitudes = from;
    for (Plane& plane : magnitudes)
      for (double& value : plane.values) value = std::abs(value);
    magnitudes = blurred_once(std::move(magnitudes), blur);
    for (size_t component = 0; component < 4; ++component)
      for (size_t index = 0; index < error[component].values.size(); ++index)
        error[component].values[index] += added_error(magnitudes[component].values[index], blur, depth);
    if (pass + 1 < blur.passes) from = blurred_once(std::move(from), blur);
  }
  return error;
}

}  // namespace gpupost
