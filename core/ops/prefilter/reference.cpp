#include "core/ops/prefilter/reference.h"

#include "core/base/threads.h"
#include "core/image/cube.h"
#include "core/op/point.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpupost {

namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector vector_of(const std::array<int, 3>& v) { return {double(v[0]), double(v[1]), double(v[2])}; }
Vector combined(double a, const Vector& x, double b, const Vector& y, double c, const Vector& z) {
  return {a * x[0] + b * y[0] + c * z[0], a * x[1] + b * y[1] + c * z[1], a * x[2] + b * y[2] + c * z[2]};
}
Vector unit(const Vector& v) { return combined(1 / std::sqrt(dot(v, v)), v, 0, v, 0, v); }

// FaceAxes in double.
struct Axes {
  Vector ahead, right, down;
};
const Axes& axes_of(int face) {
  static const std::array<Axes, face_count> all = [] {
    std::array<Axes, face_count> made;
    std::ranges::transform(face_axes, made.begin(), [](const FaceAxes& axes) {
      return Axes{vector_of(axes.ahead), vector_of(axes.right), vector_of(axes.down)};
    });
    return made;
  }();
  return all[size_t(face)];
}

Vector vector_to(int face, double x, double y, double ahead) {
  const Axes& axes = axes_of(face);
  return combined(ahead, axes.ahead, x, axes.right, y, axes.down);
}

double usable(double value) {
  if (std::isnan(value)) return 0;
  if (std::isinf(value)) return std::copysign(65504.0, value);
  return std::clamp(value, -largest_environment_value, largest_environment_value);
}

struct Mean {
  Color sum{};
  double weights = 0;

  void add(const Color& c, double weight) {
    for (size_t k = 0; k < 4; ++k) sum[k] += weight * c[k];
    weights += weight;
  }
  Color value() const { return {sum[0] / weights, sum[1] / weights, sum[2] / weights, sum[3] / weights}; }
};

size_t index_of(int cells, int face, Position corner) {
  const auto corners = size_t(cells) + 1;
  return (size_t(face) * corners + size_t(corner.y)) * corners + size_t(corner.x);
}

// Calls visit(face, corner) for each face that has this corner of a cell.
template <class Visit>
void visit_faces_at(int cells, int face, Position corner, const Visit& visit) {
  const Vector at = vector_to(face, 2 * corner.x - cells, 2 * corner.y - cells, cells);
  for (int other = 0; other < face_count; ++other) {
    const Axes& axes = axes_of(other);
    if (dot(at, axes.ahead) == cells)
      visit(other, Position{(int(dot(at, axes.right)) + cells) / 2, (int(dot(at, axes.down)) + cells) / 2});
  }
}

template <class Add>
std::vector<Color> corners_of(int cells, const Add& add) {
  std::vector<Color> made(index_of(cells, face_count, {}));
  for (int face = 0; face < face_count; ++face)
    parallel_ranges(cells + 1, 16, [&](int begin, int end) {
      for (int y = begin; y < end; ++y)
        for (int x = 0; x <= cells; ++x) {
          Mean mean;
          visit_faces_at(cells, face, {x, y}, [&](int other, Position corner) { add(other, corner, mean); });
          made[index_of(cells, face, {x, y})] = mean.value();
        }
    });
  return made;
}

// The texels that touch each corner.
std::vector<Color> finest_corners(const Planes& strip, int cells) {
  const Size size = size_of(strip), side = face_of_strip(size);
  return corners_of(cells, [&](int face, Position corner, Mean& mean) {
    for (const int dy : {1, 0})
      for (const int dx : {1, 0}) {
        const int x = corner.x * side.width / cells - dx, y = corner.y * side.height / cells - dy;
        if (x < 0 || y < 0 || x >= side.width || y >= side.height) continue;
        const auto column = size_t(std::min(face * side.width + x, size.width - 1));
        Color c = color_at(strip, size_t(y) * size_t(size.width) + column);
        for (double& value : c) value = usable(value);
        mean.add(c, solid_angle_at((2 * x + 1.0) / side.width - 1, (2 * y + 1.0) / side.height - 1));
      }
  });
}

// Linear weights of the corners of half as large cells, times their solid angles in each face.
std::vector<Color> coarser_corners(const std::vector<Color>& fine, const std::vector<float>& solid_angles, int cells) {
  const int fine_cells = 2 * cells;
  return corners_of(cells, [&](int face, Position corner, Mean& mean) {
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const Position at{2 * corner.x + dx, 2 * corner.y + dy};
        if (at.x < 0 || at.y < 0 || at.x > fine_cells || at.y > fine_cells) continue;
        const double linear = (dx == 0 ? 1 : 0.5) * (dy == 0 ? 1 : 0.5);
        mean.add(fine[index_of(fine_cells, face, at)], linear * solid_angles[index_of(fine_cells, 0, at)]);
      }
  });
}

