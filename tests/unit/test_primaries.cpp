// Pictures whose R, G and B are not those of Rec. 709.
#include "core/image/primaries.h"

#include "core/op/parse.h"
#include "core/op/point.h"
#include "core/ops/registry.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

using namespace gpupost;

namespace {

Picture picture_of(std::initializer_list<float> numbers) {
  Attribute attribute{.name = "chromaticities", .type = "chromaticities"};
  for (const float number : numbers)
    for (int k = 0; k < 4; ++k) attribute.value.push_back(uint8_t(std::bit_cast<uint32_t>(number) >> (8 * k)));
  Picture picture;
  picture.attributes.push_back(attribute);
  return picture;
}

void check_matrix(const Primaries& primaries, const double (&expected)[9], double tolerance) {
  const auto matrix = conversion({.from = primaries, .to = rec709});
  for (size_t index = 0; index < 9; ++index)
    CHECK(matrix[index / 3][index % 3] == doctest::Approx(expected[index]).epsilon(tolerance));
}

}  // namespace

TEST_CASE("Rec. 2020 to Rec. 709 is the matrix of ITU-R BT.2087") {
  check_matrix(rec2020,
               {1.6604910021, -0.5876411388, -0.0728498633, -0.1245504745, 1.1328998971, -0.0083494226, -0.0181507634,
                -0.1005788980, 1.1187296614},
               1e-7);
}

TEST_CASE("ACES primaries with their own white go to Rec. 709, white to white") {
  // as the ACES project gives it for AP0 by Bradford's method, to four digits
  const Primaries ap0{{0.7347, 0.2653}, {0.0, 1.0}, {0.0001, -0.0770}, {0.32168, 0.33767}};
  check_matrix(ap0, {2.5217, -1.1341, -0.3876, -0.2765, 1.3727, -0.0962, -0.0154, -0.1530, 1.1684}, 2e-3);
  const auto matrix = conversion({.from = ap0, .to = rec709});
  for (const auto& row : matrix) CHECK(row[0] + row[1] + row[2] == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("a picture says that it is of other primaries, or it is of Rec. 709") {
  CHECK(!other_primaries(Picture{}));
  CHECK(!other_primaries(picture_of({0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f})));
  const auto found = other_primaries(picture_of({0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f}));
  REQUIRE(found.has_value());
  CHECK(found->green.y == doctest::Approx(0.797));
}

TEST_CASE("chromaticities that make no sense are none") {
  CHECK(!other_primaries(picture_of({0, 0, 0, 0, 0, 0, 0, 0})));
  CHECK(!other_primaries(picture_of({0.6f, 0.3f, 0.6f, 0.3f, 0.6f, 0.3f, 0.3127f, 0.329f})));
  CHECK(!other_primaries(picture_of({0.64f, 0.33f})));
  const float nan = std::bit_cast<float>(0x7fc00000u);
  CHECK(!other_primaries(picture_of({nan, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f})));
}

TEST_CASE("senseless chromaticities are dropped with a warning, others stay") {
  const float nan = std::bit_cast<float>(0x7fc00000u);
  for (const auto& numbers : {std::initializer_list<float>{0, 0, 0, 0, 0, 0, 0, 0},
                              {0.64f, 0.33f},
                              {nan, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f},
                              {0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0},     // white has no luminance
                              {0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.47f, 0.465f},  // no blue makes it
                              {0.64f, 0.33f, 1e30f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f}}) {
    Picture picture = picture_of(numbers);
    CHECK(drop_senseless_primaries(picture) ==
          "its chromaticities are not valid primaries and are dropped; without --input-primaries, its colors are taken "
          "as Rec. 709");
    CHECK(picture.attributes.empty());
  }
  Picture of_other_type = picture_of({0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f});
  of_other_type.attributes[0].type = "floatvector";
  CHECK(drop_senseless_primaries(of_other_type).has_value());
  Picture sound = picture_of({0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f});
  CHECK(!drop_senseless_primaries(sound));
  CHECK(sound.attributes.size() == 1);
}

TEST_CASE("a picture that was made Rec. 709 says so") {
  Picture picture = picture_of({0.708f, 0.292f, 0.17f, 0.797f, 0.131f, 0.046f, 0.3127f, 0.329f});
  set_primaries(picture, rec709);
  CHECK(!other_primaries(picture));
  CHECK(picture.attributes[0].value.size() == 32);
}

TEST_CASE("white-balance has no step where its formulas change") {
  const auto white = [](double kelvin) {
    Planes gray;
    gray.fill({.size = {1, 1}, .values = {1}});
    const Call call = default_call(*op_named("white-balance")).with("kelvin", kelvin);
    return color_at(call.op->reference.levels(call, gray)[0], 0);
  };
  for (const double kelvin : {2222, 4000, 5000, 7000}) {
    CAPTURE(kelvin);
    const Color below = white(kelvin), above = white(kelvin + 1e-6);
    for (size_t c = 0; c < 3; ++c) CHECK(std::abs(above[c] / below[c] - 1) < 1e-4);
  }
}
