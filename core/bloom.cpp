#include "core/bloom.h"

#include "core/threads.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

std::vector<double> glow_weights(double radius, Size size) {
  const double reach = std::max(1.0, std::log2(radius));
  const int count = std::min(int(std::ceil(reach)), level_count_of(size) - 1);
  std::vector<double> weights;
  double sum = 0;
  for (int level = 1; level <= count; ++level) sum += weights.emplace_back(std::min(1.0, reach - level + 1));
  for (double& weight : weights) weight /= sum;
  return weights;
}

namespace {

// The three texels of a side of `from` around texel `at` of one of `to`, and what each counts.
struct Taps {
  std::array<int, 3> from;
  std::array<double, 3> weights;
};

Taps taps_of(int from, int to, int at) {
  const int middle = (2 * at + 1) * from / (2 * to);                               // the nearest
  const double t = double((2 * at + 1) * from - to - 2 * to * middle) / (2 * to);  // from its middle, -1/2 to 1/2
  return {.from = {std::max(0, middle - 1), middle, std::min(from - 1, middle + 1)},
          .weights = {(0.5 - t) * (0.5 - t) / 2, 0.75 - t * t, (0.5 + t) * (0.5 + t) / 2}};
}

}  // namespace

Plane spread(const Plane& from, Size to) {
  Plane made{.size = to, .values = std::vector<double>(texel_count(to))};
  parallel_ranges(to.height, 16, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const Taps rows = taps_of(from.size.height, to.height, y);
      for (int x = 0; x < to.width; ++x) {
        const Taps columns = taps_of(from.size.width, to.width, x);
        double sum = 0;
        for (size_t j = 0; j < 3; ++j)
          for (size_t i = 0; i < 3; ++i)
            sum += rows.weights[j] * columns.weights[i] *
                   from.values[size_t(rows.from[j]) * size_t(from.size.width) + size_t(columns.from[i])];
        made.values[size_t(y) * size_t(to.width) + size_t(x)] = sum;
      }
    }
  });
  return made;
}

Planes glow_of(const std::vector<Planes>& levels, const std::vector<double>& weights) {
  Planes glow;
  for (size_t c = 0; c < 4; ++c) {
    glow[c] = {.size = size_of(levels.back()), .values = std::vector<double>(texel_count(size_of(levels.back())))};
    for (size_t level = weights.size(); level > 0; --level) {
      const Plane& own = levels[level][c];
      if (level < weights.size()) glow[c] = spread(glow[c], own.size);
      for (size_t index = 0; index < own.values.size(); ++index)
        glow[c].values[index] += weights[level - 1] * own.values[index];
    }
    if (!weights.empty()) glow[c] = spread(glow[c], levels[0][c].size);
  }
  return glow;
}

}  // namespace gpupost
