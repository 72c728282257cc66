// Luminances by definition: which texels a cell holds, and what it says of them.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/luminance/reference.h"
#include "core/ops/registry.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

Call luminance(std::string_view words) { return parse_call(*op_named("luminance"), words); }

// The same color everywhere, opaque.
Planes picture(Size size, std::array<double, 3> color) {
  Planes planes;
  for (size_t c = 0; c < 4; ++c)
    planes[c] = {.size = size, .values = std::vector<double>(texel_count(size), c < 3 ? color[c] : 1)};
  return planes;
}

std::vector<double> values_of(std::string_view words, const Planes& from) {
  return luminances(luminance(words), from)[0].values;
}

Size result_size(std::string_view words, Size size) { return size_of(cells_of(luminance(words), size)); }

}  // namespace

TEST_CASE("luminance makes the document's sizes of 1080p, and any other") {
  CHECK(result_size("", {1920, 1080}) == Size{120, 68});
  CHECK(result_size("--tile 16x16", {1920, 1080}) == Size{120, 68});
  CHECK(result_size("--tile 32", {1920, 1080}) == Size{60, 34});
  CHECK(result_size("--tile 64", {1920, 1080}) == Size{30, 17});
  CHECK(result_size("--tile 7x1000", {37, 21}) == Size{6, 1});
  CHECK(result_size("--size 120x68", {1920, 1080}) == Size{120, 68});
}

TEST_CASE("a luminance is the weighted sum of light as it is premultiplied, in all three components, opaque") {
  Planes from = picture({2, 1}, {1, 0, 0});
  from[1].values = {0, 1};
  from[2].values = {0, 0.5};
  from[3].values = {0.25, 0};
  const Planes made = luminances(luminance("--tile 1"), from);
  for (size_t c = 0; c < 3; ++c) {
    CHECK(made[c].values[0] == doctest::Approx(0.2126));
    CHECK(made[c].values[1] == doctest::Approx(0.2126 + 0.7152 + 0.0361));
  }
  CHECK(made[3].values == std::vector<double>{1, 1});
  CHECK(values_of("--tile 1 --weights document", from)[1] == doctest::Approx(0.2125 + 0.7154 + 0.03605));
}

TEST_CASE("a tile at the edge is divided by the texels that it holds") {
  const std::vector<double> means = values_of("--tile 16", picture({1920, 1080}, {1, 1, 1}));
  const std::vector<double> counts = values_of("--tile 16 --measure count", picture({1920, 1080}, {1, 1, 1}));
  REQUIRE(means.size() == 120 * 68);
  for (size_t cell = 0; cell < means.size(); ++cell) {
    CHECK(means[cell] == doctest::Approx(1).epsilon(1e-12));
    CHECK(counts[cell] == (cell < 120 * 67 ? 256 : 128));
  }
}

TEST_CASE("a cell tells the mean, the least, the largest or the number of its luminances") {
  Planes from = picture({4, 3}, {0, 0, 0});
  for (int index = 0; index < 12; ++index)
    for (size_t c = 0; c < 3; ++c) from[c].values[size_t(index)] = index - 5;
  const auto is_near = [&](std::string_view words, const std::vector<double>& expected) {
    const std::vector<double> found = values_of(words, from);
    REQUIRE(found.size() == expected.size());
    for (size_t cell = 0; cell < expected.size(); ++cell)
      CHECK_MESSAGE(found[cell] == doctest::Approx(expected[cell]), words, " cell ", cell);
  };
  is_near("--tile 3x2", {-2, 0, 4, 6});
  is_near("--tile 3x2 --measure minimum", {-5, -2, 3, 6});
  is_near("--tile 3x2 --measure maximum", {1, 2, 5, 6});
  is_near("--tile 3x2 --measure count", {6, 2, 3, 1});
}

TEST_CASE("--size cuts a picture as evenly as whole texels allow, and leaves none out") {
  const std::vector<double> counts = values_of("--size 3x2 --measure count", picture({10, 7}, {1, 1, 1}));
  CHECK(counts == std::vector<double>{9, 9, 12, 12, 12, 16});
  double total = 0;
  for (const double count : values_of("--size 119x67 --measure count", picture({257, 129}, {1, 1, 1}))) total += count;
  CHECK(total == 257 * 129);
}

TEST_CASE("what is no number and what is infinite shows in the cell that holds it, and in no other") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  Planes from = picture({6, 1}, {1, 1, 1});
  from[2].values = {1, nan, 1, infinity, 1, 1};
  for (const char* measure : {"mean", "minimum", "maximum"}) {
    const std::vector<double> found = values_of(std::string("--tile 2 --measure ") + measure, from);
    CHECK(std::isnan(found[0]));
    if (measure == std::string("minimum")) CHECK(found[1] == doctest::Approx(1));
    else CHECK(found[1] == infinity);
    CHECK(found[2] == doctest::Approx(1));
  }
  CHECK(values_of("--tile 2 --measure count", from) == std::vector<double>{2, 2, 2});
}

TEST_CASE("cells that a picture cannot have, and two ways to say them, are refused") {
  CHECK_THROWS_WITH_AS(result_size("--size 38x2", {37, 21}),
                       "luminance: --size 38x2 is larger than the image, which is 37 x 21 texels", Error);
  CHECK_THROWS_WITH_AS(luminance("--size 3x2 --tile 4"),
                       "luminance: --tile 4 and --size 3x2 contradict each other; expected one of them", Error);
  for (const char* word : {"0", "4x0", "x", "4x", "-4", "4x4x4", "4.5", ""})
    CHECK_THROWS_AS(parse_call(*op_named("luminance"), std::vector<std::string>{"--tile", word}), Error);
}
