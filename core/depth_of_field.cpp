#include "core/depth_of_field.h"

#include "core/point.h"
#include "core/threads.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gpupost {

double circle_of_confusion(const Lens& lens, double inverse_distance) {
  const double f = lens.focal_length;
  const double nearness = std::min(inverse_distance, 1 / f);
  return f * f / lens.f_stop * (nearness - 1 / lens.focus) / (1 - f / lens.focus);
}

double edge_of(const Aperture& aperture, double x, double y) {
  if (aperture.blades == 0 || (x == 0 && y == 0)) return 1;
  constexpr double pi = std::numbers::pi;
  const double n = aperture.blades;
  const double angle = std::atan2(y, x) - aperture.rotation * pi / 180;
  const double beside = angle - 2 * pi / n * std::floor((n * angle + pi) / (2 * pi));  // from the middle of a side
  return std::pow(std::cos(pi / n) / std::cos(beside), 1 - aperture.roundness);
}

double share_of_circle(const Aperture& aperture, double radius, double x, double y) {
  return std::clamp(radius * edge_of(aperture, x, y) + 0.5 - std::hypot(x, y), 0.0, 1.0);
}

std::vector<double> areas_of(const Aperture& aperture) {
  const int reach = aperture.max_radius + 1;
  std::vector<double> areas(size_t(areas_a_texel * aperture.max_radius + 2));
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x) {
      const double edge = edge_of(aperture, x, y), distance = std::hypot(x, y);
      const auto first = size_t(std::max(0.0, (distance - 0.5) / edge * areas_a_texel));
      for (size_t index = first; index < areas.size(); ++index)
        areas[index] += std::clamp(double(index) / areas_a_texel * edge + 0.5 - distance, 0.0, 1.0);
    }
  return areas;
}

double area_of(const std::vector<double>& areas, double radius) {
  const double place = radius * areas_a_texel;
  const auto index = std::min(size_t(place), areas.size() - 2);
  return std::lerp(areas[index], areas[index + 1], place - double(index));
}

double radius_of(const DepthOfField& field, double depth, int width) {
  const bool is_distance = depth > 0;
  const double nearness = !is_distance ? 0 : field.is_inverse ? depth / field.scale : 1 / (depth * field.scale);
  const double diameter = circle_of_confusion(field.lens, nearness) / field.lens.sensor_width * width;
  const double most = field.aperture.max_radius;
  return std::clamp(diameter / 2, -most, most);
}

namespace {

// Of an axis of radii: nearer than the focus, or beyond it, by a circle that is larger than a texel.
bool is_near(double radius) { return radius > 0.5; }
bool is_far(double radius) { return radius < -0.5; }

// So much of a near texel itself counts behind it, beside what is seen around it.
constexpr double own_share = 1.0 / 64;

bool is_finite(const Colour& c) {
  return std::ranges::all_of(c, [](double number) { return std::isfinite(number); });
}

// Everything that the texels of a picture have: their circles and how much of them each texel takes.
struct Circles {
  const Aperture& aperture;
  Size size;
  std::vector<double> radius, share;  // the share of its light that a texel in a circle gets
  std::vector<double> edges;          // by offset, rows of 2 reach + 1
  int reach = 0;

  double edge(int x, int y) const { return edges[size_t(y + reach) * size_t(2 * reach + 1) + size_t(x + reach)]; }
};

Circles circles_of(const Plane& depth, const DepthOfField& field) {
  Circles circles{.aperture = field.aperture, .size = depth.size, .radius = {}, .share = {}, .edges = {}, .reach = 0};
  const std::vector<double> areas = areas_of(field.aperture);
  double most = 0;
  for (const double number : depth.values) {
    const double radius = radius_of(field, number, depth.size.width);
    circles.radius.push_back(radius);
    circles.share.push_back(1 / area_of(areas, std::abs(radius)));
    most = std::max(most, std::abs(radius));
  }
  circles.reach = int(most + 0.5) + 1;
  for (int y = -circles.reach; y <= circles.reach; ++y)
    for (int x = -circles.reach; x <= circles.reach; ++x) circles.edges.push_back(edge_of(field.aperture, x, y));
  return circles;
}

// A sum of light and of what its parts count.
struct Sum {
  Colour light{};
  double weight = 0;

