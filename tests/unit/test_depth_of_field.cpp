// Depth of field by its definition, against the numbers of the thin lens and on points and edges of light.
#include "core/ops/dof/reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Planes black(Size size) {
  Planes planes;
  planes.fill({.size = size, .values = std::vector<double>(texel_count(size))});
  planes[3].values.assign(texel_count(size), 1);
  return planes;
}

Plane flat(Size size, double distance) {
  return {.size = size, .values = std::vector<double>(texel_count(size), distance)};
}

size_t index_of(Size size, int x, int y) { return size_t(y) * size_t(size.width) + size_t(x); }

double sum_of(const Plane& plane) {
  double sum = 0;
  for (const double value : plane.values) sum += value;
  return sum;
}

// Columns from the first to the last that has at least half of the largest number.
int width_of(const Plane& plane) {
  const double most = *std::ranges::max_element(plane.values);
  int first = plane.size.width, last = -1;
  for (int y = 0; y < plane.size.height; ++y)
    for (int x = 0; x < plane.size.width; ++x)
      if (plane.values[index_of(plane.size, x, y)] >= most / 2) first = std::min(first, x), last = std::max(last, x);
  return last - first + 1;
}

// A lens whose circles have a radius of 60 texels at a nearness of 1 / m, on a picture that is 101 wide.
DepthOfField field_of_60() {
  DepthOfField field;
  field.lens = {.f_stop = 1, .focal_length = 1e-3, .focus = 2, .sensor_width = 0};
  field.lens.sensor_width = 1e-6 / (1 - 1e-3 / 2) * 101 / (2 * 60);
  return field;
}

}  // namespace

TEST_CASE("circles of confusion are those of the thin lens, and so are their radii in texels") {
  const Lens lens{.f_stop = 2.8, .focal_length = 0.05, .focus = 2, .sensor_width = 0.036};
  struct Expected {
    double distance, millimeters, texels;
  };
  for (const auto& [distance, millimeters, texels] :
       {Expected{.5, 1.373626, 73.260}, Expected{1, .457875, 24.420}, Expected{1.5, .152625, 8.140}, Expected{2, 0, 0},
        Expected{3, -.152625, -8.140}, Expected{4, -.228938, -12.210}, Expected{10, -.366300, -19.536},
        Expected{100, -.448718, -23.932}, Expected{infinity, -.457875, -24.420}}) {
    CHECK(std::abs(circle_of_confusion(lens, 1 / distance) * 1000 - millimeters) < 1e-6);
    const DepthOfField field{.lens = lens, .aperture = {.max_radius = 64}};
    CHECK(std::abs(2 * radius_of(field, distance, 1920) - texels) < 1e-3);
  }
}

TEST_CASE("depths are taken in their unit, inverse ones too, and holes are infinitely far") {
  DepthOfField field{.lens = {}, .aperture = {.max_radius = 64}};
  const double at_three = radius_of(field, 3, 1920), at_infinity = radius_of(field, infinity, 1920);
  field.scale = 0.01;
  CHECK(std::abs(radius_of(field, 300, 1920) - at_three) < 1e-9);
  field.is_inverse = true;
  field.scale = 1;
  CHECK(std::abs(radius_of(field, 1.0 / 3, 1920) - at_three) < 1e-9);
  for (const double hole : {0.0, -1.0, double(NAN)}) CHECK(radius_of(field, hole, 1920) == at_infinity);
  field.is_inverse = false;
  for (const double hole : {0.0, -1.0, double(NAN)}) CHECK(radius_of(field, hole, 1920) == at_infinity);
  CHECK(radius_of(field, 1e-6, 1920) == 64);
}

TEST_CASE("an aperture of n blades has n corners at its radius and n sides at cos(pi / n) of it") {
  const double pi = std::acos(-1.0);
  for (const int blades : {3, 5, 6, 8}) {
    const Aperture aperture{.blades = blades, .rotation = 10};
    for (int corner = 0; corner < blades; ++corner) {
      const double side = pi / 18 + 2 * pi * corner / blades, angle = side + pi / blades;
      CHECK(std::abs(edge_of(aperture, std::cos(angle), std::sin(angle)) - 1) < 1e-9);
      CHECK(std::abs(edge_of(aperture, std::cos(side), std::sin(side)) - std::cos(pi / blades)) < 1e-9);
    }
  }
  CHECK(edge_of({.blades = 5, .roundness = 1}, 0.3, 0.9) == 1);
  CHECK(edge_of({.blades = 0}, 0.3, 0.9) == 1);
}

