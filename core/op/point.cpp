#include "core/op/point.h"

#include "core/base/threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

Color yxy_of_rgb(const Color& rgb) {
  const auto [x, y, z] = product(xyz_of_rec709, Vector3{rgb[0], rgb[1], rgb[2]});
  const double sum = x + y + z;
  if (std::abs(sum) <= least_xyz_sum || std::isinf(sum)) return {y, rec709.white.x, rec709.white.y, rgb[3]};
  return {y, x / sum, y / sum, rgb[3]};
}

Color rgb_of_yxy(const Color& yxy) {
  if (std::isinf(yxy[0])) return {yxy[0], yxy[0], yxy[0], yxy[3]};
  const double sum = yxy[2] != 0 ? yxy[0] / yxy[2] : 0;
  const auto [red, green, blue] = product(rec709_of_xyz, Vector3{yxy[1] * sum, yxy[0], (1 - yxy[1] - yxy[2]) * sum});
  return {red, green, blue, yxy[3]};
}

Color yxy_without_negatives(const Color& yxy) {
  Color rgb = rgb_of_yxy(yxy);
  if (!std::any_of(rgb.begin(), rgb.begin() + 3, [](double number) { return number < 0; })) return yxy;
  for (size_t c = 0; c < 3; ++c) rgb[c] = std::max(rgb[c], 0.0);
  return yxy_of_rgb(rgb);
}

PointSpace space_of(const Call& call) {
  const Point& point = *call.op->point;
  return point.space_of ? point.space_of(call) : point.space;
}

double luminance_of(const Color& rgb) {
  return luminance_weights[0] * rgb[0] + luminance_weights[1] * rgb[1] + luminance_weights[2] * rgb[2];
}

Vector3 luminance_weights_of(const Call& call) {
  return call.primaries ? luminance_weights_of(*call.primaries) : luminance_weights;
}

std::vector<ShaderParam> luminance_fields(const Call& call) {
  const auto [red, green, blue] = luminance_weights_of(call);
  return {{.name = "red_weight", .value = red},
          {.name = "green_weight", .value = green},
          {.name = "blue_weight", .value = blue}};
}

bool is_transparent(double alpha) { return std::abs(alpha) < double(std::numeric_limits<float>::min()); }

double coverage_of(double alpha) { return is_transparent(alpha) ? 0 : std::isfinite(alpha) ? alpha : 1; }

// The factor of premultiplied color: alpha, or 1 if the color is not multiplied.
static double factor_of(const Color& c) { return is_transparent(c[3]) ? 1 : coverage_of(c[3]); }

Color unpremultiply(const Color& c) {
  const double factor = factor_of(c);
  return {c[0] / factor, c[1] / factor, c[2] / factor, c[3]};
}

Color premultiply(const Color& c) {
  const double factor = factor_of(c);
  return {c[0] * factor, c[1] * factor, c[2] * factor, c[3]};
}

namespace {

using Texel4 = std::function<Color(const Color&)>;

// Applies the op to a texel of premultiplied linear Rec. 709. Values that are too large for a float become infinite.
Texel4 on_working_color(const Call& call, const Planes& picture) {
  const Point& point = *call.op->point;
  return [&point, space = space_of(call), texel = point.texel(call, picture)](const Color& working) {
    Color c = working;
    const bool is_straight = point.alpha == PointAlpha::straight;
    if (is_straight) c = unpremultiply(c);
    c = space == PointSpace::yxy ? rgb_of_yxy(texel(yxy_of_rgb(c))) : texel(c);
    return as_floats(is_straight ? premultiply(c) : c);
  };
}

void raise_to_distance(const Color& found, const Color& made, Color& most) {
  for (size_t k = 0; k < 4; ++k)
    if (const double distance = std::abs(found[k] - made[k]); std::isfinite(distance))
      most[k] = std::max(most[k], distance);
}

// Change of the result if component `moved` of the input has the error `error`.
Color moved_by_one(const Texel4& texel, const Color& c, const Color& made, size_t moved, double error) {
  Color most{};
  for (const double sign : {-1.0, 1.0}) {
    Color beside = c;
    beside[moved] += sign * error;
    raise_to_distance(texel(beside), made, most);
  }
  return most;
}

}  // namespace

double as_float(double value) {
  const bool fits = !(std::abs(value) > double(std::numeric_limits<float>::max()));
  return fits ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
}

Color as_floats(Color c) {
  for (double& value : c) value = as_float(value);
  return c;
}

double signed_power(double value, double exponent, double scale) {
  const double power = scale * std::pow(std::abs(value), exponent);
  return std::copysign(std::isinf(value) ? power : std::min(power, 0x1p120), value);
}

Color color_at(const Planes& planes, size_t index) {
  return {planes[0].values[index], planes[1].values[index], planes[2].values[index], planes[3].values[index]};
}

