#include "core/ops/blur/reference.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/ops/blur/spline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gpupost {

namespace {

// A weight of a gaussian that is smaller than this share of the one in the middle is none: it would be lost in a float, and
// an infinity there stays out.
constexpr double least_weight = 0x1p-24;

int reach_of(double sigma) { return int(std::floor(sigma * std::sqrt(-2 * std::log(least_weight)))); }

}  // namespace

BlurKernel kernel_of(const Call& call) {
  const std::string_view kernel = call.choice("kernel");
  if (kernel == "auto") return call.has("sigma") ? BlurKernel::gaussian : BlurKernel::box;
  return kernel == "gaussian" ? BlurKernel::gaussian : BlurKernel::box;
}

bool takes_splines(const Call& call) {
  if (call.choice("method") == "spline") return true;
  const bool is_free = call.choice("method") == "auto" && call.choice("order") == "auto" && !call.flag("zcurve") &&
                       call.choice("workgroup") == "auto";
  return is_free && kernel_of(call) == BlurKernel::gaussian && !call.has("radius") &&
         call.number("sigma") > splines_above_sigma;
}

Blur blur_of(const Call& call) {
  Blur blur{.kernel = kernel_of(call), .border = Border(call.integer("border")), .passes = call.integer("passes")};
  const bool has_radius = call.has("radius"), has_sigma = call.has("sigma");
  if (!has_radius && !has_sigma)
    fail(Exit::usage, "blur: neither --radius nor --sigma is given; expected --radius 0..1024 or --sigma 0..341");
  if (blur.kernel == BlurKernel::box && has_sigma)
    fail(Exit::usage, "blur: --sigma {} applies only to a gaussian; with --kernel box expected --radius",
         call.number("sigma"));
  int radius = has_radius ? call.integer("radius") : int(std::ceil(3 * call.number("sigma")));
  if (blur.kernel == BlurKernel::gaussian) {
    blur.sigma = has_sigma ? call.number("sigma") : radius / 3.0;
    radius = std::min(radius, reach_of(blur.sigma));
  }
  if ((blur.has_splines = takes_splines(call))) radius = reach_of(blur.sigma);
  blur.radius_x = call.choice("axis") == "y" ? 0 : radius;
  blur.radius_y = call.choice("axis") == "x" ? 0 : radius;
  return blur;
}