  void add(const Colour& c, double count) {
    for (size_t k = 0; k < 4; ++k) light[k] += count * c[k];
    weight += count;
  }
};

struct Fields {
  Sum near_field, far_field, behind;
};

// The fields at a texel. With `margin` a circle has all of each texel that it touches or nearly touches: what errors of
// radii move is in proportion to that.
Fields fields_at(const Planes& picture, const Circles& circles, Texel at, bool with_margin) {
  const auto index_of = [&](Texel texel) { return size_t(texel.y) * size_t(circles.size.width) + size_t(texel.x); };
  const double own = circles.radius[index_of(at)];
  const double own_part = circles.share[index_of(at)];
  Fields fields;
  const int reach = circles.reach;
  for (int y = std::max(-reach, -at.y); y <= std::min(reach, circles.size.height - 1 - at.y); ++y)
    for (int x = std::max(-reach, -at.x); x <= std::min(reach, circles.size.width - 1 - at.x); ++x) {
      const size_t index = index_of({at.x + x, at.y + y});
      const double radius = circles.radius[index], distance = std::hypot(x, y), edge = circles.edge(x, y);
      const auto share = [&](double of_radius) {
        const double inside = of_radius * edge + 0.5 - distance;
        return with_margin ? double(inside > -0.01) : std::clamp(inside, 0.0, 1.0);
      };
      const bool takes_part = is_near(radius) || is_near(own) || (is_far(radius) && is_far(own));
      if (!takes_part || (share(std::abs(radius)) == 0 && share(std::abs(own)) == 0)) continue;
      const Colour c = colour_at(picture, index);
      if (!is_finite(c)) continue;
      if (is_near(radius)) fields.near_field.add(c, share(radius) * circles.share[index]);
      else if (is_near(own)) fields.behind.add(c, share(own) * own_part);
      if (is_far(radius) && is_far(own)) {
        const double smaller = std::min(-radius, -own);
        fields.far_field.add(c, share(smaller) / ((smaller + 0.5) * (smaller + 0.5)));
      }
    }
  return fields;
}

// What is seen where nothing near covers it.
Colour behind_near(const Fields& fields, const Colour& own, double radius) {
  Colour behind = own;
  for (size_t k = 0; k < 4; ++k) {
    if (fields.far_field.weight > 0) behind[k] = fields.far_field.light[k] / fields.far_field.weight;
    if (is_near(radius)) behind[k] = (fields.behind.light[k] + own_share * own[k]) / (fields.behind.weight + own_share);
  }
  return behind;
}

Colour combined(const Fields& fields, const Colour& behind) {
  const double coverage = fields.near_field.weight;
  Colour sum = fields.near_field.light;
  for (size_t k = 0; k < 4; ++k) sum[k] = coverage >= 1 ? sum[k] / coverage : sum[k] + (1 - coverage) * behind[k];
  return sum;
}

Colour shown(const Fields& fields, const Colour& own, double radius, const DepthOfField& field) {
  const double most = field.aperture.max_radius, coverage = std::min(1.0, fields.near_field.weight);
  const Colour& near_light = fields.near_field.light;
  switch (field.show) {
    case Show::result: return combined(fields, behind_near(fields, own, radius));
    case Show::circles: return {std::max(0.0, radius) / most, std::max(0.0, -radius) / most, 0, 1};
    case Show::near_field: return {near_light[0], near_light[1], near_light[2], 1};
    case Show::far_field: {
      const Colour far_light = is_far(radius) ? behind_near(fields, own, radius) : Colour{};
      return {far_light[0], far_light[1], far_light[2], 1};
    }
    case Show::coverage: return {coverage, coverage, coverage, 1};
  }
  return own;
}

// Calls make(at, index) for each texel, on every core.
Planes made_of(Size size, const std::function<Colour(Texel at, size_t index)>& make) {
  return made_of_texels(size, [&](size_t index) {
    return make({int(index % size_t(size.width)), int(index / size_t(size.width))}, index);
  });
}

Planes absolute(Planes planes) {
  for (Plane& plane : planes)
    for (double& value : plane.values) value = std::abs(value);
  return planes;
}

}  // namespace

Planes through_lens(const Planes& picture, const Plane& depth, const DepthOfField& field) {
  const Circles circles = circles_of(depth, field);
  return made_of(depth.size, [&](Texel at, size_t index) {
    Colour own = colour_at(picture, index);
    if (!is_finite(own) && field.show == Show::result) return own;
    if (!is_finite(own)) own = {};  // what is no light has no place in a field
    return shown(fields_at(picture, circles, at, false), own, circles.radius[index], field);
  });
}

Planes through_lens_tolerance(const Planes& picture, const Planes& error, const Plane& depth, const DepthOfField& field,
                              Depth storage) {
  const Circles circles = circles_of(depth, field);
  const Planes magnitudes = absolute(picture);
  // a radius is a difference of inverse distances: it is off by a share of both
  const double far_limit =
      std::abs(circle_of_confusion(field.lens, 0)) / field.lens.sensor_width * depth.size.width / 2;
  const double fuzz = 0x1p-19 * (field.aperture.max_radius + far_limit + 1);
  return made_of(depth.size, [&](Texel at, size_t index) -> Colour {
    Colour own = colour_at(magnitudes, index), own_error = colour_at(error, index);
    if (!is_finite(own)) own = own_error = {};
    const double radius = circles.radius[index];
    const Fields fields = fields_at(magnitudes, circles, at, false), touched = fields_at(magnitudes, circles, at, true);
    const Fields off = fields_at(error, circles, at, false);
    const Colour made = shown(fields, own, radius, field);
    if (field.show == Show::circles || field.show == Show::coverage) {
      const double off_by = fuzz * (1 + touched.near_field.weight);
      return {rounding(made[0], storage) + off_by, rounding(made[1], storage) + off_by,
              rounding(made[2], storage) + off_by, rounding(1, storage)};
    }
    const Colour moved = shown(off, own_error, radius, field);
    const Colour behind = behind_near(fields, own, radius);
    const double behind_weight = fields.behind.weight + own_share;
    Colour sum;
    for (size_t k = 0; k < 4; ++k) {
      const double of_near = touched.near_field.light[k] + touched.near_field.weight * std::max(behind[k], made[k]);
      const double of_behind =
          is_near(radius) ? (touched.behind.light[k] + touched.behind.weight * behind[k]) / behind_weight : 0;
      const double of_far =
          fields.far_field.weight > 0
              ? (touched.far_field.light[k] + touched.far_field.weight * behind[k]) / fields.far_field.weight
              : 0;
      sum[k] = rounding(made[k], storage) + moved[k] + fuzz * (of_near + of_behind + of_far);
    }
    if (field.show != Show::result) sum[3] = rounding(1, storage);
    return sum;
  });
}

}  // namespace gpupost