Planes made_of_texels(Size size, const std::function<Color(size_t index)>& make) {
  Planes made;
  made.fill({.size = size, .values = std::vector<double>(texel_count(size))});
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    for (size_t index = size_t(begin) * size_t(size.width); index < size_t(end) * size_t(size.width); ++index) {
      const Color color = make(index);
      for (size_t c = 0; c < 4; ++c) made[c].values[index] = color[c];
    }
  });
  return made;
}

Color moved_by(const std::function<Color(const Color&)>& texel, const Color& c, const Color& error) {
  const Color made = texel(c);
  Color sum{};
  for (size_t moved = 0; moved < 4; ++moved) {
    if (error[moved] == 0) continue;
    const Color more = moved_by_one(texel, c, made, moved, error[moved]);
    for (size_t k = 0; k < 4; ++k) sum[k] += more[k];
  }
  if (c[3] == 0 || !(std::abs(c[3]) <= error[3])) return sum;
  // The device may have found an alpha of 0, where color is not divided by alpha: results jump there.
  const Color transparent{c[0], c[1], c[2], 0};
  Color jump{};
  raise_to_distance(texel(transparent), made, jump);
  const Color more = moved_by(texel, transparent, {error[0], error[1], error[2], 0});
  for (size_t k = 0; k < 4; ++k) sum[k] += jump[k] + more[k];
  return sum;
}

Color point_error(const Call& call, const Color& c, const Color& made, Depth depth) {
  const Point& point = *call.op->point;
  double largest = 0;
  for (size_t k = 0; k < 3; ++k)
    if (std::isfinite(made[k])) largest = std::max(largest, std::abs(made[k]));
    else if (std::isfinite(c[k])) largest = std::numeric_limits<float>::max();  // it overflowed
  const double fuzz =
      point.relative_error * largest + point.absolute_error * (std::isfinite(c[3]) ? std::max(1.0, std::abs(c[3])) : 1);
  Color sum;
  for (size_t k = 0; k < 4; ++k) sum[k] = rounding(std::abs(made[k]), depth) + (k < 3 ? fuzz : 0);
  return sum;
}

Color error_in_space(const Call& call, const Color& c, Color error) {
  for (size_t k = 0; k < 3; ++k)
    if (c[k] != 0 && std::abs(c[k]) < 0x1p-126)
      error[k] += 0x1p-126;  // denormals may become 0, and in powers up to 2^-126
  if (space_of(call) == PointSpace::rgb && !call.op->needs(call).primaries) return error;
  const double largest = std::max({std::abs(c[0]), std::abs(c[1]), std::abs(c[2])});
  for (size_t k = 0; k < 3; ++k) error[k] += 0x1p-22 * largest;
  return error;
}

std::vector<Planes> point_reference(const Call& call, Planes base) {
  const Texel4 texel = on_working_color(call, base);
  return {made_of_texels(size_of(base), [&](size_t index) { return texel(color_at(base, index)); })};
}

// The picture with all texels brighter or darker by their errors, but darker by no more than half.
static Planes moved_picture(Planes picture, const Planes& error, double sign) {
  for (size_t k = 0; k < 4; ++k)
    for (size_t index = 0; index < picture[k].values.size(); ++index) {
      double& value = picture[k].values[index];
      value += sign * std::min(error[k].values[index], 0.5 * std::abs(value));
    }
  return picture;
}

std::vector<Planes> point_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Texel4 texel = on_working_color(call, base);
  // errors of the texels change what an op measures of the whole picture
  std::vector<Texel4> moved_texels;
  if (footprint_of(call, size_of(base)).measure)
    for (const double sign : {-1.0, 1.0})
      moved_texels.push_back(on_working_color(call, moved_picture(base, error, sign)));
  return {made_of_texels(size_of(base), [&](size_t index) {
    const Color c = color_at(base, index), made = texel(c);
    Color sum = point_error(call, c, made, depth);
    const Color more = moved_by(texel, c, error_in_space(call, c, color_at(error, index)));
    Color by_measures{};
    for (const Texel4& moved_texel : moved_texels) raise_to_distance(moved_texel(c), made, by_measures);
    for (size_t k = 0; k < 4; ++k) sum[k] += more[k] + by_measures[k];
    return sum;
  })};
}

std::vector<Planes> luminance_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  Planes off = error;
  for (size_t index = 0; index < off[0].values.size(); ++index) {
    const Color c = color_at(base, index);
    const double largest = std::max({std::abs(c[0]), std::abs(c[1]), std::abs(c[2])});
    if (!std::isfinite(largest)) continue;
    for (size_t k = 0; k < 3; ++k) off[k].values[index] += 0x1p-21 * largest;
  }
  return point_tolerance(call, base, off, depth);
}

Op point_op(Op row) {
  if (!row.reference.levels && row.point->texel) row.reference.levels = point_reference;
  if (row.reference.tolerance == tolerance_of_means) row.reference.tolerance = point_tolerance;
  return row;
}

}  // namespace gpupost
