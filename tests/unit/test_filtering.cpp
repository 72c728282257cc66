// Properties of filters that hold whatever their curves are.
#include "core/reference/filter.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpupost;

namespace {

constexpr Filter filters[] = {Filter::box, Filter::triangle, Filter::kaiser, Filter::mitchell, Filter::lanczos3};
constexpr Border borders[] = {Border::clamp, Border::repeat, Border::mirror};

// Four components of one function of the place.
template <class Value>
Planes planes(Size size, const Value& value) {
  Planes made;
  for (Plane& plane : made) {
    plane.size = size;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) plane.values.push_back(value(x, y));
  }
  return made;
}

double at(const Planes& planes, int component, int x, int y) {
  const Plane& plane = planes[size_t(component)];
  return plane.values[size_t(y) * size_t(plane.size.width) + size_t(x)];
}

}  // namespace

TEST_CASE("a constant stays the constant in any size, with any filter and border, compressed or not") {
  for (const Filter filter : filters)
    for (const Border border : borders)
      for (const bool compresses : {false, true})
        for (const Size to : {Size{1, 1}, Size{7, 40}, Size{64, 3}, Size{19, 11}}) {
          const Planes made =
              filtered(planes({19, 11}, [](int, int) { return 3.5; }), to, {filter, border, compresses});
          for (const double value : made[0].values) CHECK(value == doctest::Approx(3.5).epsilon(1e-12));
        }
}

TEST_CASE("a picture in its own size is itself, but for mitchell, which blurs by 1/18 of each neighbor") {
  const auto ramp = [](int x, int y) { return x * x + 3.0 * y; };
  for (const Filter filter : filters) {
    const Planes made = filtered(planes({9, 5}, ramp), {9, 5}, {filter});
    const double expected = filter == Filter::mitchell ? ramp(4, 2) + 2.0 / 18 : ramp(4, 2);
    CHECK(at(made, 1, 4, 2) == doctest::Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("the box is the mean over the area, the triangle interpolates between the middles") {
  const auto ramp = [](int x, int) { return double(x); };
  const Planes third = filtered(planes({5, 1}, ramp), {2, 1}, {Filter::box});
  CHECK(at(third, 0, 0, 0) == doctest::Approx((0 + 1 + 0.5 * 2) / 2.5));
  const Planes twice = filtered(planes({4, 1}, ramp), {8, 1}, {Filter::triangle});
  for (const int x : {1, 2, 3, 4, 5, 6}) CHECK(at(twice, 0, x, 0) == doctest::Approx((x + 0.5) / 2 - 0.5));
}

TEST_CASE("beyond the border lies what was asked for") {
  const auto step = [](int x, int) { return x < 4 ? 1.0 : 0.0; };  // 1 1 1 1 0 0 0 0
  const auto left = [&](Border border) {
    return at(filtered(planes({8, 1}, step), {16, 1}, {Filter::triangle, border}), 0, 0, 0);
  };
  CHECK(left(Border::clamp) == doctest::Approx(1));
  CHECK(left(Border::mirror) == doctest::Approx(1));
  CHECK(left(Border::repeat) == doctest::Approx(0.75));
}

TEST_CASE("compressed before the filter a bright point leaves no rings below the ground") {
  const auto point = [](int x, int y) { return x == 15 && y == 15 ? 1000.0 : 0.1; };
  const auto least = [&](bool compresses) {
    const Planes made = filtered(planes({32, 32}, point), {16, 16}, {Filter::lanczos3, Border::clamp, compresses});
    return *std::min_element(made[0].values.begin(), made[0].values.end());
  };
  CHECK(least(false) < -5);
  CHECK(least(true) > -0.2);
}

TEST_CASE("means of directions are directions again, their length is dropped or kept") {
  const auto encoded = [](double x) { return 0.5 + 0.5 * x; };
  Planes base = planes({2, 1}, [](int, int) { return 1.0; });
  const double s = std::sqrt(0.5);
  base[0].values = {encoded(s), encoded(-s)};  // half a right angle to each side
  base[1].values = {encoded(0), encoded(0)};
  base[2].values = {encoded(s), encoded(s)};
  const Planes dropped = filtered(base, {1, 1}, {.normals = Normals::length_dropped});
  const Planes kept = filtered(base, {1, 1}, {.normals = Normals::length_in_alpha});
  for (const Planes& made : {dropped, kept}) {
    CHECK(at(made, 0, 0, 0) == doctest::Approx(0.5));
    CHECK(at(made, 1, 0, 0) == doctest::Approx(0.5));
    CHECK(at(made, 2, 0, 0) == doctest::Approx(1));
  }
  CHECK(at(dropped, 3, 0, 0) == doctest::Approx(1));
  CHECK(at(kept, 3, 0, 0) == doctest::Approx(s));
}

TEST_CASE("directions that cancel each other become the normal of a flat surface") {
  Planes base = planes({2, 1}, [](int, int) { return 0.5; });
  base[0].values = {0, 1};
  const Planes made = filtered(base, {1, 1}, {.normals = Normals::length_in_alpha});
  CHECK(at(made, 0, 0, 0) == 0.5);
  CHECK(at(made, 2, 0, 0) == 1);
  CHECK(at(made, 3, 0, 0) == 0);
}
