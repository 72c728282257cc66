#include "core/ops/rotate/degrees.h"

#include "core/base/error.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numbers>

namespace gpupost {

namespace {

constexpr int most_texels = 32768;  // per side, and from the center of rotation

// Along one axis. Centers of rotation are in half texels, so that they are whole numbers.
struct Side {
  int64_t start = 0;   // twice the way from the center of rotation to the center of the first texel of the result
  int64_t middle = 0;  // twice the way from the center of the input's first texel to the center of rotation
  int64_t count = 0;   // texels of the result

  int64_t middle_texel() const { return (middle - half_step()) / 2; }
  int64_t half_step() const { return middle & 1; }
};

struct Rotation {
  int cosine = 0, sine = 0;  // in 2^-30
  Windows windows;           // of the result
  Side x, y;
};

// The least and the largest coordinate of a rotated rectangle, from its center of rotation. Less than 1e-4 of a texel counts as none.
struct Extent {
  double low = INFINITY, high = -INFINITY;
  void add(double at) { low = std::min(low, at), high = std::max(high, at); }
  int first() const { return int(std::floor(low + 1e-4)); }
  int last() const { return int(std::ceil(high - 1e-4)) - 1; }
};

Rotation rotation_of(const Call& call, const Windows& before) {
  const double radians = std::remainder(call.number("degrees"), 360) * std::numbers::pi / 180;
  const double cosine = std::cos(radians), sine = std::sin(radians);
  Rotation made{.cosine = int(std::lround(cosine * 0x1p30)), .sine = int(std::lround(sine * 0x1p30)), .windows = {}};
  const auto& [data, display] = before;
  const auto center = [](int min, int max) { return int64_t(min) + max + 1; };
  const int64_t from_x = center(display.min_x, display.max_x), from_y = center(display.min_y, display.max_y);
  int64_t to_x = from_x, to_y = from_y;
  if (call.flag("expand")) {
    const double width = double(display.max_x) - display.min_x + 1, height = double(display.max_y) - display.min_y + 1;
    const auto side = [](double a, double b) {
      return int(std::min(std::ceil(std::abs(a) + std::abs(b) - 1e-4), double(1 << 28)));
    };
    const Size size{side(width * cosine, height * sine), side(width * sine, height * cosine)};
    made.windows.display = {display.min_x, display.min_y, display.min_x + size.width - 1,
                            display.min_y + size.height - 1};
    to_x = center(made.windows.display.min_x, made.windows.display.max_x);
    to_y = center(made.windows.display.min_y, made.windows.display.max_y);
    Extent x, y;
    for (const double u : {double(data.min_x), data.max_x + 1.0})
      for (const double v : {double(data.min_y), data.max_y + 1.0}) {
        const double dx = u - double(from_x) / 2, dy = v - double(from_y) / 2;
        x.add(double(to_x) / 2 + cosine * dx - sine * dy);
        y.add(double(to_y) / 2 + sine * dx + cosine * dy);
      }
    made.windows.data = {x.first(), y.first(), x.last(), y.last()};
  } else {
    made.windows = {.data = {std::min(data.min_x, display.min_x), std::min(data.min_y, display.min_y),
                             std::max(data.max_x, display.max_x), std::max(data.max_y, display.max_y)},
                    .display = display};
  }
  const Window& result = made.windows.data;
  made.x = {.start = 2 * int64_t(result.min_x) + 1 - to_x,
            .middle = from_x - 2 * int64_t(data.min_x) - 1,
            .count = int64_t(result.max_x) - result.min_x + 1};
  made.y = {.start = 2 * int64_t(result.min_y) + 1 - to_y,
            .middle = from_y - 2 * int64_t(data.min_y) - 1,
            .count = int64_t(result.max_y) - result.min_y + 1};
  return made;
}

Rotation rotation_of(const Call& call, Size size) { return rotation_of(call, windows_before(call, size)); }

Size size_of(const Rotation& rotation) { return size_of(rotation.windows.data); }

SamplePosition position_of(const Rotation& rotation, Position at) {
  const int64_t x = rotation.x.start + 2 * int64_t(at.x), y = rotation.y.start + 2 * int64_t(at.y);
  const auto turned = [](int64_t product) { return (product + (1 << 15)) >> 16; };
  const int64_t half = position_steps / 2;
  const int64_t steps_x = turned(rotation.cosine * x + rotation.sine * y) + rotation.x.half_step() * half;
  const int64_t steps_y = turned(-rotation.sine * x + rotation.cosine * y) + rotation.y.half_step() * half;
  return {.x = int(rotation.x.middle_texel() + (steps_x >> position_bits)),
          .y = int(rotation.y.middle_texel() + (steps_y >> position_bits)),
          .part_x = int(steps_x & (position_steps - 1)),
          .part_y = int(steps_y & (position_steps - 1))};
}

SampleAt positions(Rotation rotation) {
  return [rotation](Position at) { return std::optional(position_of(rotation, at)); };
}

}  // namespace

Output rotated_output(const Call& call, const Output& input) {
  Output made = input;
  const Rotation rotation = rotation_of(call, windows_before(call, input));
  for (const Side& side : {rotation.x, rotation.y})
    if (side.count > most_texels || std::max(-side.start, side.start + 2 * side.count) > 2 * most_texels)
      fail(Exit::usage,
           "rotate: the result would be {} x {} texels, up to {} from the center of the display window; the limit for "
           "both is {} (crop or resize the image first)",
           rotation.x.count, rotation.y.count, std::max(-side.start, side.start + 2 * side.count) / 2, most_texels);
  made.windows = rotation.windows;
  made.size = size_of(rotation);
  return made;
}

// The rectangle around the rotated region.
static Region region_under(const Rotation& rotation, Size size, const Sampling& sampling, const Region& made) {
  Position least{INT_MAX, INT_MAX}, most{INT_MIN, INT_MIN};
  for (const int x : {made.corner.x, made.corner.x + made.size.width - 1})
    for (const int y : {made.corner.y, made.corner.y + made.size.height - 1}) {
      const SamplePosition at = position_of(rotation, {x, y});
      least = {std::min(least.x, at.x), std::min(least.y, at.y)};
      most = {std::max(most.x, at.x), std::max(most.y, at.y)};
    }
  return region_of_samples(least, most, size, sampling);
}

Footprint rotated_footprint(const Call& call, Size size) {
  const Rotation rotation = rotation_of(call, size);
  const Sampling sampling = sampling_of(call);
  return {.kind = Footprint::Kind::around,
          .region = [=](const Region& made) { return region_under(rotation, size, sampling, made); },
          .copied = [=](Position at) { return nearest_to(position_of(rotation, at), size, sampling.border); }};
}

Planes rotated(const Call& call, const Planes& base) {
  const Rotation rotation = rotation_of(call, size_of(base));
  return sampled(base, size_of(rotation), sampling_of(call), positions(rotation));
}

Planes rotated_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Rotation rotation = rotation_of(call, size_of(base));
  return sampled_tolerance(base, error, size_of(rotation), sampling_of(call), positions(rotation), depth);
}

void plan_rotated(const Call& call, PlanBuilder& builder) {
  const PlanImage image = builder.image(builder.current_image());
  const Size whole = builder.whole_size();
  const Rotation rotation = rotation_of(call, whole);
  const Position corner = builder.input().corner;
  const Region made = builder.made_of(size_of(rotation));
  PassSpec pass = sampling_pass(builder, "rotate", "rotate/rotate.glsl", sampling_of(call), whole, corner, made.size);
  for (const PushConstant& value : {PushConstant{"cosine", rotation.cosine},
                                    {"sine", rotation.sine},
                                    {"start_x", int(rotation.x.start) + 2 * made.corner.x},
                                    {"start_y", int(rotation.y.start) + 2 * made.corner.y},
                                    {"middle_x", int(rotation.x.middle_texel())},
                                    {"middle_y", int(rotation.y.middle_texel())},
                                    {"half_step_x", int(rotation.x.half_step()) * position_steps / 2},
                                    {"half_step_y", int(rotation.y.half_step()) * position_steps / 2}})
    pass.values.push_back(value);
  builder.add_result(std::move(pass), {.size = made.size, .depth = image.depth});
}

}  // namespace gpupost
