#include "core/reference/verify.h"

#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/op/point.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <tuple>

namespace gpupost {

static double number_at(const Level& level, Depth depth, size_t index) {
  if (depth == Depth::u8) return double(level.texels.as<uint8_t>()[index]) / 255;
  return depth == Depth::half ? double(float_from_half(level.texels.as<uint16_t>()[index]))
                              : double(level.texels.as<float>()[index]);
}

Planes planes_of(const Level& level, Depth depth) {
  Planes planes;
  parallel_ranges(4, 1, [&](int begin, int end) {
    for (int component = begin; component < end; ++component) {
      Plane& plane = planes[size_t(component)];
      plane = {.size = level.size, .values = std::vector<double>(texel_count(level.size))};
      for (size_t index = 0; index < plane.values.size(); ++index)
        plane.values[index] = number_at(level, depth, 4 * index + size_t(component));
    }
  });
  return planes;
}

constexpr double most_packed = 65024;      // of 11 bits
constexpr double smallest_half = 0x1p-25;  // what is nearer to 0 becomes 0

// Numbers as a picture of this depth holds them, but not rounded: none over the largest, none of halves that becomes 0, so
// that what only a double can hold does not count among measured luminances.
static Planes clamped(Planes planes, Depth depth) {
  const double most = largest(depth), smallest = depth == Depth::half ? smallest_half : 0;
  const double least = depth == Depth::u8 ? 0 : -most;
  for (Plane& plane : planes)
    for (double& value : plane.values) {
      if (std::abs(value) < smallest) value = 0;
      if (std::isfinite(value)) value = std::clamp(value, least, most);
    }
  return planes;
}

// Halves of CIE Yxy round to 0 and clamp Y alone, which scales the color; alpha is a half of its own.
static Planes clamped_in_yxy(Planes planes, double most) {
  for (size_t index = 0; index < planes[0].values.size(); ++index) {
    const Color c = color_at(planes, index);
    const double luminance = std::abs(luminance_of(c));
    double scale = luminance < smallest_half ? 0 : 1;
    if (std::isfinite(luminance) && luminance > most) scale = most / luminance;
    for (size_t k = 0; k < 3; ++k) planes[k].values[index] = scale * c[k];
    if (std::isfinite(c[3])) planes[3].values[index] = std::clamp(c[3], -most, most);
  }
  return planes;
}

// 11:11:10 bits clamp infinity too.
static Planes clamped_when_packed(Planes planes) {
  for (size_t k = 0; k < 3; ++k)
    for (double& value : planes[k].values)
      if (const double most = k < 2 ? most_packed : 64512; value > most) value = most;
  return planes;
}

// Replaces each color that has an infinite or NaN number by what `spread` makes of it.
static Planes with_spread(Planes planes, Color (*spread)(const Color& c)) {
  for (size_t index = 0; index < planes[0].values.size(); ++index) {
    const Color c = color_at(planes, index);
    if (std::isfinite(c[0]) && std::isfinite(c[1]) && std::isfinite(c[2])) continue;
    const Color made = spread(c);
    for (size_t k = 0; k < 3; ++k) planes[k].values[index] = made[k];
  }
  return planes;
}

// What such colors become in an image of Yxy, and in sums of CIE XYZ.
static Planes spread_in_yxy(Planes planes) {
  return with_spread(std::move(planes), [](const Color& c) { return rgb_of_yxy(yxy_of_rgb(c)); });
}
static Planes spread_in_xyz(Planes planes) {
  return with_spread(std::move(planes), [](const Color&) { return Color{NAN, NAN, NAN, 0}; });
}

// The clamp of the image that holds a picture between two ops, or `is_last`, behind the last one.
static Planes clamped_as_stored(Planes planes, Depth depth, const Between& between, bool is_last) {
  if (!is_last && between.is_yxy && between.is_packed) return clamped_in_yxy(std::move(planes), most_packed);
  if (!is_last && between.is_packed) return clamped_when_packed(std::move(planes));
  if (!is_last && between.is_yxy)
    return depth == Depth::half ? clamped_in_yxy(std::move(planes), largest(Depth::half)) : planes;
  return clamped(std::move(planes), depth);
}

static Planes no_error(Size size) {
  Planes planes;
  planes.fill({.size = size, .values = std::vector<double>(texel_count(size))});
  return planes;
}

// How far `found` is off as a share of the tolerance. Not-a-number agrees with not-a-number alone, an infinity with itself.
static double share_of(double found, double expected, double tolerance) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) == std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
  if (found == expected) return 0;
  if (!std::isfinite(found) || !std::isfinite(expected)) return std::numeric_limits<double>::infinity();
  if (std::isnan(tolerance)) return std::numeric_limits<double>::infinity();
  return std::abs(found - expected) / tolerance;
}

