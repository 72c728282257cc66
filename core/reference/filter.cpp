#include "core/reference/filter.h"

#include "core/base/threads.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gpupost {

Param filter_param(Filter def, bool has_all) {
  Param made{.name = "filter",
             .help =
                 "Filter kernel. box: mean over the area of the result's texel; kaiser: width 3, alpha 4; mitchell: B "
                 "= C = 1/3",
             .kind = ParamKind::choice,
             .default_value = double(def),
             .choices = {std::begin(filter_names), std::begin(filter_names) + int(Filter::lanczos3) + 1}};
  if (!has_all) return made;
  made.help =
      "Filter kernel. box: mean over the area of the result's texel; kaiser: width 3, alpha 4; mitchell: B = C = 1/3; "
      "catmull-rom: B = 0, C = 1/2; cubic: B-spline; gaussian: sigma of half a texel; nearest: copies the texel under "
      "the middle (the left or upper one of two), for masks, ids and pixel art";
  made.choices.assign(std::begin(filter_names), std::end(filter_names));
  return made;
}

Output behind_border(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.may_be_transparent |= Border(call.integer("border")) == Border::black;
  return made;
}

Param border_param() {
  return {.name = "border",
          .help = "Texels beyond the image: clamp repeats the edge, repeat tiles the image, mirror mirrors it",
          .kind = ParamKind::choice,
          .choices = {std::begin(border_names), std::begin(border_names) + 3},
          .effect = {.in = [](const Call& call) { return Filter(call.integer("filter")) != Filter::box; },
                     .requirement = "a --filter other than box"}};
}

Param hicomp_param() {
  return {
      .name = "hicomp",
      .help =
          "Compress the range of R, G and B before the filter and expand it after; reduces ringing at bright edges. "
          "Above 0.18, a value v becomes 0.18351672 ln(284.35779 v + 1) - 0.54576886; negative values are mirrored",
      .kind = ParamKind::flag,
      .is_for_color = true};
}

bool has_negative_weights(Filter filter) {
  return filter != Filter::box && filter != Filter::triangle && filter != Filter::cubic && filter != Filter::gaussian &&
         filter != Filter::nearest;
}

// Directions of a normal map may have any sign, so nothing is limited there.
static bool can_ring(const Call& call) {
  const bool has_directions = call.op->param("normal") && call.flag("normal");
  return has_negative_weights(Filter(call.integer("filter"))) && !has_directions;
}

Param ringing_param() {
  return {.name = "ringing",
          .help = "limit: no dark or bright rings around highlights; keep: the plain weighted mean, also below 0",
          .kind = ParamKind::choice,
          .choices = {"limit", "keep"},
          .effect = {.in = can_ring, .requirement = "colors and a --filter with negative weights"}};
}

Filtering filtering_of(const Call& call) {
  return {.filter = Filter(call.integer("filter")),
          .border = Border(call.integer("border")),
          .compresses = call.flag("hicomp"),
          .limits_ringing = can_ring(call) && call.choice("ringing") == "limit"};
}

Scales scales_of(const Filtering& filtering, Size from, Size to) {
  return filtering.scales.value_or(Scales{.x = {from.width, to.width}, .y = {from.height, to.height}});
}

double support_of(Filter filter) {
  switch (filter) {
    case Filter::box:
    case Filter::nearest: return 0.5;
    case Filter::triangle: return 1;
    case Filter::mitchell:
    case Filter::catmull_rom:
    case Filter::cubic:
    case Filter::lanczos2: return 2;
    case Filter::lanczos4: return 4;
    case Filter::lanczos6: return 6;
    case Filter::kaiser:
    case Filter::gaussian:
    case Filter::lanczos3: return 3;
  }
  return 0;
}

int continued(int t, int n, Border border) {
  if (border == Border::clamp) return std::clamp(t, 0, n - 1);
  const int period = border == Border::repeat ? n : 2 * n;
  const int rest = ((t % period) + period) % period;
  return rest < n ? rest : period - 1 - rest;
}

