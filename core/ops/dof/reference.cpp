#include "core/ops/dof/reference.h"

#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/op/point.h"

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

int frame_width(const DepthOfField& field, int width) { return field.frame_width > 0 ? field.frame_width : width; }

double radius_of(const DepthOfField& field, double depth, int width) {
  const bool is_distance = depth > 0;
  const double nearness = !is_distance ? 0 : field.is_inverse ? depth / field.scale : 1 / (depth * field.scale);
  const double diameter = circle_of_confusion(field.lens, nearness) / field.lens.sensor_width * width;
  const double most = field.aperture.max_radius;
  return std::clamp(diameter / 2, -most, most);
}

namespace {

// So much of the near field counts behind a texel of it, beside what is seen around: where that is nothing, as within a large
// thing and at the picture's border, the near field is all that there is.
constexpr double near_share = 1.0 / 1024;

bool is_finite(const Color& c) {
  return std::ranges::all_of(c, [](double number) { return std::isfinite(number); });
}

// A circle's radius and the share of its light that a texel in it gets. `most_share`: without what part_in_half() leaves out.
struct Circle {
  double radius = 0, share = 1, most_share = 1;
};

// How far a texel is away, and where the aperture's edge is on the way.
struct Offset {
  double distance = 0, edge = 1;
};

// Texels and their circles; those of a circle of more than `least` are of a field.
struct View {
  Size size;
  std::vector<Circle> circles;
  double least = 0.5;
  int reach = 0;                // of the largest circle
  std::vector<Offset> offsets;  // rows of 2 reach + 1

  bool is_near(double radius) const { return radius > least; }
  bool is_far(double radius) const { return radius < -least; }
  const Offset& offset(int x, int y) const {
    return offsets[size_t(y + reach) * size_t(2 * reach + 1) + size_t(x + reach)];
  }
  size_t index_of(Position at) const { return size_t(at.y) * size_t(size.width) + size_t(at.x); }
};

void set_reach(View& view, const Aperture& aperture) {
  double most = 0;
  for (const Circle& circle : view.circles) most = std::max(most, std::abs(circle.radius));
  view.reach = int(most + 0.5) + 1;
  for (int y = -view.reach; y <= view.reach; ++y)
    for (int x = -view.reach; x <= view.reach; ++x) view.offsets.push_back({std::hypot(x, y), edge_of(aperture, x, y)});
}

View view_of(const Plane& depth, const DepthOfField& field) {
  View view{.size = depth.size, .circles = {}, .offsets = {}};
  const std::vector<double> areas = areas_of(field.aperture);
  for (const double number : depth.values) {
    const double radius = radius_of(field, number, frame_width(field, depth.size.width));
    const double share = 1 / area_of(areas, std::abs(radius));
    view.circles.push_back({radius, share, share});
  }
  set_reach(view, field.aperture);
  return view;
}

// --- texels of twice the side ---------------------------------------------------------------------------------------

// How much a texel takes part in a field of texels of twice the side: a circle that is hardly larger than a texel stays sharp.
double part_in_half(double radius) { return std::clamp(std::abs(radius) - 0.5, 0.0, 1.0); }

// The texels of 2x2 that stand for them: the near ones, where there are none those beyond the focus, else all.
std::vector<size_t> standing_for(const View& view, Position at) {
  std::vector<size_t> near_ones, far_ones, all;
  for (int y = 2 * at.y; y < std::min(2 * at.y + 2, view.size.height); ++y)
    for (int x = 2 * at.x; x < std::min(2 * at.x + 2, view.size.width); ++x) {
      const size_t index = view.index_of({x, y});
      all.push_back(index);
      if (view.is_near(view.circles[index].radius)) near_ones.push_back(index);
      if (view.is_far(view.circles[index].radius)) far_ones.push_back(index);
    }
  return !near_ones.empty() ? near_ones : !far_ones.empty() ? far_ones : all;
}

Size half_of(Size size) { return {div_ceil(size.width, 2), div_ceil(size.height, 2)}; }

View half_view_of(const View& view, const DepthOfField& field) {
  View half{.size = half_of(view.size), .circles = {}, .least = 0, .offsets = {}};
  const std::vector<double> areas = areas_of(field.aperture);
  for (int y = 0; y < half.size.height; ++y)
    for (int x = 0; x < half.size.width; ++x) {
      const std::vector<size_t> texels = standing_for(view, {x, y});
      double radius = 0;
      for (const size_t index : texels) radius += view.circles[index].radius / double(texels.size());
      const bool is_sharp = std::abs(view.circles[texels.front()].radius) <= view.least;
      const double share = 1 / area_of(areas, std::abs(radius) / 2);
      half.circles.push_back(is_sharp ? Circle{} : Circle{radius / 2, part_in_half(radius) * share, share});
    }
  set_reach(half, field.aperture);
  return half;
}

// The means of what stands for 2x2 texels; not-a-number where all of that is no light.
Planes halved(const Planes& picture, const View& view) {
  const Size size = half_of(view.size);
  return made_of_texels(size, [&](size_t index) {
    Color sum{};
    int count = 0;
    for (const size_t texel : standing_for(view, {int(index) % size.width, int(index) / size.width})) {
      const Color c = color_at(picture, texel);
      if (!is_finite(c)) continue;
      ++count;
      for (size_t k = 0; k < 4; ++k) sum[k] += c[k];
    }
    for (double& number : sum) number /= count;
    return sum;
  });
}

// --- fields ---------------------------------------------------------------------------------------------------------

// A sum of light and of what its parts count.
struct Sum {
  Color light{};
  double weight = 0;