// The worst of one component in the rows from `begin` up to `end`, the latter not included.
static LevelCheck check_rows(const Expected& whole, const Level& found, LevelCheck worst, int begin, int end) {
  const Planes& colors = whole.levels[size_t(worst.level)];
  const Plane& expected = colors[size_t(worst.component)];
  const Plane& tolerance = whole.tolerance[size_t(worst.level)][size_t(worst.component)];
  const auto width = size_t(expected.size.width);
  const size_t first = size_t(begin) * width;
  const auto is_finite = [&](size_t index) {
    return std::all_of(colors.begin(), colors.begin() + 3,
                       [&](const Plane& c) { return std::isfinite(c.values[index]); });
  };
  for (size_t index = first; index < size_t(end) * width; ++index) {
    const double value = number_at(found, whole.depth, 4 * index + size_t(worst.component));
    const bool is_mixed = whole.mixes_channels && worst.component < 3 && !is_finite(index);
    const double share = is_mixed ? 0 : share_of(value, expected.values[index], tolerance.values[index]);
    if (share <= worst.share && index > first) continue;
    worst.found = value;
    worst.expected = expected.values[index];
    worst.error = std::abs(value - expected.values[index]);
    worst.tolerance = tolerance.values[index];
    worst.share = share;
    worst.at = {int(index % width), int(index / width)};
  }
  return worst;
}

// The worst of a level; of equals the first of the first component.
static LevelCheck check_level(const Expected& expected, const Level& found, int level) {
  std::vector<LevelCheck> checks;
  std::mutex mutex;
  parallel_ranges(found.size.height, 16, [&](int begin, int end) {
    for (int component = 0; component < 4; ++component) {
      const LevelCheck check = check_rows(expected, found, {.level = level, .component = component}, begin, end);
      const std::lock_guard lock(mutex);
      checks.push_back(check);
    }
  });
  return *std::ranges::max_element(checks, {}, [](const LevelCheck& check) {
    return std::tuple(check.share, -check.component, -check.at.height, -check.at.width);
  });
}

// Is what `call` makes taken by the next op before it is stored, or kept for it as floats?
static bool goes_on_in_float(const Call& call, const Call& next, bool fuses) {
  if (!call.op->point && call.op->makes != Makes::statistics) return false;
  const Footprint footprint = footprint_of(next, {1, 1});
  const bool measures = footprint.measure || next.op->makes == Makes::statistics;
  if (measures && call.shader && call.shader->is_long()) return false;  // it has a pass of its own, which stores
  return has_passes(next) ? fuses && footprint.reads_once : fuses || !footprint.measure;
}

// Returns whether the last pass of `call` may apply `next` before it stores. It does so only if no other pass reads its result.
static bool may_apply_before_store(const Call& call, const Call& next, bool fuses) {
  return fuses && has_passes(call) && !has_passes(next);
}

// Widens the tolerance by the difference, because a pass may use either.
static void add_difference(const Planes& picture, const Planes& stored, Planes& tolerance) {
  for (size_t c = 0; c < 4; ++c)
    for (size_t index = 0; index < picture[c].values.size(); ++index) {
      const double difference = std::abs(picture[c].values[index] - stored[c].values[index]);
      if (std::isfinite(difference)) tolerance[c].values[index] += difference;
    }
}

// By what share of it a color may be off as Yxy because its luminance or its y is so near 0 that few bits are left. With hardly
// one of them it is black, or the ratio of both is off by a few times.
static double share_lost_near_0(const Color& c, Depth depth) {
  const Color yxy = yxy_of_rgb(c);
  const double step = depth == Depth::half ? 0x1p-25 : 0x1p-126;
  const double share = step / std::abs(yxy[0]) + step / std::abs(yxy[2]);
  return share < 0.25 ? 1.5 * share : 4;
}

// Adds to `tolerance` what a picture loses where it is kept between two ops: as Yxy errors of all three numbers move each of
// R, G and B, by at most 6 of X + Y + Z; 11 and 10 bits leave six and five bits behind the first.
static void add_loss_between(const Planes& picture, const Between& between, Depth depth, Planes& tolerance) {
  const double step = between.is_packed ? 0x1p-5 : depth == Depth::half ? 0x1p-11 : 0x1p-22;
  const double least = between.is_packed ? 0x1p-19 : 0;
  for (size_t index = 0; index < picture[0].values.size(); ++index) {
    double sum = 0;
    for (size_t c = 0; c < 3; ++c) sum += std::abs(picture[c].values[index]);
    const double black = between.is_yxy && sum < 8 * least_xyz_sum ? 4 * sum : 0;
    const double lost = between.is_yxy ? share_lost_near_0(color_at(picture, index), depth) : 0;
    for (size_t c = 0; c < 3; ++c) {
      const double size = std::abs(picture[c].values[index]);
      tolerance[c].values[index] += step * (between.is_yxy ? 20 * sum : size) + lost * size + black + least;
    }
  }
}

// Adds what the sums of a kernel in CIE XYZ lose. They round as those in R, G and B, but an error of X, Y or Z moves each of R, G
// and B: by at most 2.3 times the error that the sum would have in any of R, G and B, and the conversion rounds too.
static void add_rounding_in_xyz(const Call& call, const Planes& picture, std::vector<Planes>& tolerance) {
  const std::vector<Planes> rounding =
      call.op->reference.tolerance(call, picture, no_error(size_of(picture)), Depth::f32);
  for (size_t level = 0; level < tolerance.size(); ++level)
    for (size_t index = 0; index < tolerance[level][0].values.size(); ++index) {
      double sum = 0;
      for (size_t c = 0; c < 3; ++c) sum += rounding[level][c].values[index];
      for (size_t c = 0; c < 3 && std::isfinite(sum); ++c) tolerance[level][c].values[index] += 3 * sum;
    }
}

