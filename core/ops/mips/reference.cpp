#include "core/ops/mips/reference.h"

#include "core/ops/bleed/reference.h"
#include "core/ops/mips/coverage_reference.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpupost {

// Weights of the texels 2i, 2i+1, 2i+2 of a side of n in texel i of the next level. Each texel of the side counts the
// same in the whole level: the area weights of NVIDIA's report on non-power-of-two mip maps.
static std::array<double, 3> area_weights(int n, int i) {
  if (n == 1) return {1, 0, 0};
  if (n % 2 == 0) return {0.5, 0.5, 0};
  const double m = n / 2;
  return {(m - i) / n, m / n, (i + 1) / double(n)};
}

static Plane halve(const Plane& from, Reduce reduce) {
  Plane to{.size = level_size(from.size, 1), .values = {}};
  to.values.reserve(texel_count(to.size));
  for (int y = 0; y < to.size.height; ++y) {
    const auto rows = area_weights(from.size.height, y);
    for (int x = 0; x < to.size.width; ++x) {
      const auto columns = area_weights(from.size.width, x);
      double sum = 0;
      std::optional<double> extreme;
      for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) {
          const double weight = rows[size_t(dy)] * columns[size_t(dx)];
          if (weight == 0) continue;
          const double texel = from.values[size_t(2 * y + dy) * size_t(from.size.width) + size_t(2 * x + dx)];
          sum += weight * texel;
          const bool is_new =
              !extreme || std::isnan(texel) || (reduce == Reduce::minimum ? texel < *extreme : texel > *extreme);
          if (is_new) extreme = texel;
        }
      to.values.push_back(reduce == Reduce::mean ? sum : *extreme);
    }
  }
  return to;
}

int mip_level_count(const Call& call, Size size, int first) {
  const int wanted = call.integer("levels");
  return wanted == 0 ? level_count_of(size) : std::min(wanted - first, level_count_of(size));
}

Normals mips_normals(const Call& call) {
  if (!call.flag("normal")) return Normals::none;
  return call.choice("normal-length") == "alpha" ? Normals::length_in_alpha : Normals::length_dropped;
}

Filtering mips_filtering(const Call& call) {
  Filtering filtering = filtering_of(call);
  filtering.normals = mips_normals(call);
  return filtering;
}

bool makes_area_means(const Call& call) {
  return Filter(call.integer("filter")) == Filter::box && !call.flag("hicomp") && !call.flag("normal") &&
         !call.flag("from-base");
}

static std::vector<Planes> area_means(const Call& call, Planes base) {
  return by_component(std::move(base), [&](Plane plane) {
    const int count = mip_level_count(call, plane.size);
    std::vector<Plane> levels;
    levels.push_back(std::move(plane));
    while (int(levels.size()) < count) levels.push_back(halve(levels.back(), Reduce(call.integer("reduce"))));
    return levels;
  });
}

// The chain before --coverage.
static std::vector<Planes> chain(const Call& call, Planes base) {
  if (makes_area_means(call)) return area_means(call, std::move(base));
  const Size size = size_of(base);
  const int count = mip_level_count(call, size);
  std::vector<Planes> levels;
  levels.push_back(std::move(base));
  for (int level = 1; level < count; ++level)
    levels.push_back(filtered(call.flag("from-base") ? levels.front() : levels.back(), level_size(size, level),
                              mips_filtering(call)));
  return levels;
}

// The levels before --bleed.
static std::vector<Planes> covered_chain(const Call& call, Planes base) {
  std::vector<Planes> levels = chain(call, std::move(base));
  const double coverage = call.number("coverage");
  return coverage > 0 ? with_coverage(std::move(levels), coverage) : levels;
}

std::vector<Planes> mip_levels(const Call& call, Planes base) {
  std::vector<Planes> levels = covered_chain(call, std::move(base));
  if (call.flag("bleed"))
    for (Planes& level : levels) level = bled(std::move(level));
  return levels;
}

// Numbers that overshoot are clamped when they are stored; levels made of them inherit that.
static void add_clamping(const Planes& level, Depth depth, Planes& error) {
  for (size_t component = 0; component < 4; ++component)
    for (size_t index = 0; index < level[component].values.size(); ++index)
      if (const double size = std::abs(level[component].values[index]); std::isfinite(size))
        error[component].values[index] += std::max(0.0, size - largest(depth));
}

static std::vector<Planes> filtered_chain_tolerance(const Call& call, const std::vector<Planes>& levels,
                                                    const Planes& error, Depth depth) {
  std::vector<Planes> errors{error};
  for (size_t level = 1; level < levels.size(); ++level) {
    const size_t from = call.flag("from-base") ? 0 : level - 1;
    errors.push_back(
        filtered_tolerance(levels[from], errors[from], size_of(levels[level]), mips_filtering(call), depth));
    add_clamping(levels[level], depth, errors.back());
  }
  return errors;
}

// Tolerance of the levels before --bleed.
static std::vector<Planes> covered_chain_tolerance(const Call& call, const Planes& base, const Planes& error,
                                                   Depth depth) {
  const double coverage = call.number("coverage");
  const bool has_means = makes_area_means(call);
  // the least number is off by no more than the one that is off most
  if (Reduce(call.integer("reduce")) == Reduce::minimum)
    return tolerance_of_means(call.with("bleed", 0).with("reduce", double(Reduce::maximum)), base, error, depth);
  if (has_means && coverage == 0) return tolerance_of_means(call.with("bleed", 0), base, error, depth);
  const std::vector<Planes> levels = chain(call, base);
  std::vector<Planes> errors = has_means
                                   ? tolerance_of_means(call.with("bleed", 0).with("coverage", 0), base, error, depth)
                                   : filtered_chain_tolerance(call, levels, error, depth);
  return coverage > 0 ? coverage_tolerance(levels, errors, coverage, depth) : errors;
}

std::vector<Planes> mip_levels_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> errors = covered_chain_tolerance(call, base, error, depth);
  if (!call.flag("bleed")) return errors;
  const std::vector<Planes> levels = covered_chain(call, base);
  for (size_t level = 0; level < levels.size(); ++level)
    errors[level] = bled_tolerance(levels[level], errors[level], depth);
  return errors;
}

}  // namespace gpupost