  void add(const Color& c, double count) {
    for (size_t k = 0; k < 4; ++k) light[k] += count * c[k];
    weight += count;
  }
};

struct Fields {
  Sum near_field, far_field, behind;
};

// The fields at a texel. With `margin` a circle has all of each texel that it touches or nearly touches, and its largest share: what
// errors of radii move is in proportion to that.
Fields fields_at(const Planes& picture, const View& view, Position at, bool with_margin) {
  const Circle own = view.circles[view.index_of(at)];
  Fields fields;
  const int reach = view.reach;
  for (int y = std::max(-reach, -at.y); y <= std::min(reach, view.size.height - 1 - at.y); ++y)
    for (int x = std::max(-reach, -at.x); x <= std::min(reach, view.size.width - 1 - at.x); ++x) {
      const size_t index = view.index_of({at.x + x, at.y + y});
      const Circle circle = view.circles[index];
      const auto [distance, edge] = view.offset(x, y);
      if (distance > std::max(std::abs(circle.radius), std::abs(own.radius)) + 0.52) continue;
      const auto share = [&, away = distance, to_edge = edge](double radius) {
        const double inside = radius * to_edge + 0.5 - away;
        return with_margin ? double(inside > -0.01) : std::clamp(inside, 0.0, 1.0);
      };
      const bool are_far = view.is_far(circle.radius) && view.is_far(own.radius);
      const bool takes_part = view.is_near(circle.radius) || view.is_near(own.radius) || are_far;
      if (!takes_part || (share(std::abs(circle.radius)) == 0 && share(std::abs(own.radius)) == 0)) continue;
      const Color c = color_at(picture, index);
      if (!is_finite(c)) continue;
      const auto whole = [&](const Circle& of) { return with_margin ? of.most_share : of.share; };
      if (view.is_near(circle.radius)) fields.near_field.add(c, share(circle.radius) * whole(circle));
      else if (view.is_near(own.radius)) fields.behind.add(c, share(own.radius) * whole(own));
      if (are_far) {
        const double smaller = std::min(-circle.radius, -own.radius);
        fields.far_field.add(c, share(smaller) / ((smaller + 0.5) * (smaller + 0.5)));
      }
    }
  return fields;
}

// What is seen where nothing near covers it.
Color behind_near(const Fields& fields, const Color& own, bool is_near) {
  Color behind = own;
  const Sum& near_field = fields.near_field;
  for (size_t k = 0; k < 4; ++k) {
    const double near_mean = near_field.weight > 0 ? near_field.light[k] / near_field.weight : own[k];
    if (fields.far_field.weight > 0) behind[k] = fields.far_field.light[k] / fields.far_field.weight;
    if (is_near) behind[k] = (fields.behind.light[k] + near_share * near_mean) / (fields.behind.weight + near_share);
  }
  return behind;
}

// What is made of a texel's surroundings: of the near field its light and how much it covers, and what is behind it.
struct Layers {
  Color near_light{}, behind{};
  double coverage = 0;
};

Layers layers_at(const Planes& picture, const View& view, Position at) {
  const size_t index = view.index_of(at);
  const Fields fields = fields_at(picture, view, at, false);
  const Color own = color_at(picture, index);
  return {.near_light = fields.near_field.light,
          .behind = behind_near(fields, is_finite(own) ? own : Color{}, view.is_near(view.circles[index].radius)),
          .coverage = fields.near_field.weight};
}

// What errors of radii may move in them: numbers of the picture are its magnitudes.
Layers moved_by_radii(const Planes& magnitudes, const View& view, Position at, double error) {
  const size_t index = view.index_of(at);
  const Fields fields = fields_at(magnitudes, view, at, false), touched = fields_at(magnitudes, view, at, true);
  const bool is_near = view.is_near(view.circles[index].radius);
  const Color own = color_at(magnitudes, index);
  const Color behind = behind_near(fields, is_finite(own) ? own : Color{}, is_near);
  Layers moved{.coverage = error * touched.near_field.weight};
  for (size_t k = 0; k < 4; ++k) {
    moved.near_light[k] = error * touched.near_field.light[k];
    const double near_weight = fields.near_field.weight;
    const double of_near_mean =
        near_weight > 0
            ? near_share * (touched.near_field.light[k] / near_weight +
                            touched.near_field.weight * fields.near_field.light[k] / (near_weight * near_weight))
            : 0;
    if (is_near)
      moved.behind[k] = error * (touched.behind.light[k] + touched.behind.weight * behind[k] + of_near_mean) /
                        (fields.behind.weight + near_share);
    else if (fields.far_field.weight > 0)
      moved.behind[k] =
          error * (touched.far_field.light[k] + touched.far_field.weight * behind[k]) / fields.far_field.weight;
  }
  return moved;
}

// --- the picture of both --------------------------------------------------------------------------------------------

// Layers of texels of twice the side at a texel: of the four around it those that count, by bilinear shares. What is behind
// comes from texels that lie on the same side of the focus, of which a sharp one takes none.
Layers between(const std::vector<Layers>& layers, const View& half, Position at, double radius, const Color& own) {
  const auto places = [](int x, int side) {
    const int nearer = x / 2, other = x % 2 == 0 ? nearer - 1 : nearer + 1;
    return std::array{nearer, std::clamp(other, 0, side - 1)};
  };
  const auto columns = places(at.x, half.size.width), rows = places(at.y, half.size.height);
  Layers sum;
  Sum behind;
  for (size_t j = 0; j < 2; ++j)
    for (size_t i = 0; i < 2; ++i) {
      const size_t index = half.index_of({columns[i], rows[j]});
      const double share = (i == 0 ? 0.75 : 0.25) * (j == 0 ? 0.75 : 0.25);
      const Layers& there = layers[index];
      for (size_t k = 0; k < 4; ++k) sum.near_light[k] += share * there.near_light[k];
      sum.coverage += share * there.coverage;
      if (half.circles[index].radius * radius > 0) behind.add(there.behind, share);
    }
  const double part = behind.weight > 0 ? part_in_half(radius) : 0;
  for (size_t k = 0; k < 4; ++k)
    sum.behind[k] = part > 0 ? (1 - part) * own[k] + part * behind.light[k] / behind.weight : own[k];
  return sum;
}

Color shown(const Layers& layers, double radius, const DepthOfField& field) {
  const double most = field.aperture.max_radius, coverage = std::min(1.0, layers.coverage);
  const auto& [near_light, behind, _] = layers;
  switch (field.show) {
    case Show::result: {
      Color sum;
      for (size_t k = 0; k < 4; ++k)
        sum[k] =
            layers.coverage >= 1 ? near_light[k] / layers.coverage : near_light[k] + (1 - layers.coverage) * behind[k];
      return sum;
    }
    case Show::circles: return {std::max(0.0, radius) / most, std::max(0.0, -radius) / most, 0, 1};
    case Show::near_field: return {near_light[0], near_light[1], near_light[2], 1};
    case Show::far_field: return radius < -0.5 ? Color{behind[0], behind[1], behind[2], 1} : Color{0, 0, 0, 1};
    case Show::coverage: return {coverage, coverage, coverage, 1};
  }
  return {};
}

Position texel_of(size_t index, Size size) {
  return {int(index % size_t(size.width)), int(index / size_t(size.width))};
}

std::vector<Layers> all_layers(Size size, const std::function<Layers(Position)>& make) {
  std::vector<Layers> layers(texel_count(size));
  parallel_ranges(size.height, 4, [&](int begin, int end) {
    for (size_t index = size_t(begin) * size_t(size.width); index < size_t(end) * size_t(size.width); ++index)
      layers[index] = make(texel_of(index, size));
  });
  return layers;
}

}  // namespace

