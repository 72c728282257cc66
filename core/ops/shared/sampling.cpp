#include "core/ops/shared/sampling.h"

#include "core/base/math.h"
#include "core/base/threads.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gpupost {

namespace {

constexpr std::string_view sampler_names[] = {"catmull-rom", "bilinear", "nearest", "lanczos3"};

// A smaller weight counts as none, so that an infinity there has no effect.
constexpr double least_weight = 0x1p-21;

bool limits_ringing(Sampler filter) { return filter == Sampler::catmull_rom || filter == Sampler::lanczos3; }

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double weight_at(Sampler filter, double x) {
  if (x >= radius_of(filter)) return 0;
  if (filter == Sampler::bilinear) return 1 - x;
  if (filter == Sampler::lanczos3) return sinc(x) * sinc(x / 3);
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

// A texel along one axis: its distance from the position, in texels, and its weight.
struct Tap {
  int offset = 0;
  double weight = 0;
  bool is_near = false, is_middle = false;  // limits ringing from below, and from above
};
using Taps = std::vector<Tap>;
constexpr size_t most_taps = 6;

Taps taps_of(Sampler filter, int part) {
  if (filter == Sampler::nearest) return {{.offset = part < position_steps / 2 ? 0 : 1, .weight = 1}};
  const int radius = radius_of(filter);
  Taps taps;
  double sum = 0;
  for (int offset = 1 - radius; offset <= radius; ++offset) {
    const double distance = std::abs(offset - double(part) / position_steps);
    double weight = weight_at(filter, distance);
    if (std::abs(weight) < least_weight) weight = 0;
    sum += weight;
    taps.push_back({.offset = offset,
                    .weight = weight,
                    .is_near = limits_ringing(filter) && distance < 2,
                    .is_middle = distance <= 1 && weight > 0});
  }
  for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

enum class Weights { of_filter, absolute, with_rounding };

// The weighted sum of one value per tap, without ringing as in `resize`; or a bound of its error.
double combined(const Taps& taps, std::span<const double> values, Weights weights, Sampler filter) {
  const bool has_curve = limits_ringing(filter);
  double sum = 0, least = INFINITY, most = -INFINITY, largest_near = 0;
  for (size_t index = 0; index < taps.size(); ++index) {
    const Tap& tap = taps[index];
    const double value = values[index];
    if (tap.is_near && value < least) least = value;
    if (tap.is_middle && value > most) most = value;
    if (tap.is_near && value > largest_near && (tap.weight != 0 || std::isfinite(value))) largest_near = value;
    if (tap.weight == 0) continue;
    const double extra = weights == Weights::with_rounding && has_curve ? 1 : 0;
    sum += (weights == Weights::of_filter ? tap.weight : std::abs(tap.weight) + extra) * value;
  }
  if (!has_curve) return sum;
  if (weights != Weights::of_filter) return 1.5 * largest_near > sum ? 1.5 * largest_near : sum;
  const double bound = most + (most - least) / 4;
  if (sum > bound) sum = bound;
  return sum < least ? least : sum;
}

double texel_at(const Plane& plane, int x, int y, Border border) {
  const auto [width, height] = plane.size;
  const bool is_inside = x >= 0 && y >= 0 && x < width && y < height;
  if (border == Border::black && !is_inside) return 0;
  const int column = is_inside ? x : continued(x, width, border), row = is_inside ? y : continued(y, height, border);
  return plane.values[size_t(row) * size_t(width) + size_t(column)];
}

// The texels around a position.
struct Sample {
  Position corner;
  Taps columns, rows;
};

// Rows first, then the column of their sums.
double sum_of(const Plane& plane, const Sample& sample, const Sampling& sampling, Weights weights) {
  const auto& [corner, columns, rows] = sample;
  std::array<double, most_taps> values{}, sums{};
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].weight == 0 && !rows[row].is_near) continue;
    for (size_t column = 0; column < columns.size(); ++column)
      values[column] = texel_at(plane, corner.x + columns[column].offset, corner.y + rows[row].offset, sampling.border);
    sums[row] = combined(columns, values, weights, sampling.filter);
  }
  return combined(rows, sums, weights, sampling.filter);
}

// Calls value(component, sample) for each number of a result of this size.
template <class Value>
Planes each_sample(Size to, Sampler filter, const SampleAt& position_of, const Value& value) {
  Planes made;
  for (Plane& plane : made) plane = {.size = to, .values = std::vector<double>(texel_count(to))};
  parallel_ranges(to.height, 8, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < to.width; ++x) {
        const std::optional<SamplePosition> at = position_of({x, y});
        if (!at) continue;
        const Sample sample{{at->x, at->y}, taps_of(filter, at->part_x), taps_of(filter, at->part_y)};
        for (size_t c = 0; c < 4; ++c) made[c].values[size_t(y) * size_t(to.width) + size_t(x)] = value(c, sample);
      }
  });
  return made;
}

}  // namespace

Param sampler_param() {
  return {.name = "filter",
          .help = "Filter between texels. catmull-rom and lanczos3 are sharper than bilinear; nearest copies texels",
          .kind = ParamKind::choice,
          .choices = {std::begin(sampler_names), std::end(sampler_names)}};
}