namespace {

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

// Mitchell and Netravali 1988.
double cubic(double x, double b, double c) {
  if (x < 1) return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
  return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6;
}

// A filter at distance x from its middle, 1 in the middle or nearly so; not the box.
double weight_at(Filter filter, double x) {
  x = std::abs(x);
  if (x >= support_of(filter)) return 0;
  switch (filter) {
    case Filter::triangle: return 1 - x;
    case Filter::mitchell: return cubic(x, 1.0 / 3, 1.0 / 3);
    case Filter::catmull_rom: return cubic(x, 0, 0.5);
    case Filter::cubic: return cubic(x, 1, 0);
    case Filter::lanczos2:
    case Filter::lanczos3:
    case Filter::lanczos4:
    case Filter::lanczos6: return sinc(x) * sinc(x / support_of(filter));
    case Filter::gaussian: return std::exp(-2 * x * x);
    case Filter::kaiser:
      return sinc(x) * std::cyl_bessel_i(0.0, 4 * std::sqrt(1 - x * x / 9)) / std::cyl_bessel_i(0.0, 4.0);
    case Filter::box:
    case Filter::nearest: break;
  }
  return 0;
}

// One texel of a side that a texel of the result is made of.
struct Tap {
  int texel = 0;
  double weight = 0;
  double distance = 0;  // from the middle, in texels of the coarser side
};
using Taps = std::vector<Tap>;

// A weight of a filter's curve that is smaller than this is none, so that an infinity there stays out.
constexpr double least_weight = 0x1p-21;

// The part of [0, 1) in texel t that lies in the area of a texel of the result around `middle`.
double covered(int t, double middle, double ratio) {
  const double begin = std::max(double(t), middle - ratio / 2), end = std::min(t + 1.0, middle + ratio / 2);
  return std::max(0.0, end - begin) / std::min(1.0, ratio);
}

// What texel `i` of a side is made of, weights not yet normalized. The side of the source is `from` texels.
Taps taps_of(int i, int from, const Scale& along, const Filtering& filtering) {
  const double ratio = double(along.from) / along.to, scale = std::max(1.0, ratio);
  const double middle = (i + 0.5) * ratio + 0.5 * along.phase / along.to;
  const double reach = support_of(filtering.filter) * scale + 1;
  Taps taps;
  for (int t = int(std::floor(middle - reach)); t <= int(std::ceil(middle + reach)); ++t) {
    const double weight = filtering.filter == Filter::box ? covered(t, middle, ratio)
                                                          : weight_at(filtering.filter, (t + 0.5 - middle) / scale);
    taps.push_back({continued(t, from, filtering.border), weight, std::abs(t + 0.5 - middle) / scale});
  }
  return taps;
}

// What the texels of another size are made of.
struct Resampling {
  Size from, to;
  bool has_curve = false;  // whose weights are rounded; those of the box are shares of areas
  bool limits_ringing = false;
  std::vector<Taps> columns, rows;
};

Resampling resampling_of(Size from, Size to, const Filtering& filtering) {
  Resampling made{.from = from,
                  .to = to,
                  .has_curve = filtering.filter != Filter::box,
                  .limits_ringing = filtering.limits_ringing,
                  .columns = {},
                  .rows = {}};
  const Scales scales = scales_of(filtering, from, to);
  for (int x = 0; x < to.width; ++x) made.columns.push_back(taps_of(x, from.width, scales.x, filtering));
  for (int y = 0; y < to.height; ++y) made.rows.push_back(taps_of(y, from.height, scales.y, filtering));
  return made;
}

enum class Weights {
  signed_ones,    // of the filter
  absolute,       // what an error is multiplied with at most
  with_rounding,  // the same, for texels whose weights are off themselves: by one rounding of 1 each
};

// The texels that limit a sum, up to this distance; the sum may not be below the least of them.
constexpr double limiting_distance = 2 - 1e-9;

// A sum without ringing: not below the least texel nearby, and above the largest texel of the middle lobe, whose weights are
// positive, by a quarter of the difference at most.
double limited(double sum, const Taps& taps, const double* values, ptrdiff_t stride) {
  double least = INFINITY, most = -INFINITY;
  for (const Tap& tap : taps) {
    const double value = values[tap.texel * stride];
    if (tap.distance < limiting_distance && value < least) least = value;
    if (tap.distance < 1.5 && tap.weight >= least_weight && value > most) most = value;
  }
  const double bound = most + (most - least) / 4;
  if (sum > bound) sum = bound;
  return sum < least ? least : sum;
}

// A limit is off by one and a half times what the texels that limit are off by at most.
double with_limits_error(double error, const Taps& taps, const double* values, ptrdiff_t stride) {
  for (const Tap& tap : taps)
    if (tap.distance < limiting_distance && 1.5 * values[tap.texel * stride] > error &&
        (std::abs(tap.weight) >= least_weight || std::isfinite(values[tap.texel * stride])))
      error = 1.5 * values[tap.texel * stride];
  return error;
}

double weighted_mean(const Taps& taps, Weights weights, const Resampling& resampling, const double* values,
                     ptrdiff_t stride) {
  const bool has_curve = resampling.has_curve;
  double sum = 0, weight_sum = 0;
  for (const Tap& tap : taps) {
    const bool is_none = std::abs(tap.weight) < least_weight;
    const double value = values[tap.texel * stride];
    if (!is_none) weight_sum += tap.weight;
    if (weights == Weights::signed_ones && !is_none) sum += tap.weight * value;
    if (weights == Weights::absolute && !is_none) sum += std::abs(tap.weight) * value;
    if (weights == Weights::with_rounding && (!is_none || std::isfinite(value)))
      sum += (std::abs(tap.weight) + (has_curve ? 1 : 0)) * value;
  }
  const double mean = sum / weight_sum;
  if (!resampling.limits_ringing) return mean;
  return weights == Weights::signed_ones ? limited(mean, taps, values, stride)
                                         : with_limits_error(mean, taps, values, stride);
}

// Rows first, then columns.
Plane resampled(const Plane& from, const Resampling& resampling, Weights weights) {
  const Size size = resampling.from, to = resampling.to;
  Plane between{.size = {to.width, size.height}, .values = {}};
  for (int y = 0; y < size.height; ++y)
    for (const Taps& taps : resampling.columns)
      between.values.push_back(
          weighted_mean(taps, weights, resampling, &from.values[size_t(y) * size_t(size.width)], 1));
  Plane result{.size = to, .values = {}};
  for (const Taps& taps : resampling.rows)
    for (int x = 0; x < to.width; ++x)
      result.values.push_back(weighted_mean(taps, weights, resampling, &between.values[size_t(x)], to.width));
  return result;
}

// --- the range of high dynamic range ----------------------------------------------------------------------------------

// The curve of OpenImageIO and Sony Pictures Imageworks: what it is up to 0.18, a logarithm above.
constexpr double knee = 0.18;
constexpr double a = -0.54576885700225830078, b = 0.18351669609546661377, c = 284.3577880859375;

double compressed(double x) {
  const double size = std::abs(x);
  return size <= knee || std::isnan(x) ? x : std::copysign(a + b * std::log(c * size + 1), x);
}

double expanded(double y) {
  const double size = std::abs(y);
  return size <= knee || std::isnan(y) ? y : std::copysign((std::exp((size - a) / b) - 1) / c, y);
}

// How steep the compression is at a number of this size or more.
double steepness(double size) { return size <= knee ? 1 : b * c / (c * size + 1); }

template <class Function>
Plane each(const Plane& from, const Function& function) {
  Plane to{.size = from.size, .values = std::vector<double>(from.values.size())};
  for (size_t index = 0; index < to.values.size(); ++index) to.values[index] = function(index);
  return to;
}

Plane compressed(const Plane& plane) {
  return each(plane, [&](size_t index) { return compressed(plane.values[index]); });
}

// What the logarithm and its argument are off by in float arithmetic, added to what `error` becomes.
Plane compressed_error(const Plane& from, const Plane& error) {
  return each(from, [&](size_t index) {
    const double size = std::abs(from.values[index]), off = error.values[index];
    const double own = size <= knee ? 0 : rounding(std::abs(compressed(size)) + 2 * std::abs(a), Depth::f32);
    return own + off * steepness(std::max(0.0, size - off));
  });
}

// Likewise for the exponential.
double expanded_error(double y, double error) {
  const double size = std::abs(y), result = expanded(size);
  if (!std::isfinite(result)) return INFINITY;
  const double own = size + error <= knee ? 0 : rounding((1 + (size - a) / b) * (result + 1 / c), Depth::f32);
  return own + expanded(size + error) - result;
}

// --- normal maps ------------------------------------------------------------------------------------------------------

// A mean shorter than this has no direction that means anything: it becomes the normal of a flat surface.
constexpr double least_length = 0x1p-10;

// A number as a file of integers would hold it; what is no number is 0.
double unit(double value) { return value > 0 ? std::min(value, 1.0) : 0; }

// The directions of a normal map, each as long as its alpha says where that is asked for.
Planes decoded(const Planes& from, Normals normals) {
  Planes to = from;
  for (size_t index = 0; index < from[0].values.size(); ++index) {
    const double length = normals == Normals::length_in_alpha ? unit(from[3].values[index]) : 1;
    for (size_t component = 0; component < 3; ++component)
      to[component].values[index] = length * (2 * unit(from[component].values[index]) - 1);
  }
  return to;
}

double length_at(const Planes& directions, size_t index) {
  return std::hypot(directions[0].values[index], directions[1].values[index], directions[2].values[index]);
}

Planes encoded(Planes directions, Normals normals) {
  constexpr std::array flat{0.5, 0.5, 1.0};
  for (size_t index = 0; index < directions[0].values.size(); ++index) {
    const double length = length_at(directions, index);
    for (size_t component = 0; component < 3; ++component) {
      double& value = directions[component].values[index];
      value = length < least_length ? flat[component] : 0.5 + 0.5 * value / length;
    }
    if (normals == Normals::length_in_alpha) directions[3].values[index] = std::min(1.0, length);
  }
  return directions;
}

// What `directions`, off by `error`, are off by when they are stored.
Planes encoded_error(const Planes& directions, Planes error, Normals normals, Depth depth) {
  for (size_t index = 0; index < directions[0].values.size(); ++index) {
    double off = 0;
    for (size_t component = 0; component < 3; ++component) off += error[component].values[index];
    const double least = length_at(directions, index) - off;
    // where the length may be none the direction may be any
    const double turned = least < least_length ? 1 : std::min(1.0, off / least);
    for (size_t component = 0; component < 3; ++component)
      error[component].values[index] = turned + rounding(1, Depth::f32) + rounding(1, depth);
    double& fourth = error[3].values[index];
    if (normals == Normals::length_in_alpha) fourth = off + rounding(1, Depth::f32) + rounding(1, depth);
    else fourth += rounding(std::abs(directions[3].values[index]), depth);
  }
  return error;
}

// --- a level ----------------------------------------------------------------------------------------------------------

// Calls made(component) for all four, on every core.
template <class Made>
Planes each_component(const Made& made) {
  Planes planes;
  parallel_ranges(4, 1, [&](int begin, int end) {
    for (auto component = size_t(begin); component < size_t(end); ++component) planes[component] = made(component);
  });
  return planes;
}

Planes resampled(const Planes& from, const Resampling& resampling, Weights weights) {
  return each_component([&](size_t component) { return resampled(from[component], resampling, weights); });
}

// What float arithmetic and the error of `from` add up to in the sums of both passes.
Planes error_of_sums(const Planes& from, const Planes& error, const Resampling& resampling) {
  // a pass an axis, and long sums lose more than short ones
  const double steps = 2 * (1 + double(std::max(resampling.columns[0].size(), resampling.rows[0].size())) / 64);
  return each_component([&](size_t component) {
    const Plane& values = from[component];
    const Plane sizes = each(values, [&](size_t index) { return std::abs(values.values[index]); });
    const Plane magnitude = resampled(sizes, resampling, Weights::with_rounding);
    const Plane carried = resampled(error[component], resampling, Weights::absolute);
    return each(carried, [&](size_t index) {
      return carried.values[index] + steps * rounding(magnitude.values[index], Depth::f32);
    });
  });
}

// The numbers that a filter's sums are made of: colors as they are or compressed, or directions.
Planes prepared(const Planes& from, const Filtering& filtering) {
  if (filtering.normals != Normals::none) return decoded(from, filtering.normals);
  if (!filtering.compresses) return from;
  return each_component(
      [&](size_t component) { return component < 3 ? compressed(from[component]) : from[component]; });
}

Planes prepared_error(const Planes& from, const Planes& error, const Filtering& filtering) {
  return each_component([&](size_t component) {
    if (component == 3 || (filtering.normals == Normals::none && !filtering.compresses)) return error[component];
    if (filtering.compresses) return compressed_error(from[component], error[component]);
    const bool has_length = filtering.normals == Normals::length_in_alpha;
    return each(error[component], [&](size_t index) {
      return 2 * error[component].values[index] + (has_length ? error[3].values[index] : 0) + rounding(1, Depth::f32);
    });
  });
}

}  // namespace

