#include "core/ops/prefilter/lobe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace gpupost {

namespace {

using std::numbers::pi;

constexpr int fewest_cells = 4;  // in the last level

// The level whose cells are twice as wide as a sample that stands for this solid angle. Between two levels, a fraction.
double level_of(double solid_angle, const CellLevels& levels) {
  const double cell = std::sqrt(4 * pi / 6) / levels.finest;
  return std::clamp(std::log2(2 * std::sqrt(solid_angle) / cell), 0.0, levels.count - 1.0);
}

// Adds a sample, or two between two levels. Without them, a light where the level changes would count too much or too little.
void add_sample(double z, double angle, double weight, double level, std::vector<LobeSample>& samples) {
  const double radius = std::sqrt(std::max(0.0, 1 - z * z));
  const int first = int(level);
  for (const int own : {first, first + 1})
    if (const double share = 1 - std::abs(level - own); share > 0)
      samples.push_back({.x = float(radius * std::cos(angle)),
                         .y = float(radius * std::sin(angle)),
                         .z = float(z),
                         .weight = weight * share,
                         .level = own});
}

// The solid angle of a corner: that of the quarter of each cell that touches it.
double of_quarters(Position corner, int cells) {
  double sum = 0;
  for (const double y : {corner.y - 0.25, corner.y + 0.25})
    for (const double x : {corner.x - 0.25, corner.x + 0.25})
      if (x > 0 && y > 0 && x < cells && y < cells) sum += solid_angle_at(2 * x / cells - 1, 2 * y / cells - 1) / 4;
  return sum;
}

// The same from the corners of a grid of twice as many cells: all of the nearest one and parts of its neighbors.
double of_finer_corners(Position corner, int cells, const std::vector<float>& finer) {
  const int finer_cells = 2 * cells;
  double sum = 0;
  for (int y = std::max(2 * corner.y - 1, 0); y <= std::min(2 * corner.y + 1, finer_cells); ++y)
    for (int x = std::max(2 * corner.x - 1, 0); x <= std::min(2 * corner.x + 1, finer_cells); ++x)
      sum += (x % 2 == 0 ? 1 : 0.5) * (y % 2 == 0 ? 1 : 0.5) *
             double(finer[size_t(y) * size_t(finer_cells + 1) + size_t(x)]);
  return sum / 4;  // in units of larger cells
}

}  // namespace

double solid_angle_at(double x, double y) { return std::pow(1 + x * x + y * y, -1.5); }

Size face_of_strip(Size strip) { return {std::max(1, strip.width / 6), strip.height}; }

CellLevels cell_levels_of(Size strip) {
  const Size face = face_of_strip(strip);
  const auto finest = int(std::bit_floor(unsigned(std::min(face.width, face.height))));
  return {.finest = finest,
          .count = std::max(1, level_count_of({finest, finest}) - level_count_of({fewest_cells, fewest_cells}) + 1)};
}

std::vector<std::vector<float>> solid_angles_of_corners(const CellLevels& levels) {
  std::vector<std::vector<float>> made;
  for (int level = 0; level < levels.count; ++level) {
    const int cells = levels.cells(level);
    std::vector<float> own;
    for (int y = 0; y <= cells; ++y)
      for (int x = 0; x <= cells; ++x)
        own.push_back(float(level == 0 ? of_quarters({x, y}, cells) : of_finer_corners({x, y}, cells, made.back())));
    made.push_back(std::move(own));
  }
  return made;
}

std::vector<LobeSample> lobe_samples(double roughness, int count, const CellLevels& levels) {
  const double alpha = roughness * roughness, squared = alpha * alpha;
  std::vector<LobeSample> samples;
  double sum = 0;
  for (int index = 0; index < count; ++index) {
    const double share = (index + 0.5) / count / (1 + squared);               // 1: 90 degrees between n and h
    const double cosine_squared = (1 - share) / (1 + (squared - 1) * share);  // of n and h
    const double z = 2 * cosine_squared - 1;                                  // of n and l
    const double spread = cosine_squared * (squared - 1) + 1;
    const double density =
        count * (1 + squared) * squared / (4 * pi * spread * spread);  // samples per solid angle of l
    // steps by the golden ratio spread the angles evenly
    add_sample(z, 2 * pi * std::numbers::phi * index, z, level_of(1 / density, levels), samples);
    sum += z;
  }
  for (LobeSample& sample : samples) sample.weight /= sum;
  return samples;
}

}  // namespace gpupost
