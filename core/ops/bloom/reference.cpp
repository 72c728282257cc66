#include "core/ops/bloom/reference.h"

#include "core/base/threads.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

std::vector<double> glow_weights(double radius, Size size) {
  const double reach = std::max(1.0, std::log2(radius));
  const int count = std::min(int(std::ceil(reach)), std::max(1, level_count_of(size) - 1));
  std::vector<double> weights;
  double sum = 0;
  for (int level = 1; level <= count; ++level) sum += weights.emplace_back(std::min(1.0, reach - level + 1));
  for (double& weight : weights) weight /= sum;
  return weights;
}

namespace {

struct Tap {
  int from = 0;
  double weight = 0;
};
using Taps = std::vector<Tap>;

// The tents of the `coarse` texels of a side, over the area of its `fine` texels: they add up to 1 everywhere.
class Tents {
 public:
  Tents(int fine, int coarse) : fine_(fine), coarse_(coarse) {}

  double ratio() const { return double(fine_) / coarse_; }
  // The integral of a coarse texel's tent over the area of a fine one.
  double share(int coarse_texel, int fine_texel) const {
    return rise(coarse_texel - 1, fine_texel) - rise(coarse_texel, fine_texel);
  }

 private:
  // Over the area of a fine texel: the integral of the line from 0 at the middle of a coarse texel to 1 at that of the next. It is
  // exactly 0 before and 1 behind the line, so that no tent has a share of texels that it does not reach.
  double rise(int coarse_texel, int fine_texel) const {
    if (coarse_texel < 0) return 1;
    if (coarse_texel >= coarse_ - 1) return 0;
    const int64_t length = int64_t(2) * fine_;  // of the line, in parts of which a fine texel has 2 * coarse_
    const int64_t begin = int64_t(2) * fine_texel * coarse_ - (int64_t(2) * coarse_texel + 1) * fine_;
    const int64_t end = begin + int64_t(2) * coarse_;
    if (end <= 0) return 0;
    if (begin >= length) return 1;
    const auto integral = [&](int64_t at) {
      const double x = double(at) / double(length);
      return at <= 0 ? 0 : ratio() * (at < length ? x * x / 2 : x - 0.5);
    };
    return integral(end) - integral(begin);
  }

  int fine_, coarse_;
};

std::vector<Taps> taps_down(int fine, int coarse) {
  const Tents tents(fine, coarse);
  std::vector<Taps> taps(static_cast<size_t>(coarse));
  for (int to = 0; to < coarse; ++to) {
    const int first = std::max(0, int((to - 0.5) * tents.ratio()) - 1);
    const int last = std::min(fine - 1, int((to + 1.5) * tents.ratio()) + 1);
    for (int from = first; from <= last; ++from)
      taps[size_t(to)].push_back({from, tents.share(to, from) / tents.ratio()});
  }
  return taps;
}

std::vector<Taps> taps_up(int coarse, int fine) {
  const Tents tents(fine, coarse);
  std::vector<Taps> taps(static_cast<size_t>(fine));
  for (int to = 0; to < fine; ++to) {
    const int middle = int((to + 0.5) / tents.ratio());
    for (int from = std::max(0, middle - 1); from <= std::min(coarse - 1, middle + 1); ++from)
      taps[size_t(to)].push_back({from, tents.share(from, to)});
  }
  return taps;
}

double sum_of(const Taps& taps, const double* values, size_t stride) {
  double sum = 0;
  for (const Tap& tap : taps)
    if (tap.weight != 0) sum += tap.weight * values[size_t(tap.from) * stride];
  return sum;
}

// Rows first, then columns.
Plane resampled(const Plane& from, Size to, const std::vector<Taps>& columns, const std::vector<Taps>& rows) {
  const auto width = size_t(to.width);
  const Size between_size{to.width, from.size.height};
  Plane between{.size = between_size, .values = std::vector<double>(texel_count(between_size))};
  parallel_ranges(between_size.height, 16, [&](int begin, int end) {
    for (auto y = size_t(begin); y < size_t(end); ++y)
      for (size_t x = 0; x < width; ++x)
        between.values[y * width + x] = sum_of(columns[x], &from.values[y * size_t(from.size.width)], 1);
  });
  Plane made{.size = to, .values = std::vector<double>(texel_count(to))};
  parallel_ranges(to.height, 16, [&](int begin, int end) {
    for (auto y = size_t(begin); y < size_t(end); ++y)
      for (size_t x = 0; x < width; ++x) made.values[y * width + x] = sum_of(rows[y], &between.values[x], width);
  });
  return made;
}

}  // namespace

Planes lowered(const Planes& from) {
  const Size size = size_of(from), to = level_size(size, 1);
  const std::vector<Taps> columns = taps_down(size.width, to.width), rows = taps_down(size.height, to.height);
  Planes made;
  for (size_t c = 0; c < 4; ++c) made[c] = resampled(from[c], to, columns, rows);
  return made;
}

Plane spread(const Plane& from, Size to) {
  return resampled(from, to, taps_up(from.size.width, to.width), taps_up(from.size.height, to.height));
}

std::vector<Planes> light_levels(Planes light, size_t count) {
  std::vector<Planes> levels{std::move(light)};
  while (levels.size() <= count) levels.push_back(lowered(levels.back()));
  return levels;
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
    glow[c] = spread(glow[c], levels[0][c].size);
  }
  return glow;
}

}  // namespace gpupost