Planes filtered(const Planes& from, Size to, const Filtering& filtering) {
  const Resampling resampling = resampling_of(size_of(from), to, filtering);
  Planes result = resampled(prepared(from, filtering), resampling, Weights::signed_ones);
  if (filtering.normals != Normals::none) return encoded(std::move(result), filtering.normals);
  if (filtering.compresses)
    for (size_t component = 0; component < 3; ++component)
      for (double& value : result[component].values) value = expanded(value);
  return result;
}

Planes filtered_tolerance(const Planes& from, const Planes& error, Size to, const Filtering& filtering, Depth depth) {
  const Planes values = prepared(from, filtering);
  const Resampling resampling = resampling_of(size_of(from), to, filtering);
  const Planes off = error_of_sums(values, prepared_error(from, error, filtering), resampling);
  const Planes result = resampled(values, resampling, Weights::signed_ones);
  if (filtering.normals != Normals::none) return encoded_error(result, off, filtering.normals, depth);
  return each_component([&](size_t component) {
    const bool expands = filtering.compresses && component < 3;
    return each(result[component], [&](size_t index) {
      const double value = result[component].values[index], own = off[component].values[index];
      if (!expands) return own + rounding(std::abs(value), depth);
      return expanded_error(value, own) + rounding(std::abs(expanded(value)), depth);
    });
  });
}

}  // namespace gpupost
