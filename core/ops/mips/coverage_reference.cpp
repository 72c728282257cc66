#include "core/ops/mips/coverage_reference.h"

#include "core/base/threads.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>

namespace gpupost {

namespace {

// --- counting -------------------------------------------------------------------------------------------------------

// All scales that the bisection can try are 1 to coverage_scale_count - 1 of these, 1 in the middle.
constexpr int unscaled = 512;

double scale_at(int index) {
  const double part = double(index - unscaled) / 512;
  return index <= unscaled ? 1 + part : 1 + 3 * part;
}

// A number as a file of integers would hold it; what is no number is 0.
double unit(double value) { return value > 0 ? std::min(value, 1.0) : 0; }

// Places between four texels; a side of one texel is its own neighbor.
Size places_of(Size size) { return {std::max(size.width - 1, 1), std::max(size.height - 1, 1)}; }
int64_t samples_of(Size size) { return 16 * int64_t(texel_count(places_of(size))); }

// The samples between four texels, upper left, upper right, lower left, lower right.
template <class Function>
void each_sample(const Plane& alpha, int x, int y, const Function& function) {
  const int right = std::min(x + 1, alpha.size.width - 1), below = std::min(y + 1, alpha.size.height - 1);
  const auto at = [&](int column, int row) {
    return alpha.values[size_t(row) * size_t(alpha.size.width) + size_t(column)];
  };
  const std::array<double, 4> texels{at(x, y), at(right, y), at(x, below), at(right, below)};
  for (const double v : {0.125, 0.375, 0.625, 0.875})
    for (const double u : {0.125, 0.375, 0.625, 0.875})
      function([&](double scale) {
        return (1 - v) * ((1 - u) * unit(scale * texels[0]) + u * unit(scale * texels[1])) +
               v * ((1 - u) * unit(scale * texels[2]) + u * unit(scale * texels[3]));
      });
}

// Samples that each scale lets through; scale 0 none.
using Counts = std::vector<int64_t>;

// What one scale lets through all larger ones do: each sample is counted at its least.
Counts counts_of(const Plane& alpha, double reference) {
  const Size places = places_of(alpha.size);
  Counts counts(coverage_scale_count + 1);
  std::mutex mutex;
  parallel_ranges(places.height, 16, [&](int begin, int end) {
    Counts own(coverage_scale_count + 1);
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < places.width; ++x)
        each_sample(alpha, x, y, [&](const auto& value_at) {
          int failed = 0;
          for (int step = coverage_scale_count / 2; step > 0; step /= 2)
            if (value_at(scale_at(failed + step)) < reference) failed += step;
          ++own[size_t(failed) + 1];
        });
    const std::lock_guard lock(mutex);
    std::ranges::transform(counts, own, counts.begin(), std::plus());
  });
  for (size_t index = 1; index < counts.size(); ++index) counts[index] += counts[index - 1];
  return counts;
}

int64_t unscaled_count(const Plane& alpha, double reference) {
  const Size places = places_of(alpha.size);
  int64_t count = 0;
  std::mutex mutex;
  parallel_ranges(places.height, 16, [&](int begin, int end) {
    int64_t own = 0;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < places.width; ++x)
        each_sample(alpha, x, y, [&](const auto& value_at) { own += value_at(1) >= reference; });
    const std::lock_guard lock(mutex);
    count += own;
  });
  return count;
}

// --- the bisection --------------------------------------------------------------------------------------------------

// A coverage as a number of samples of level 0 times one of this level, so that two are compared without rounding.
using Product = __int128;

int best_scale(const Counts& counts, int64_t base_samples, Product wanted) {
  int low = 0, best = unscaled;
  Product least = Product(1) << 100;
  for (int step = coverage_scale_count / 2; step > 0; step /= 2) {
    const Product found = counts[size_t(low + step)] * Product(base_samples);
    if (const Product error = found < wanted ? wanted - found : found - wanted; error < least) {
      least = error;
      best = low + step;
    }
    if (found < wanted) low += step;
  }
  return best;
}

// The float that the device compares with.
double on_device(double reference) { return double(float(reference)); }

// --- scales that the device may find ----------------------------------------------------------------------------------

struct Range {
  double low = 0, high = 0;
};

// What a count may be on the device.
struct CountRange {
  Counts low, high;
};

// A scale that the bisection tries, and the least and most that its coverage may be off by.
struct Step {
  int scale = 0;
  int64_t least = 0, most = 0;
};

// Goes every way that the bisection may go and widens `range` to all scales that may be the nearest of their way.
class Search {
 public:
  Search(const CountRange& counts, int64_t base_samples, int64_t wanted_low, int64_t wanted_high, double scale)
      : counts_(counts),
        base_samples_(base_samples),
        wanted_low_(wanted_low),
        wanted_high_(wanted_high),
        range_{scale, scale} {
    go(0, coverage_scale_count / 2);
  }
  Range range() const { return range_; }

 private:
  void go(int low, int step) {
    if (step == 0) return finish();
    const auto index = size_t(low + step);
    const int64_t from = counts_.low[index] * base_samples_ - wanted_high_;
    const int64_t to = counts_.high[index] * base_samples_ - wanted_low_;
    const bool may_be_exact = from <= 0 && to >= 0;
    way_.push_back({.scale = low + step,
                    .least = may_be_exact ? 0 : std::min(std::abs(from), std::abs(to)),
                    .most = std::max(std::abs(from), std::abs(to))});
    if (to >= 0) go(low, step / 2);
    if (from < 0) go(low + step, step / 2);
    way_.pop_back();
  }