TEST_CASE("a point of light becomes a circle of the right diameter and keeps its energy, before and behind the focus") {
  const Size size{101, 101};
  for (const int blades : {0, 6}) {
    DepthOfField field = field_of_60();
    field.aperture = {.blades = blades, .rotation = 30, .max_radius = 40};  // corners to the left and right
    for (const double distance : {1.5, 1.9, 2.0, 2.3, 4.0}) {
      Planes picture = black(size);
      picture[0].values[index_of(size, 50, 50)] = 1000;
      const Planes made = through_lens(picture, flat(size, distance), field);
      const double diameter = 2 * std::abs(radius_of(field, distance, size.width));
      CHECK(std::abs(diameter - 120 * std::abs(1 / distance - 0.5)) < 1e-9);
      CHECK_MESSAGE(std::abs(width_of(made[0]) - std::max(1.0, diameter)) <= 1, distance, " m, ", blades, " blades");
      CHECK_MESSAGE(std::abs(sum_of(made[0]) - 1000) < 10, distance, " m, ", blades, " blades");
      CHECK(std::abs(made[3].values[index_of(size, 50, 50)] - 1) < 0.01);
    }
  }
}

TEST_CASE("what is near runs over a sharp edge and shows what is behind it; an edge in focus does not bleed") {
  const Size size{61, 21};
  DepthOfField field = field_of_60();
  // white at the left; only its distance and that of the black beside it differ
  Planes picture = black(size);
  Plane depth = flat(size, 2);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < 30; ++x) {
      picture[0].values[index_of(size, x, y)] = 1;
      depth.values[index_of(size, x, y)] = 1.6;
    }
  const double radius = radius_of(field, 1.6, size.width);
  REQUIRE(radius > 4);
  const Planes near_white = through_lens(picture, depth, field);
  const auto red_at = [&](const Planes& planes, int x) { return planes[0].values[index_of(size, x, 10)]; };
  CHECK(red_at(near_white, 30) > 0.3);
  CHECK(red_at(near_white, 30) < 0.55);
  CHECK(red_at(near_white, 29) < 0.7);  // and black shows through the edge of the white
  CHECK(red_at(near_white, 30 + int(radius) + 2) == 0);
  CHECK(std::abs(red_at(near_white, 29 - int(radius) - 2) - 1) < 1e-3);

  // the black in focus, the white behind it
  for (double& distance : depth.values) distance = distance == 1.6 ? 4 : 2;
  REQUIRE(radius_of(field, 4, size.width) < -4);
  const Planes far_white = through_lens(picture, depth, field);
  for (int x = 30; x < size.width; ++x) CHECK(red_at(far_white, x) == 0);
  for (int x = 0; x < 30; ++x) CHECK(std::abs(red_at(far_white, x) - 1) < 1e-9);

  // the white in focus, the black behind it
  for (double& distance : depth.values) distance = distance == 4 ? 2 : 4;
  const Planes sharp_white = through_lens(picture, depth, field);
  for (int x = 0; x < size.width; ++x) CHECK(red_at(sharp_white, x) == (x < 30 ? 1 : 0));
}

TEST_CASE("light that is no number or infinite stays where it is") {
  const Size size{31, 31};
  Planes picture = black(size);
  picture[0].values[index_of(size, 15, 15)] = NAN;
  picture[1].values[index_of(size, 16, 15)] = infinity;
  for (const double distance : {1.7, 2.0, 4.0}) {
    const Planes made = through_lens(picture, flat(size, distance), field_of_60());
    int odd_count = 0;
    for (size_t c = 0; c < 4; ++c)
      for (const double value : made[c].values) odd_count += !std::isfinite(value);
    CHECK(odd_count == 2);
    CHECK(std::isnan(made[0].values[index_of(size, 15, 15)]));
    CHECK(std::isinf(made[1].values[index_of(size, 16, 15)]));
  }
}

TEST_CASE("at the picture's border what is near is as blurred as within it") {
  const Size size{41, 41};
  const DepthOfField field = field_of_60();
  for (const Position at : {Position{0, 0}, Position{20, 0}, Position{20, 20}}) {
    Planes picture = black(size);
    picture[0].values[index_of(size, at.x, at.y)] = 1;
    const Plane depth = flat(size, 1.3);
    const double radius = radius_of(field, 1.3, size.width);
    REQUIRE(radius > 5);
    const double found = through_lens(picture, depth, field)[0].values[index_of(size, at.x, at.y)];
    const double all_of_circle = 1 / (3.14159 * radius * radius);
    CHECK(found > 0.9 * all_of_circle);
    CHECK(found < 5 * all_of_circle);  // a quarter of the circle lies in the corner
  }
}

TEST_CASE("a near point of light over a ground in focus keeps its energy too") {
  const Size size{61, 61};
  Planes picture = black(size);
  Plane depth = flat(size, 2);
  picture[0].values[index_of(size, 30, 30)] = 1000;
  depth.values[index_of(size, 30, 30)] = 1.6;
  CHECK(std::abs(sum_of(through_lens(picture, depth, field_of_60())[0]) - 1000) < 10);
}
