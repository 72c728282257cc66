#include "core/ops/blur/spline.h"

#include "core/base/math.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>

namespace gpupost {

namespace {

constexpr int most_texels_per_cell = 32;       // wider cells are too few to keep a GPU busy
constexpr double least_texels_per_cell = 1.8;  // more cells alias: they are off by more than spline_weight_error
constexpr int least_length = 9;                // of all cells; in a shorter axis the width of a cell has no choice
constexpr double cells_per_sigma = 1.85;       // fewer are off by more than spline_weight_error
constexpr double sigmas_of_radius = 3.85;      // a smaller radius is off by more, too
constexpr double least_cell_weight = 0x1p-60;  // in the place of 0, since 0 times an infinity is not a number

// Kaiser-Bessel windows reduce and enlarge: I0(window_shape sqrt(1 - u^2 / 4)) at a distance of u cells, from -2 to 2. A larger
// shape has wider frequencies, a smaller one higher ends.
constexpr double window_shape = 10;
constexpr double window_variance = 0.36;  // in cells

// Coefficients of the window as a polynomial in 1 - u^2 / 4. Further ones change no weight by more than 1e-12.
constexpr auto window_coefficients = [] {
  std::array<double, 24> coefficients{};
  double coefficient = 1;
  for (size_t power = 0; power < coefficients.size(); ++power) {
    coefficients[power] = coefficient;
    coefficient *= window_shape * window_shape / 4 / (double(power + 1) * double(power + 1));
  }
  return coefficients;
}();

double window_at(double u) {
  const double v = 1 - u * u / 4;
  double sum = 0;
  for (size_t power = window_coefficients.size(); power-- > 0;) sum = sum * v + window_coefficients[power];
  return sum;
}

// The Fourier transform of the window at a frequency in radians per cell, as a share of that at 0.
double window_spectrum(double frequency) {
  const double root = std::sqrt(window_shape * window_shape - 4 * frequency * frequency);
  return std::sinh(root) / root / (std::sinh(window_shape) / window_shape);
}

int64_t floor_of(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

}  // namespace

std::vector<double> gaussian_weights(double sigma, int radius) {
  std::vector<double> weights;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += weights.emplace_back(radius == 0 ? 1 : std::exp(-double(k) * k / (2 * sigma * sigma)));
  for (double& weight : weights) weight /= sum;
  return weights;
}

SplineGrid::SplineGrid(double sigma, int side, Border border) : side_(side), length_(round_up(least_length, side)) {
  cells_ = std::max(int(std::ceil(cells_per_sigma * length_ / sigma)), div_ceil(length_, most_texels_per_cell));
  const int aligned = round_up(cells_, cell_alignment);
  if (border == Border::repeat && aligned * least_texels_per_cell <= length_) cells_ = aligned;
  sigma_ = sigma / texels_per_cell();
  radius_ = int(std::ceil(sigmas_of_radius * std::sqrt(sigma_ * sigma_ - 2 * window_variance)));
}

int64_t SplineGrid::position(int texel) const { return (2 * int64_t(texel) + 1) * cells_ - length_; }

int SplineGrid::cell_before(int texel) const { return int(floor_of(position(texel), 2 * int64_t(length_))); }

int SplineGrid::first_texel(int cell) const {
  // the least texel whose position is 2 length cell or more
  const int64_t least = 2 * int64_t(length_) * cell + length_ - cells_;
  return int(-floor_of(-least, 2 * int64_t(cells_)));
}

std::array<double, 4> SplineGrid::weights(int texel) const {
  const int64_t period = 2 * int64_t(length_);
  const double f = double(position(texel) - period * cell_before(texel)) / double(period);
  const std::array<double, 4> distances{-1 - f, -f, 1 - f, 2 - f};
  std::array<double, 4> weights{};
  std::array<double, 3> moments{};
  for (size_t k = 0; k < 4; ++k) {
    weights[k] = window_at(distances[k]);
    moments[0] += weights[k];
    moments[1] += weights[k] * distances[k];
    moments[2] += weights[k] * distances[k] * distances[k];
  }
  // a line through the distances, close to 1, that gives the weights a sum of 1 and their center at the texel
  const double determinant = moments[0] * moments[2] - moments[1] * moments[1];
  for (size_t k = 0; k < 4; ++k) weights[k] *= (moments[2] - moments[1] * distances[k]) / determinant;
  return weights;
}

std::vector<double> SplineGrid::cell_weights() const {
  // The spectrum of the gaussian, divided by those of both windows, at frequencies so near that the weights do not repeat
  // within four radii.
  const int period = 4 * (radius_ + 2);
  std::vector<double> half(size_t(radius_) + 1, 1);
  for (int index = 1; index <= period / 2; ++index) {
    const double frequency = 2 * std::numbers::pi * index / period, in_sigmas = frequency * sigma_;
    if (in_sigmas > 9) break;  // exp(-81 / 2) is nothing
    const double window = window_spectrum(frequency);
    const double share = (2 * index == period ? 1 : 2) * std::exp(-in_sigmas * in_sigmas / 2) / (window * window);
    for (int k = 0; k <= radius_; ++k) half[size_t(k)] += share * std::cos(frequency * k);
  }
  double sum = 0;
  for (int k = 0; k <= radius_; ++k) {
    half[size_t(k)] = std::max(half[size_t(k)], least_cell_weight);
    sum += (k == 0 ? 1 : 2) * half[size_t(k)];
  }
  std::vector<double> weights;
  for (int k = -radius_; k <= radius_; ++k) weights.push_back(half[size_t(std::abs(k))] / sum);
  return weights;
}

std::vector<std::array<double, 4>> SplineGrid::reductions(int first, int count) const {
  const int first_cell = cell_before(first) - 1, end_cell = cell_before(first + count - 1) + 3;
  std::vector<double> sums(size_t(end_cell - first_cell), 0);
  for (int texel = first_texel(first_cell - 2); texel < first_texel(end_cell + 1); ++texel) {
    const std::array<double, 4> own = weights(texel);
    for (int k = 0; k < 4; ++k)
      if (const int cell = cell_before(texel) - 1 + k; cell >= first_cell && cell < end_cell)
        sums[size_t(cell - first_cell)] += own[size_t(k)];
  }
  std::vector<std::array<double, 4>> result;
  for (int texel = first; texel < first + count; ++texel) {
    std::array<double, 4>& own = result.emplace_back(weights(texel));
    for (size_t k = 0; k < 4; ++k) own[k] /= sums[size_t(cell_before(texel) - 1 - first_cell) + k];
  }
  return result;
}

std::array<int, 2> SplineGrid::reached(int texel) const {
  const int cell = cell_before(texel);
  return {first_texel(cell - 1 - radius_ - 2), first_texel(cell + 2 + radius_ + 2) - 1};
}

int SplineGrid::reach() const { return int(std::ceil((radius_ + 4) * texels_per_cell())) + 1; }

std::vector<double> SplineGrid::blurred_ones() const {
  constexpr int more = cells_beyond;
  const int count = cells_ + 2 * more;
  std::vector<double> ones(size_t(count), 0), blurred(size_t(count), 0);
  const std::vector<std::array<double, 4>> own = reductions(0, side_);
  for (int texel = 0; texel < side_; ++texel)
    for (int k = 0; k < 4; ++k) ones[size_t(cell_before(texel) - 1 + k + more)] += own[size_t(texel)][size_t(k)];
  const std::vector<double> kernel = cell_weights();
  for (int cell = 0; cell < count; ++cell)
    for (int k = std::max(-radius_, -cell); k <= std::min(radius_, count - 1 - cell); ++k)
      blurred[size_t(cell)] += kernel[size_t(k + radius_)] * ones[size_t(cell + k)];
  std::vector<double> result(size_t(side_), 0);
  for (int texel = 0; texel < side_; ++texel)
    for (int k = 0; k < 4; ++k)
      result[size_t(texel)] += weights(texel)[size_t(k)] * blurred[size_t(cell_before(texel) - 1 + k + more)];
  return result;
}

}  // namespace gpupost