  void finish() {
    const int64_t bound = std::ranges::min_element(way_, {}, &Step::most)->most;
    for (const Step& step : way_) {
      if (step.least > bound) continue;
      range_.low = std::min(range_.low, scale_at(step.scale));
      range_.high = std::max(range_.high, scale_at(step.scale));
    }
  }

  const CountRange& counts_;
  int64_t base_samples_, wanted_low_, wanted_high_;
  Range range_;
  std::vector<Step> way_;
};

// A plane with so many times its error added.
Plane moved(const Plane& plane, const Plane& error, double times) {
  Plane to = plane;
  for (size_t index = 0; index < to.values.size(); ++index) to.values[index] += times * error.values[index];
  return to;
}

// A sum of four products in float arithmetic is off by less.
constexpr double slack = 0x1p-20;

// What R, G and B are multiplied with.
double factor_at(double alpha, double scale) { return scale * alpha > 1 ? 1 / alpha : scale; }

Planes scaled_tolerance(const Planes& level, const Planes& error, double scale, Range scales, Depth depth) {
  Planes to = error;
  for (size_t index = 0; index < level[3].values.size(); ++index) {
    const double alpha = level[3].values[index], off = error[3].values[index];
    const double alpha_now = unit(scale * alpha), factor = factor_at(alpha, scale);
    const double factor_low = factor_at(alpha + off, scales.low), factor_high = factor_at(alpha - off, scales.high);
    const double factor_off = std::max(factor_high - factor, factor - factor_low);
    for (size_t component = 0; component < 3; ++component) {
      const double size = std::abs(level[component].values[index]);
      double& tolerance = to[component].values[index];
      tolerance = factor_off * size + factor_high * tolerance + rounding(factor_high * size, depth);
    }
    to[3].values[index] =
        std::max(unit(scales.high * (alpha + off)) - alpha_now, alpha_now - unit(scales.low * (alpha - off))) +
        rounding(alpha_now, depth);
  }
  return to;
}

}  // namespace

double coverage_of(const Plane& alpha, double reference) {
  return double(unscaled_count(alpha, on_device(reference))) / double(samples_of(alpha.size));
}

std::vector<double> coverage_scales(const std::vector<Planes>& levels, double reference) {
  reference = on_device(reference);
  const int64_t base_samples = samples_of(size_of(levels[0])), covered = unscaled_count(levels[0][3], reference);
  std::vector<double> scales{1};
  for (size_t level = 1; level < levels.size(); ++level)
    scales.push_back(scale_at(best_scale(counts_of(levels[level][3], reference), base_samples,
                                         covered * Product(samples_of(size_of(levels[level]))))));
  return scales;
}

std::vector<float> scales_of_counts(std::span<const Size> sizes, std::span<const std::vector<uint64_t>> counts) {
  std::vector<float> scales;
  for (size_t level = 1; level < sizes.size(); ++level) {
    Counts passed(coverage_scale_count + 1);
    for (size_t index = 0; index < coverage_scale_count; ++index)
      passed[index + 1] = passed[index] + int64_t(counts[level][index]);
    const Product wanted = Product(counts[0][0]) * samples_of(sizes[level]);
    scales.push_back(float(scale_at(best_scale(passed, samples_of(sizes[0]), wanted))));
  }
  return scales;
}

std::vector<Planes> with_coverage(std::vector<Planes> levels, double reference) {
  const std::vector<double> scales = coverage_scales(levels, reference);
  for (size_t level = 1; level < levels.size(); ++level)
    for (size_t index = 0; index < levels[level][3].values.size(); ++index) {
      double& alpha = levels[level][3].values[index];
      const double factor = factor_at(alpha, scales[level]);
      for (size_t component = 0; component < 3; ++component) levels[level][component].values[index] *= factor;
      alpha = unit(scales[level] * alpha);
    }
  return levels;
}

std::vector<Planes> coverage_tolerance(const std::vector<Planes>& levels, const std::vector<Planes>& errors,
                                       double reference, Depth depth) {
  const std::vector<double> scales = coverage_scales(levels, reference);
  const double hard = on_device(reference) * (1 + slack), easy = on_device(reference) * (1 - slack);
  const auto lowered = [&](size_t level) { return moved(levels[level][3], errors[level][3], -1); };
  const auto raised = [&](size_t level) { return moved(levels[level][3], errors[level][3], 1); };
  const int64_t base_samples = samples_of(size_of(levels[0]));
  const int64_t covered_low = unscaled_count(lowered(0), hard), covered_high = unscaled_count(raised(0), easy);
  std::vector<Planes> tolerance{errors[0]};
  for (size_t level = 1; level < levels.size(); ++level) {
    const CountRange counts{.low = counts_of(lowered(level), hard), .high = counts_of(raised(level), easy)};
    const int64_t samples = samples_of(size_of(levels[level]));
    const Search search(counts, base_samples, covered_low * samples, covered_high * samples, scales[level]);
    tolerance.push_back(scaled_tolerance(levels[level], errors[level], scales[level], search.range(), depth));
  }
  return tolerance;
}

}  // namespace gpupost