// A direction in a level of the pyramid.
struct Place {
  int level, face;
  Position cell;
  double right, down;  // in the cell, 0 to 1
};

Place place_of(const Vector& d, int level, const CellLevels& levels) {
  const size_t axis = size_t(std::ranges::max_element(d, {}, [](double v) { return std::abs(v); }) - d.begin());
  const int face = 2 * int(axis) + (d[axis] < 0 ? 1 : 0), cells = levels.cells(level);
  const Axes& axes = axes_of(face);
  const double half = 0.5 * cells, scale = half / std::abs(d[axis]);
  const double x = half + dot(d, axes.right) * scale, y = half + dot(d, axes.down) * scale;
  const Position cell{std::clamp(int(x), 0, cells - 1), std::clamp(int(y), 0, cells - 1)};
  return {level, face, cell, x - cell.x, y - cell.y};
}

// Calls add(sum, place, weight) for each sample around the direction of each texel.
template <class Add>
Planes each_texel(const CellLevels& levels, std::span<const LobeSample> samples, Size made, const Add& add) {
  const Size side = face_of_strip(made);
  Planes planes;
  planes.fill({.size = made, .values = std::vector<double>(texel_count(made))});
  parallel_ranges(made.height, 1, [&](int begin, int end) {
    for (int row = begin; row < end; ++row)
      for (int column = 0; column < made.width; ++column) {
        const int face = std::min(column / side.width, face_count - 1);
        const Vector& right = axes_of(face).right;
        const Vector z = unit(vector_to(face, (2 * (column - face * side.width) + 1.0) / side.width - 1,
                                        (2 * row + 1.0) / side.height - 1, 1));
        const Vector x = unit(combined(1, right, -dot(right, z), z, 0, z));
        const Vector y{z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
        Color sum{};
        for (const LobeSample& one : samples)
          add(sum, place_of(combined(one.x, x, one.y, y, one.z, z), one.level, levels), one.weight);
        for (size_t k = 0; k < 4; ++k) planes[k].values[size_t(row) * size_t(made.width) + size_t(column)] = sum[k];
      }
  });
  return planes;
}

// Adds the four corners around a place, with linear weights and `equal_weight` for each.
void add_corners(const CornerPyramid& pyramid, const Place& place, double linear_weight, double equal_weight,
                 Color& sum) {
  for (const int dy : {0, 1})
    for (const int dx : {0, 1}) {
      const double share = (dx == 0 ? 1 - place.right : place.right) * (dy == 0 ? 1 - place.down : place.down);
      const Color& c = pyramid.at(place.level, place.face, {place.cell.x + dx, place.cell.y + dy});
      for (size_t k = 0; k < 4; ++k) sum[k] += (linear_weight * share + equal_weight) * c[k];
    }
}

}  // namespace

CornerPyramid::CornerPyramid(const Planes& strip) : levels_(cell_levels_of(size_of(strip))) {
  corners_.push_back(finest_corners(strip, levels_.finest));
  const std::vector<std::vector<float>> solid_angles = solid_angles_of_corners(levels_);
  for (int level = 1; level < levels_.count; ++level)
    corners_.push_back(coarser_corners(corners_.back(), solid_angles[size_t(level) - 1], levels_.cells(level)));
}

const Color& CornerPyramid::at(int level, int face, Position corner) const {
  return corners_[size_t(level)][index_of(levels_.cells(level), face, corner)];
}

Planes filtered_environment(const CornerPyramid& pyramid, std::span<const LobeSample> samples, Size made) {
  return each_texel(pyramid.levels(), samples, made, [&](Color& sum, const Place& place, double weight) {
    add_corners(pyramid, place, weight, 0, sum);
  });
}

Planes filtered_environment_tolerance(const CornerPyramid& sizes, const CornerPyramid& errors,
                                      std::span<const LobeSample> samples, Size made, Depth depth) {
  const CellLevels& levels = sizes.levels();
  const double least = rounding(0, depth);
  const double roundings = 40 + 16 * levels.count + samples_per_sum + double(samples.size()) / samples_per_sum;
  const double relative = roundings * 0x1p-24 + rounding(1, depth) - least;
  Planes tolerance = each_texel(levels, samples, made, [&](Color& sum, const Place& place, double weight) {
    const double moved = levels.cells(place.level) * 0x1p-20;  // directions are off by 2^-21
    add_corners(sizes, place, relative * weight, moved * weight, sum);
    add_corners(errors, place, weight, 0, sum);
  });
  for (Plane& plane : tolerance)
    for (double& value : plane.values) value += least;
  return tolerance;
}

}  // namespace gpupost