static Expected expected_at_first(const Level& base, Depth depth) {
  Expected expected{.levels = {}, .tolerance = {}, .depth = depth};
  expected.levels.push_back(planes_of(base, depth));
  expected.tolerance.push_back(no_error(base.size));
  return expected;
}

// Adds what a chain in Yxy loses where a pass converts its input to CIE XYZ and back for an op on R, G and B.
static void add_conversion(const Planes& picture, Planes& tolerance) {
  for (size_t index = 0; index < picture[0].values.size(); ++index) {
    double sum = 0;
    for (size_t c = 0; c < 3; ++c) sum += std::abs(picture[c].values[index]);
    for (size_t c = 0; c < 3 && std::isfinite(sum); ++c) tolerance[c].values[index] += 0x1p-22 * sum;
  }
}

// `next`: the call behind it, nullptr where there is none.
static void go_through(Expected& expected, const Call& call, const Call* next, const Between& between) {
  if (between.is_yxy) add_conversion(expected.levels[0], expected.tolerance[0]);
  expected.tolerance = call.op->reference.tolerance(call, expected.levels[0], expected.tolerance[0], expected.depth);
  if (between.is_yxy && has_passes(call)) add_rounding_in_xyz(call, expected.levels[0], expected.tolerance);
  if (between.is_yxy && has_passes(call) && !is_exact(call) && call.op->reference.sums_xyz)
    expected.levels[0] = spread_in_xyz(std::move(expected.levels[0]));
  expected.levels = call.op->reference.levels(call, std::move(expected.levels[0]));
  expected.depth = result_depth({&call, 1}, expected.depth);
  if (next && goes_on_in_float(call, *next, between.fuses)) return;
  if (next && (between.is_yxy || between.is_packed))
    add_loss_between(expected.levels[0], between, expected.depth, expected.tolerance[0]);
  // a point op behind a pass is applied before the pass stores to an image of Yxy
  if (next && between.is_yxy && (has_passes(*next) || !between.fuses))
    expected.levels[0] = spread_in_yxy(std::move(expected.levels[0]));
  for (size_t level = 0; level < expected.levels.size(); ++level) {
    Planes stored = clamped_as_stored(expected.levels[level], expected.depth, between, !next);
    if (next && may_apply_before_store(call, *next, between.fuses))
      add_difference(expected.levels[level], stored, expected.tolerance[level]);
    else expected.levels[level] = std::move(stored);
  }
}

// Returns whether the planner plans the call. It leaves out identities, except statistics.
static bool is_planned(const Call& call) { return !is_identity(call) || call.op->makes == Makes::statistics; }

// Returns the input of call `end`, or the result of the chain if `end` is calls.size().
static Expected expected_at(std::span<const Call> calls, size_t end, const Level& base, Depth depth,
                            const Between& between) {
  Expected expected = expected_at_first(base, depth);
  const Call* call = nullptr;
  for (size_t index = 0; index < std::min(end + 1, calls.size()); ++index) {
    if (index < end && !is_planned(calls[index])) continue;
    if (call) go_through(expected, *call, &calls[index], between);
    call = index < end ? &calls[index] : nullptr;
  }
  if (call) go_through(expected, *call, nullptr, between);
  return expected;
}

Expected expected_of(std::span<const Call> calls, const Level& base, Depth depth, const Between& between) {
  Expected expected = expected_at(calls, calls.size(), base, depth, between);
  expected.mixes_channels = between.is_yxy;
  return expected;
}

Expected expected_before(std::span<const Call> calls, size_t index, const Level& base, Depth depth,
                         const Between& between) {
  return expected_at(calls, index, base, depth, between);
}

std::vector<LevelCheck> verify(const Expected& expected, std::span<const Level> levels, int first_level) {
  std::vector<LevelCheck> checks;
  for (size_t index = 0; index < levels.size(); ++index) {
    const size_t level = size_t(first_level) + index;
    checks.push_back(check_level(expected, levels[index], int(level)));
  }
  return checks;
}

std::vector<LevelCheck> verify(std::span<const Call> calls, const Level& base, std::span<const Level> levels,
                               int first_level, Depth depth, const Between& between) {
  return verify(expected_of(calls, base, depth, between), levels, first_level);
}

std::string describe(const LevelCheck& check) {
  const std::string place =
      fmt::format("({}, {}), channel {}", check.at.width, check.at.height, "rgba"[check.component]);
  if (std::isinf(check.share))
    return fmt::format("level {}: {:.6g} in the place of {:.6g} at {}", check.level, check.found, check.expected,
                       place);
  return fmt::format("level {}: largest error {:.3g} at {}, {:.3g} times the tolerance {:.3g}", check.level,
                     check.error, place, check.share, check.tolerance);
}

}  // namespace gpupost