Planes through_lens(const Planes& picture, const Plane& depth, const DepthOfField& field) {
  const View view = view_of(depth, field);
  const View half = field.is_half ? half_view_of(view, field) : View{};
  const Planes half_picture = field.is_half ? halved(picture, view) : Planes{};
  const std::vector<Layers> half_layers =
      all_layers(half.size, [&](Position at) { return layers_at(half_picture, half, at); });
  return made_of_texels(view.size, [&](size_t index) {
    const Position at = texel_of(index, view.size);
    const double radius = view.circles[index].radius;
    const Color own = color_at(picture, index);
    if (!is_finite(own) && field.show == Show::result) return own;
    if (!field.is_half) return shown(layers_at(picture, view, at), radius, field);
    return shown(between(half_layers, half, at, radius, is_finite(own) ? own : Color{}), radius, field);
  });
}

Planes through_lens_tolerance(const Planes& picture, const Planes& error, const Plane& depth, const DepthOfField& field,
                              Depth storage) {
  const View view = view_of(depth, field);
  const View half = field.is_half ? half_view_of(view, field) : View{};
  const Planes magnitudes = absolute(picture);
  const Planes half_magnitudes = field.is_half ? halved(magnitudes, view) : Planes{};
  const Planes half_error = field.is_half ? halved(error, view) : Planes{};
  // a radius is a difference of inverse distances: it is off by a share of both
  const double far_limit =
      std::abs(circle_of_confusion(field.lens, 0)) / field.lens.sensor_width * frame_width(field, depth.size.width) / 2;
  const double of_radii = 0x1p-19 * (field.aperture.max_radius + far_limit + 1);
  // sums are of a sixteenth of each number, and devices may take what is then below the smallest normal float for 0
  const double flushed = 16 * 0x1p-126 * (2 * view.reach + 1) * (2 * view.reach + 1);
  const auto layers_of = [](const Planes& planes, const View& of) {
    return all_layers(of.size, [&](Position at) { return layers_at(planes, of, at); });
  };
  const std::vector<Layers> half_made = layers_of(half_magnitudes, half), half_off = layers_of(half_error, half);
  const std::vector<Layers> half_moved =
      all_layers(half.size, [&](Position at) { return moved_by_radii(half_magnitudes, half, at, of_radii); });
  return made_of_texels(view.size, [&](size_t index) -> Color {
    if (!is_finite(color_at(picture, index)) && field.show == Show::result) return color_at(error, index);  // stays
    const Position at = texel_of(index, view.size);
    const double radius = view.circles[index].radius;
    const auto finite = [](const Color& c) { return is_finite(c) ? c : Color{}; };
    const auto at_texel = [&](const std::vector<Layers>& layers, const Color& sharp, const auto& of_full) {
      return field.is_half ? between(layers, half, at, radius, sharp) : of_full();
    };
    const Color own = finite(color_at(magnitudes, index));
    const Layers made = at_texel(half_made, own, [&] { return layers_at(magnitudes, view, at); });
    const Layers off = at_texel(half_off, finite(color_at(error, index)), [&] { return layers_at(error, view, at); });
    const Layers moved = at_texel(half_moved, Color{}, [&] { return moved_by_radii(magnitudes, view, at, of_radii); });
    const Color result = shown(made, radius, field);
    // the radius also decides which part of the result comes from half the sides
    const bool is_of_both = field.is_half && std::abs(std::abs(radius) - 1) < 0.5 + of_radii;
    const Layers of_half = is_of_both ? between(half_made, half, at, std::copysign(2, radius), own) : Layers{};
    Color sum;
    for (size_t k = 0; k < 4; ++k) {
      const double of_part = is_of_both ? of_radii * (own[k] + of_half.behind[k]) : 0;
      const double of_coverage = moved.coverage * std::max(made.behind[k], result[k]);
      // the picture of half the sides and its layers are stored on the way, and summed up as floats
      const double parts = made.near_light[k] + made.behind[k];
      const double stored = field.is_half ? 3 * rounding(parts, storage) + 5 * rounding(parts, Depth::f32) : 0;
      sum[k] = rounding(result[k], storage) + off.near_light[k] + off.behind[k] + moved.near_light[k] +
               moved.behind[k] + of_part + of_coverage + stored + flushed;
      if (field.show == Show::circles || field.show == Show::coverage)
        sum[k] = rounding(result[k], storage) + of_radii + moved.coverage;
    }
    if (field.show != Show::result) sum[3] = rounding(1, storage);
    return sum;
  });
}

}  // namespace gpupost
