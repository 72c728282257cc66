// FLIP for low dynamic range. Source: P. Andersson et al., FLIP: A Difference Evaluator for Alternating Images, 2020.
#include "core/image/flip_errors.h"

#include "core/base/threads.h"
#include "core/image/color_matrices.h"
#include "core/image/primaries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

namespace gpupost {

namespace {

// A 4K monitor, seen from as far as it is wide: 67.
constexpr double texels_per_degree = 3840 * std::numbers::pi / 180;

constexpr Vector3 white = product(xyz_of_rec709, Vector3{1, 1, 1});

// Light of Rec. 709, and X, Y and Z divided by those of white.
Vector3 relative_xyz(const Vector3& light) {
  const Vector3 xyz = product(xyz_of_rec709, light);
  return {xyz[0] / white[0], xyz[1], xyz[2] / white[2]};
}
Vector3 light_of(const Vector3& relative) {
  return product(rec709_of_xyz, Vector3{relative[0] * white[0], relative[1], relative[2] * white[2]});
}

// NaN becomes 0.
double clamped(double light) { return light > 0 ? std::min(light, 1.0) : 0; }
Vector3 clamped(const Vector3& light) { return {clamped(light[0]), clamped(light[1]), clamped(light[2])}; }

// The planes that are filtered: Y, X - Y and Y - Z, relative to white. The paper's Y, Cx and Cz are multiples of them; the
// factors and the offset of Y cancel out.
enum Plane : size_t { luminance, red_green, blue_yellow, plane_count };
// The results of the filters. Edges and points are found along x and along y.
enum Result : size_t {
  seen_luminance,
  seen_red_green,
  seen_blue_yellow,
  edge_x,
  edge_y,
  point_x,
  point_y,
  result_count
};

using Row = std::vector<double>;
using Results = std::array<Row, result_count>;
using Weights = std::vector<double>;  // at -radius to radius

// A filter along x and then y. Filters with the same result are added.
struct Filter {
  Plane plane;
  Result result;
  Weights along_x, along_y;
};

// Values of a function, scaled so that those above 0 sum to 1 and those below 0 to -1.
template <class Function>
Weights weights_of(const Function& function, int radius) {
  Weights weights;
  double above = 0, below = 0;
  for (int x = -radius; x <= radius; ++x) {
    weights.push_back(function(x));
    (weights.back() > 0 ? above : below) += std::abs(weights.back());
  }
  for (double& weight : weights) weight /= weight > 0 ? above : below > 0 ? below : 1;
  return weights;
}

// A term of a contrast sensitivity function in space: amplitude sqrt(pi / b) exp(-pi^2 x^2 / b), with x in degrees.
struct Sensitivity {
  double amplitude, b;

  double sigma() const { return std::sqrt(b / 2) / std::numbers::pi * texels_per_degree; }
  // The integral over the plane.
  double volume(int radius) const {
    double sum = 0;
    for (int x = -radius; x <= radius; ++x) sum += std::exp(-x * x / (2 * sigma() * sigma()));
    return amplitude * std::sqrt(std::numbers::pi / b) * sum * sum;
  }
};

constexpr Sensitivity to_luminance{1, 0.0047}, to_red_green{1, 0.0053};
constexpr Sensitivity to_blue_yellow[] = {{34.1, 0.04}, {13.5, 0.025}};

auto gaussian(double sigma) {
  return [=](double x) { return std::exp(-x * x / (2 * sigma * sigma)); };
}

// Adds the filters that leave of each plane what a viewer sees from a distance.
void add_seen(std::vector<Filter>& filters) {
  const int radius = int(std::ceil(3 * to_blue_yellow[0].sigma()));
  const auto add = [&](Plane plane, Result result, const Sensitivity& term, double share) {
    Weights weights = weights_of(gaussian(term.sigma()), radius), shared = weights;
    for (double& weight : shared) weight *= share;
    filters.push_back({plane, result, std::move(weights), std::move(shared)});
  };
  add(luminance, seen_luminance, to_luminance, 1);
  add(red_green, seen_red_green, to_red_green, 1);
  const double first = to_blue_yellow[0].volume(radius), second = to_blue_yellow[1].volume(radius);
  add(blue_yellow, seen_blue_yellow, to_blue_yellow[0], first / (first + second));
  add(blue_yellow, seen_blue_yellow, to_blue_yellow[1], second / (first + second));
}

// Adds the first and second derivatives of a gaussian, which find edges and points.
void add_features(std::vector<Filter>& filters) {
  const double sigma = 0.5 * 0.082 * texels_per_degree;
  const int radius = int(std::ceil(3 * sigma));
  const auto smooth = gaussian(sigma);
  const Weights mean = weights_of(smooth, radius), edge = weights_of([&](double x) { return -x * smooth(x); }, radius),
                point = weights_of([&](double x) { return (x * x / (sigma * sigma) - 1) * smooth(x); }, radius);
  filters.push_back({luminance, edge_x, edge, mean});
  filters.push_back({luminance, edge_y, mean, edge});
  filters.push_back({luminance, point_x, point, mean});
  filters.push_back({luminance, point_y, mean, point});
}

int radius_of(const Weights& weights) { return int(weights.size() / 2); }

// Filters rows of an image from the top down. Beyond the borders, the texels at the border repeat.
class RowFilter {
 public:
  RowFilter(const Picture& picture, std::span<const Filter> filters, int first_row)
      : level_(picture.groups.front().levels[0]), filters_(filters) {
    if (const auto primaries = other_primaries(picture)) to_rec709_ = conversion({.from = *primaries, .to = rec709});
    for (const Filter& filter : filters) radius_ = std::max(radius_, radius_of(filter.along_x));
    next_ = std::max(0, first_row - radius_);
    const auto width = size_t(level_.size.width), radius = size_t(radius_);
    for (Row& row : padded_) row.resize(width + 2 * radius);
    for (Row& row : results_) row.resize(width);
    rows_.resize(filters.size() * ring_size() * width);
  }