Param sample_border_param() {
  return {.name = "border",
          .help =
              "Texels beyond the data window: black is transparent black (black without alpha), clamp repeats the "
              "edge, repeat tiles the image, mirror mirrors it",
          .kind = ParamKind::choice,
          .default_value = double(Border::black),
          .choices = {std::begin(border_names), std::begin(border_names) + 4}};
}

Sampling sampling_of(const Call& call) {
  return {.filter = Sampler(call.integer("filter")), .border = Border(call.integer("border"))};
}

int radius_of(Sampler filter) { return filter == Sampler::lanczos3 ? 3 : filter == Sampler::catmull_rom ? 2 : 1; }

Planes sampled(const Planes& from, Size to, const Sampling& sampling, const SampleAt& position_of) {
  return each_sample(to, sampling.filter, position_of, [&](size_t c, const Sample& sample) {
    return sum_of(from[c], sample, sampling, Weights::of_filter);
  });
}

Planes sampled_tolerance(const Planes& from, const Planes& error, Size to, const Sampling& sampling,
                         const SampleAt& position_of, Depth depth) {
  const Planes sizes = absolute(from);
  return each_sample(to, sampling.filter, position_of, [&](size_t c, const Sample& sample) {
    return sum_of(error[c], sample, sampling, Weights::absolute) +
           2 * rounding(sum_of(sizes[c], sample, sampling, Weights::with_rounding), Depth::f32) +
           rounding(std::abs(sum_of(from[c], sample, sampling, Weights::of_filter)), depth);
  });
}

Position nearest_to(const std::optional<SamplePosition>& position, Size from, Border border) {
  constexpr Position none{-1, -1};
  if (!position) return none;
  const int x = position->x + (position->part_x >= position_steps / 2 ? 1 : 0);
  const int y = position->y + (position->part_y >= position_steps / 2 ? 1 : 0);
  const bool is_inside = x >= 0 && y >= 0 && x < from.width && y < from.height;
  if (border == Border::black && !is_inside) return none;
  return {continued(x, from.width, border), continued(y, from.height, border)};
}

// Texels begin to `end` of a side of `count` texels, continued beyond the border: those that must be read.
static std::pair<int, int> inside(int64_t begin, int64_t end, int count, Border border) {
  if (border != Border::repeat && border != Border::mirror)
    return {int(std::clamp<int64_t>(begin, 0, count - 1)), int(std::clamp<int64_t>(end, 1, count))};
  // the range relative to the copy of the side in which it begins
  const int64_t copy = begin >= 0 ? begin / count : (begin + 1) / count - 1;
  const auto first = int(begin - copy * count);
  if (end - begin >= count) return {0, count};
  const auto last = int(end - copy * count);
  if (border == Border::repeat) return {first, last};
  const bool is_mirrored = copy % 2 != 0;
  if (last <= count) return is_mirrored ? std::pair{count - last, count - first} : std::pair{first, last};
  return is_mirrored ? std::pair{0, std::max(count - first, last - count)}
                     : std::pair{std::min(first, 2 * count - last), count};
}

Region region_of_samples(Position least, Position most, Size size, const Sampling& sampling) {
  const int reach = radius_of(sampling.filter) + 1;  // one texel for rounding
  const auto [left, right] = inside(int64_t(least.x) - reach, int64_t(most.x) + reach + 1, size.width, sampling.border);
  const auto [top, bottom] =
      inside(int64_t(least.y) - reach, int64_t(most.y) + reach + 1, size.height, sampling.border);
  return {.corner = {left, top}, .size = {right - left, bottom - top}};
}

PassSpec sampling_pass(const PlanBuilder& builder, std::string name, std::string_view kernel, const Sampling& sampling,
                       Size from, Position corner, Size made) {
  const int source = builder.current_image();
  const int side = 2 * radius_of(sampling.filter);
  // a number of whole periods that, added to a coordinate, makes it positive
  const auto shift = [&](int count) {
    const int period = sampling.border == Border::mirror ? 2 * count : count;
    return period * div_ceil(1 << 18, period);
  };
  const auto inside = [](int at, int count) { return (at % count + count) % count; };
  return {.name = std::move(name),
          .kernel = kernel,
          .defines = {{"SAMPLER", int(sampling.filter), sampler_names},
                      {"BORDER", int(sampling.border), border_names},
                      {"POSITION_BITS", position_bits}},
          .values = {{"end_x", made.width},
                     {"end_y", made.height},
                     {"source_width", from.width},
                     {"source_height", from.height},
                     {"shift_x", shift(from.width)},
                     {"shift_y", shift(from.height)},
                     {"tile_x", inside(corner.x, from.width)},
                     {"tile_y", inside(corner.y, from.height)}},
          .grid = {.count = {div_ceil(made.width, 64), div_ceil(made.height, 16)}},
          .source = {.image = source},
          .access = {.reads_per_texel = sampling.filter == Sampler::nearest ? 1.0 : double(side * side)}};
}

}  // namespace gpupost