std::vector<double> weights_of(const Blur& blur, int radius) {
  if (blur.kernel == BlurKernel::gaussian) return gaussian_weights(blur.sigma, radius);
  return std::vector<double>(size_t(2 * radius) + 1, 1.0 / (2 * radius + 1));
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

Plane blur_rows(const Plane& from, const std::vector<double>& weights, Border border) {
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

Plane blur_columns(const Plane& from, const std::vector<double>& weights, Border border) {
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

// What one pass may add where the absolute values of what it sums are `magnitude` on average: the sums of floats of many
// texels lose more than storing them does.
double added_error(double magnitude, const Blur& blur, Depth depth) {
  const double taps = 2.0 * (blur.radius_x + blur.radius_y) + 2;
  const double of_sums = 0x1p-25 * taps * magnitude;
  // weights of a sum of floats near zero are lost together with their products
  const double of_zero = depth == Depth::f32 ? 0x1p-126 * (2.0 * blur.radius_x + 1) * (2.0 * blur.radius_y + 1) : 0;
  return rounding(magnitude, depth) + of_sums + of_zero;
}

// --- gaussians on a coarser grid: the gaussian itself, and how far they may be off it -----------------------------------

// What of a plane is not finite, as bits.
enum Hard : uint8_t { has_infinity = 1, has_negative_infinity = 2, has_nan = 4 };

uint8_t hard_of(double value) {
  if (std::isnan(value)) return has_nan;
  return std::isfinite(value) ? 0 : value > 0 ? has_infinity : has_negative_infinity;
}

double number_of(uint8_t hard) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (hard == has_infinity) return infinity;
  return hard == has_negative_infinity ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

// Calls visit(first, stride) with each line along an axis, 0 for rows: the index of its first texel, and from one to the next.
template <class Visit>
void each_line(Size size, int axis, const Visit& visit) {
  const size_t width = size_t(size.width);
  const int count = axis == 0 ? size.height : size.width;
  for (int line = 0; line < count; ++line)
    visit(axis == 0 ? size_t(line) * width : size_t(line), axis == 0 ? size_t(1) : width);
}

// Spreads what is not finite to all texels that depend on it.
void spread(std::vector<uint8_t>& hard, Size size, int axis, const Blur& blur) {
  const int side = axis == 0 ? size.width : size.height;
  const SplineGrid grid(blur.sigma, side, blur.border);
  each_line(size, axis, [&](size_t first, size_t stride) {
    std::vector<uint8_t> line;
    bool is_finite = true;
    for (int at = 0; at < side; ++at) {
      line.push_back(hard[first + size_t(at) * stride]);
      is_finite &= line.back() == 0;
    }
    if (is_finite) return;
    for (int at = 0; at < side; ++at) {
      const auto [begin, end] = grid.reached(at);
      uint8_t& found = hard[first + size_t(at) * stride];
      for (int t = begin; t <= end; ++t)
        if (const int texel = tap_texel(t, side, blur.border); texel >= 0) found |= line[size_t(texel)];
    }
  });
}

// Blurs what is finite, and puts what is not wherever a texel depends on it.
Planes blurred_by_splines(Planes planes, const Blur& blur) {
  for (Plane& plane : planes) {
    std::vector<uint8_t> hard(plane.values.size());
    for (size_t index = 0; index < hard.size(); ++index)
      if ((hard[index] = hard_of(plane.values[index]))) plane.values[index] = 0;
    const bool is_finite = std::ranges::count(hard, 0) == ptrdiff_t(hard.size());
    if (blur.radius_x > 0) plane = blur_rows(plane, weights_of(blur, blur.radius_x), blur.border);
    if (blur.radius_y > 0) plane = blur_columns(plane, weights_of(blur, blur.radius_y), blur.border);
    if (is_finite) continue;
    if (blur.radius_x > 0) spread(hard, plane.size, 0, blur);
    if (blur.radius_y > 0) spread(hard, plane.size, 1, blur);
    for (size_t index = 0; index < hard.size(); ++index)
      if (hard[index]) plane.values[index] = number_of(hard[index]);
  }
  return planes;
}

Planes blurred_once(Planes planes, const Blur& blur) {
  if (blur.has_splines) return blurred_by_splines(std::move(planes), blur);
  for (Plane& plane : planes) {
    if (blur.radius_x > 0) plane = blur_rows(plane, weights_of(blur, blur.radius_x), blur.border);
    if (blur.radius_y > 0) plane = blur_columns(plane, weights_of(blur, blur.radius_y), blur.border);
  }
  return planes;
}

// Sums of the texels -radius..radius of a line, without a subtraction: each window is the end of one block and the beginning
// of the next one.
void sum_windows(Plane& plane, int axis, int radius, Border border) {
  const int side = axis == 0 ? plane.size.width : plane.size.height, window = 2 * radius + 1;
  const int count = round_up(side + 2 * radius, window);
  each_line(plane.size, axis, [&](size_t first, size_t stride) {
    std::vector<double> ends(size_t(count), 0);
    for (int t = 0; t < side + 2 * radius; ++t)
      if (const int texel = tap_texel(t - radius, side, border); texel >= 0)
        ends[size_t(t)] = plane.values[first + size_t(texel) * stride];
    std::vector<double> begins = ends;
    for (int start = 0; start < count; start += window) {
      for (int t = start + 1; t < start + window; ++t) begins[size_t(t)] += begins[size_t(t) - 1];
      for (int t = start + window - 2; t >= start; --t) ends[size_t(t)] += ends[size_t(t) + 1];
    }
    for (int start = 0; start < side; start += window)
      for (int at = start; at < std::min(side, start + window); ++at)
        plane.values[first + size_t(at) * stride] =
            at == start ? ends[size_t(at)] : ends[size_t(at)] + begins[size_t(at + window - 1)];
  });
}

// What one pass on a coarser grid may add at each texel. Its kernel differs from the gaussian's by at most `most` at any texel,
// and by `total` altogether. A constant has no part in that, since both kernels have a sum of 1: with c, what the gaussian
// makes, the error is at most the sum of |difference| |v - c|, and so at most sqrt(total most (sum of (v - c)^2)).
Plane spline_error(Plane from, const Plane& result, const Blur& blur, Depth depth) {
  // splines may end farther away than the gaussian
  const auto reach = [&](int radius, int side) {
    return radius > 0 ? std::max(radius, SplineGrid(blur.sigma, side, blur.border).reach()) : 0;
  };
  const int radius_x = reach(blur.radius_x, from.size.width), radius_y = reach(blur.radius_y, from.size.height);
  const bool has_both = radius_x > 0 && radius_y > 0;
  const double middle =
      weights_of(blur, std::max(blur.radius_x, blur.radius_y))[size_t(std::max(blur.radius_x, blur.radius_y))];
  const double most = spline_weight_error * (has_both ? 2 * middle * middle : middle);
  const double total = spline_total_error * (has_both ? 2 : 1);
  for (double& value : from.values)
    if (!std::isfinite(value)) value = 0;
  const auto sums = [&](const auto& function) {
    Plane plane = from;
    for (double& value : plane.values) value = function(value);
    if (radius_x > 0) sum_windows(plane, 0, radius_x, blur.border);
    if (radius_y > 0) sum_windows(plane, 1, radius_y, blur.border);
    return plane.values;
  };
  const std::vector<double> magnitudes = sums([](double value) { return std::abs(value); });
  const std::vector<double> values = sums([](double value) { return value; });
  const std::vector<double> squares = sums([](double value) { return value * value; });
  const bool is_dark = blur.border == Border::black;  // then nothing beyond the picture counts as a texel
  const std::vector<double> counts =
      is_dark ? std::vector<double>(from.values.size(), (2.0 * radius_x + 1) * (2.0 * radius_y + 1))
              : sums([](double) { return 1.0; });
  std::vector<double> shares_x(size_t(from.size.width), 1), shares_y(size_t(from.size.height), 1);
  if (blur.border == Border::renormalize && radius_x > 0)
    shares_x = SplineGrid(blur.sigma, from.size.width).blurred_ones();
  if (blur.border == Border::renormalize && radius_y > 0)
    shares_y = SplineGrid(blur.sigma, from.size.height).blurred_ones();
  constexpr double of_floats = 0x1p-18;  // of sums of floats, as a share of the texels' magnitude
  Plane error = from;
  for (size_t index = 0; index < error.values.size(); ++index) {
    const double share = shares_x[index % shares_x.size()] * shares_y[index / shares_x.size()];
    const double c = std::isfinite(result.values[index]) ? result.values[index] : 0;
    const double squares_around = std::max(0.0, squares[index] - 2 * c * values[index] + c * c * counts[index]);
    const double differences = std::min(most * magnitudes[index], std::sqrt(total * most * squares_around)) / share;
    const double magnitude = std::abs(c) + differences;
    error.values[index] =
        differences + rounding(magnitude, depth) + of_floats * (magnitude + magnitudes[index] / counts[index]);
  }
  return error;
}

}  // namespace

Planes blurred(Planes from, const Blur& blur) {
  for (int pass = 0; pass < blur.passes; ++pass) from = blurred_once(std::move(from), blur);
  return from;
}

Planes blurred_tolerance(Planes from, Planes error, const Blur& blur, Depth depth) {
  for (int pass = 0; pass < blur.passes; ++pass) {
    error = blurred_once(std::move(error), blur);
    if (blur.has_splines) {
      Planes result = blurred_once(from, blur);
      for (size_t component = 0; component < 4; ++component) {
        const Plane own = spline_error(std::move(from[component]), result[component], blur, depth);
        for (size_t index = 0; index < own.values.size(); ++index)
          error[component].values[index] = 1.01 * error[component].values[index] + own.values[index];
      }
      from = std::move(result);
      continue;
    }
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