  // Filters row `y`, which is not above those before it.
  const Results& filter(int y) {
    for (; next_ <= std::min(y + radius_, level_.size.height - 1); ++next_) filter_along_x(next_);
    for (Row& row : results_) std::ranges::fill(row, 0);
    for (size_t index = 0; index < filters_.size(); ++index) filter_along_y(index, y);
    return results_;
  }

 private:
  size_t ring_size() const { return 2 * size_t(radius_) + 1; }
  // Row `y` after the first half of a filter.
  double* row(size_t index, int y) {
    return rows_.data() + (index * ring_size() + size_t(y) % ring_size()) * size_t(level_.size.width);
  }

  static void add_row(double weight, const double* from, std::span<double> to) {
    for (size_t x = 0; x < to.size(); ++x) to[x] += weight * from[x];
  }

  void load(int y) {
    const int width = level_.size.width;
    const float* const texels = level_.texels.as<float>().data() + 4 * size_t(y) * size_t(width);
    for (int x = 0; x < width; ++x) {
      const float* const texel = texels + 4 * x;
      const Vector3 light{double(texel[0]), double(texel[1]), double(texel[2])};
      const Vector3 seen = relative_xyz(clamped(to_rec709_ ? product_of_light(*to_rec709_, light) : light));
      const auto at = size_t(x + radius_);
      padded_[luminance][at] = seen[1];
      padded_[red_green][at] = seen[0] - seen[1];
      padded_[blue_yellow][at] = seen[1] - seen[2];
    }
    for (Row& row : padded_) {
      std::fill_n(row.begin(), radius_, row[size_t(radius_)]);
      std::fill_n(row.rbegin(), radius_, row[size_t(radius_ + width - 1)]);
    }
  }

  void filter_along_x(int y) {
    load(y);
    for (size_t index = 0; index < filters_.size(); ++index) {
      const auto& [plane, result, weights, _] = filters_[index];
      const std::span<double> to{row(index, y), size_t(level_.size.width)};
      std::ranges::fill(to, 0);
      const double* const from = padded_[plane].data() + radius_ - radius_of(weights);
      for (size_t k = 0; k < weights.size(); ++k) add_row(weights[k], from + k, to);
    }
  }

  void filter_along_y(size_t index, int y) {
    const Weights& weights = filters_[index].along_y;
    for (size_t k = 0; k < weights.size(); ++k) {
      const int from = std::clamp(y + int(k) - radius_of(weights), 0, level_.size.height - 1);
      add_row(weights[k], row(index, from), results_[filters_[index].result]);
    }
  }

