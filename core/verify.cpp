#include "core/verify.h"

#include "core/half.h"
#include "core/threads.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>

namespace gpupost {

static double number_at(const Level& level, Depth depth, size_t index) {
  if (depth == Depth::u8) return double(level.texels.as<uint8_t>()[index]) / 255;
  return depth == Depth::half ? double(float_from_half(level.texels.as<uint16_t>()[index]))
                              : double(level.texels.as<float>()[index]);
}

static Plane plane_of(const Level& level, Depth depth, int component) {
  Plane plane{.size = level.size, .values = std::vector<double>(texel_count(level.size))};
  for (size_t index = 0; index < plane.values.size(); ++index)
    plane.values[index] = number_at(level, depth, 4 * index + size_t(component));
  return plane;
}

static Plane absolute(Plane plane) {
  for (double& value : plane.values) value = std::abs(value);
  return plane;
}

// How far `found` is off as a share of the tolerance. Not-a-number agrees with not-a-number alone, an infinity with itself.
static double share_of(double found, double expected, double tolerance) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) == std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
  if (found == expected) return 0;
  if (!std::isfinite(found) || !std::isfinite(expected)) return std::numeric_limits<double>::infinity();
  return std::abs(found - expected) / tolerance;
}

static LevelCheck check_level(const Plane& expected, const Plane& magnitude, const Level& found, Depth depth, int level,
                              int component) {
  const double relative = depth == Depth::f32 ? 3 * 0x1p-22 : 3 * 0x1p-11;
  const double absolute = depth == Depth::u8     ? 0.5 / 255
                          : depth == Depth::half ? 0x1p-24
                                                 : 0x1p-126;  // below it devices may flush to zero
  LevelCheck worst{.level = level, .component = component};
  for (size_t index = 0; index < expected.values.size(); ++index) {
    const double value = number_at(found, depth, 4 * index + size_t(component));
    const double tolerance = level * (relative * magnitude.values[index] + absolute);
    const double share = share_of(value, expected.values[index], tolerance);
    if (share <= worst.share && index > 0) continue;
    const int width = expected.size.width;
    worst.error = std::abs(value - expected.values[index]);
    worst.tolerance = tolerance;
    worst.share = share;
    worst.at = {int(index % size_t(width)), int(index / size_t(width))};
  }
  return worst;
}

std::vector<LevelCheck> verify(const Call& call, const Level& base, std::span<const Level> levels, Depth depth) {
  std::vector<LevelCheck> worst(levels.size());
  std::mutex mutex;
  parallel_ranges(4, 1, [&](int begin, int end) {
    for (int component = begin; component < end; ++component) {
      const Plane plane = plane_of(base, depth, component);
      const std::vector<Plane> expected = call.op->reference(call, plane);
      const std::vector<Plane> magnitude = call.op->reference(call, absolute(plane));
      for (size_t index = 0; index < levels.size(); ++index) {
        const LevelCheck check =
            check_level(expected[index + 1], magnitude[index + 1], levels[index], depth, int(index) + 1, component);
        const std::lock_guard lock(mutex);
        if (worst[index].level == 0 || check.share > worst[index].share) worst[index] = check;
      }
    }
  });
  return worst;
}

std::string describe(const LevelCheck& check) {
  return fmt::format("level {}: largest error {:.3g} at ({}, {}).{}, {:.3g} of the tolerance {:.3g}", check.level,
                     check.error, check.at.width, check.at.height, "rgba"[check.component], check.share,
                     check.tolerance);
}

}  // namespace gpupost