  const Level& level_;
  std::span<const Filter> filters_;
  std::optional<Matrix3> to_rec709_;
  int radius_ = 0;                       // the largest of all filters
  int next_ = 0;                         // the next row to filter along x
  std::array<Row, plane_count> padded_;  // a row of the image with its borders
  std::vector<double> rows_;             // of each filter, the last rows filtered along x
  Results results_;
};

double length(double x, double y) { return std::sqrt(x * x + y * y); }

// L*, a* and b* of light in Rec. 709, with a* and b* scaled by L* / 100 for the Hunt effect.
Vector3 hunt_lab_of(const Vector3& light) {
  constexpr double delta = 6.0 / 29;
  Vector3 f = relative_xyz(light);
  for (double& v : f) v = v > delta * delta * delta ? std::cbrt(v) : v / (3 * delta * delta) + 4.0 / 29;
  const double lightness = 116 * f[1] - 16;
  return {lightness, 5 * lightness * (f[0] - f[1]), 2 * lightness * (f[1] - f[2])};
}

// The HyAB distance to the power of 0.7.
double color_distance(const Vector3& a, const Vector3& b) {
  return std::pow(std::abs(a[0] - b[0]) + length(a[1] - b[1], a[2] - b[2]), 0.7);
}

// Compresses the largest distances: 0.4 of the largest one becomes 0.95.
double color_error_of(double distance) {
  static const double largest = color_distance(hunt_lab_of({0, 1, 0}), hunt_lab_of({0, 0, 1}));
  const double bend = 0.4 * largest;
  return distance < bend ? 0.95 * distance / bend : 0.95 + 0.05 * (distance - bend) / (largest - bend);
}

Vector3 seen_color(const Results& results, size_t x) {
  const double y = results[seen_luminance][x];
  return hunt_lab_of(clamped(light_of({y + results[seen_red_green][x], y, y - results[seen_blue_yellow][x]})));
}

double feature_error(const Results& a, const Results& b, size_t x) {
  const auto difference = [&](Result along_x, Result along_y) {
    return std::abs(length(a[along_x][x], a[along_y][x]) - length(b[along_x][x], b[along_y][x]));
  };
  return std::sqrt(std::max(difference(edge_x, edge_y), difference(point_x, point_y)) / std::numbers::sqrt2);
}

double error_of(const Results& a, const Results& b, size_t x) {
  const double color = color_error_of(color_distance(seen_color(a, x), seen_color(b, x)));
  return std::pow(color, 1 - feature_error(a, b, x));
}

bool has_nan(const Picture& picture, size_t texel) {
  const float* const light = &picture.groups.front().levels[0].texels.as<float>()[4 * texel];
  return std::any_of(light, light + 3, [](float value) { return std::isnan(value); });
}

void sum_up(FlipErrors& errors) {
  double sum = 0;
  for (size_t texel = 0; texel < errors.map.size(); ++texel) {
    const auto error = double(errors.map[texel]);
    sum += error;
    if (error <= errors.maximum) continue;
    errors.maximum = error;
    errors.worst = {int(texel % size_t(errors.size.width)), int(texel / size_t(errors.size.width))};
  }
  errors.mean = sum / double(errors.map.size());
}

}  // namespace

bool has_flip_color(const Picture& picture) {
  const Group& color = picture.groups.front();
  return color.is_color && color.depth != Depth::u32;
}

FlipErrors flip_errors(const Picture& a, const Picture& b) {
  std::vector<Filter> filters;
  add_seen(filters);
  add_features(filters);
  FlipErrors errors{.size = a.size(), .map = std::vector<float>(texel_count(a.size()))};
  parallel_ranges(errors.size.height, 64, [&](int begin, int end) {
    RowFilter rows_of_a(a, filters, begin), rows_of_b(b, filters, begin);
    for (int y = begin; y < end; ++y) {
      const Results &of_a = rows_of_a.filter(y), &of_b = rows_of_b.filter(y);
      const auto width = size_t(errors.size.width);
      for (size_t x = 0; x < width; ++x) {
        const size_t texel = size_t(y) * width + x;
        errors.map[texel] = has_nan(a, texel) == has_nan(b, texel) ? float(error_of(of_a, of_b, x)) : 1;
      }
    }
  });
  sum_up(errors);
  return errors;
}

Picture picture_of_flip(const FlipErrors& errors, const Picture& image, double scale) {
  Picture picture{.format = image.format, .data_window = image.data_window, .display_window = image.display_window};
  Group group{.channels = {{{"Y"}, {}, {}, {}}}, .is_color = true, .is_luminance = true};
  Level& level = group.levels.emplace_back(Level{errors.size, TexelBuffer(4 * errors.map.size() * sizeof(float))});
  const auto numbers = level.texels.as<float>();
  for (size_t texel = 0; texel < errors.map.size(); ++texel) {
    std::fill_n(&numbers[4 * texel], 3, float(scale * double(errors.map[texel])));
    numbers[4 * texel + 3] = 1;
  }
  picture.groups.push_back(std::move(group));
  return picture;
}

}  // namespace gpupost
