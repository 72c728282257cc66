// The share of a picture that an alpha test lets through, and the scales that keep it.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/mips/coverage_reference.h"
#include "core/ops/registry.h"
#include "tests/support/error_of.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;

namespace {

// Premultiplied colors of one straight color, under an alpha that is a function of the place.
template <class Alpha>
Planes picture(Size size, const Alpha& alpha) {
  constexpr std::array color{0.25, 0.5, 0.125, 1.0};
  Planes made;
  for (size_t component = 0; component < 4; ++component) {
    made[component].size = size;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) made[component].values.push_back(color[component] * alpha(x, y));
  }
  return made;
}

// Narrow blades with soft edges, a quarter of the picture.
double blades(int x, int y) {
  return std::clamp(4 * (std::sin(0.9 * x + 0.35 * y + 3 * std::sin(0.11 * y)) - 0.75) + 0.5, 0.0, 1.0);
}

std::vector<Planes> mips(const Planes& base, std::string_view words) {
  const Call call = parse_call(*op_named("mips"), words);
  return call.op->reference.levels(call, base);
}

Plane alpha_row(std::vector<double> values) { return {.size = {int(values.size()), 1}, .values = std::move(values)}; }

double coverage_at(Plane alpha, double reference, double scale) {
  for (double& value : alpha.values) value *= scale;
  return coverage_of(alpha, reference);
}

// The definition word for word: ten times a scale, and all samples counted with it.
double bisected(const Plane& alpha, double reference, double wanted) {
  double low = 0, high = 4, scale = 1, best = 1, least = 2;
  for (int step = 0; step < 10; ++step) {
    const double found = coverage_at(alpha, reference, scale);
    if (std::abs(found - wanted) < least) {
      least = std::abs(found - wanted);
      best = scale;
    }
    (found < wanted ? low : high) = scale;
    scale = (low + high) / 2;
  }
  return best;
}

}  // namespace

TEST_CASE("coverage is the share of samples between the texels that are the reference or more") {
  CHECK(coverage_of(alpha_row({0, 1}), 0.5) == 0.5);  // samples at 1/8, 3/8, 5/8 and 7/8
  CHECK(coverage_of(alpha_row({0, 1}), 0.375) == 0.75);
  CHECK(coverage_of(alpha_row({0, 1}), 0.376) == 0.5);
  CHECK(coverage_of(alpha_row({-3, 9}), 0.5) == 0.5);  // clamped before
  CHECK(coverage_of(alpha_row({NAN, 1}), 0.5) == 0.5);
  CHECK(coverage_of(alpha_row({0, 1, 0}), 0.5) == 0.5);
  CHECK(coverage_of(alpha_row({0.4}), 0.5) == 0);
  CHECK(coverage_of(alpha_row({0.5}), 0.5) == 1);
}

TEST_CASE("the scales are those of ten steps of bisection with all samples counted at each") {
  const Planes base = picture({61, 37}, blades);
  for (const double reference : {0.25, 0.5, 0.875}) {
    const std::vector<Planes> levels = mips(base, "");
    const std::vector<double> scales = coverage_scales(levels, reference);
    REQUIRE(scales.size() == levels.size());
    CHECK(scales[0] == 1);
    for (size_t level = 1; level < levels.size(); ++level)
      CHECK(scales[level] == bisected(levels[level][3], reference, coverage_of(base[3], reference)));
  }
}

TEST_CASE("narrow leaves keep their coverage where a scale can, and thin out without") {
  const Planes base = picture({256, 256}, blades);
  const double wanted = coverage_of(base[3], 0.5);
  CHECK(wanted == doctest::Approx(0.23).epsilon(0.05));
  const std::vector<Planes> plain = mips(base, ""), kept = mips(base, "--coverage 0.5");
  for (size_t level = 2; level < 6; ++level) {
    CAPTURE(level);
    CHECK(coverage_of(plain[level][3], 0.5) < 0.5 * wanted);
    CHECK(coverage_of(kept[level][3], 0.5) == doctest::Approx(wanted).epsilon(0.05));
  }
}

TEST_CASE("straight color stays, alpha stays within 0 and 1, and level 0 stays as it is") {
  const Planes base = picture({64, 48}, blades);
  const std::vector<Planes> plain = mips(base, ""), kept = mips(base, "--coverage 0.5");
  CHECK(kept[0][3].values == base[3].values);
  CHECK(kept[2][3].values != plain[2][3].values);
  for (const Planes& level : kept)
    for (size_t index = 0; index < level[3].values.size(); ++index) {
      const double alpha = level[3].values[index];
      CHECK((alpha >= 0 && alpha <= 1));
      CHECK(level[1].values[index] == doctest::Approx(0.5 * alpha));
    }
}

TEST_CASE("what is opaque or transparent everywhere stays") {
  for (const double alpha : {0.0, 1.0}) {
    const Planes base = picture({33, 20}, [&](int, int) { return alpha; });
    const std::vector<Planes> plain = mips(base, ""), kept = mips(base, "--coverage 0.4");
    for (size_t level = 0; level < plain.size(); ++level)
      for (size_t component = 0; component < 4; ++component)
        for (size_t index = 0; index < plain[level][component].values.size(); ++index)
          CHECK(kept[level][component].values[index] == doctest::Approx(plain[level][component].values[index]));
  }
}

TEST_CASE("the tolerance takes in a bisection that goes the other way, and little more") {
  const std::vector<Planes> levels = mips(picture({128, 128}, blades), "");
  constexpr double off = 1e-3;
  std::vector<Planes> errors = levels;
  for (Planes& level : errors)
    for (Plane& plane : level) std::ranges::fill(plane.values, 0);
  // the thin texels alone are off: the others show by how much the scale has moved
  std::ranges::transform(levels[3][3].values, errors[3][3].values.begin(),
                         [](double alpha) { return alpha < 0.3 ? off : 0; });
  const std::vector<Planes> expected = with_coverage(levels, 0.5);
  const Plane bound = coverage_tolerance(levels, errors, 0.5, Depth::f32)[3][3];
  CHECK(std::ranges::max(bound.values) < 0.04);
  double lowest = 4, highest = 0;
  for (const double share : {-1.0, -0.5, 0.5, 1.0}) {
    std::vector<Planes> nudged = levels;
    std::ranges::transform(nudged[3][3].values, errors[3][3].values, nudged[3][3].values.begin(),
                           [&](double alpha, double error) { return alpha + share * error; });
    const double scale = coverage_scales(nudged, 0.5)[3];
    lowest = std::min(lowest, scale);
    highest = std::max(highest, scale);
    const Plane found = with_coverage(nudged, 0.5)[3][3];
    for (size_t index = 0; index < found.values.size(); ++index)
      CHECK(std::abs(found.values[index] - expected[3][3].values[index]) <= bound.values[index]);
  }
  CHECK(lowest < coverage_scales(levels, 0.5)[3]);
  CHECK(highest > coverage_scales(levels, 0.5)[3]);
}

TEST_CASE("--coverage is for colors with means alone") {
  const auto refusal = [](std::string_view words) {
    return error_of([&] { parse_call(*op_named("mips"), words); }, Exit::usage);
  };
  CHECK(refusal("--coverage 0.5 --method single-pass") == "");
  CHECK(refusal("--coverage 0.5 --normal") ==
        "mips: --coverage is for color with alpha, and --normal is for directions; leave one out");
  CHECK(refusal("--coverage 0.5 --reduce max") ==
        "mips: --coverage needs --reduce mean; with --reduce max leave --coverage out");
  CHECK(refusal("--coverage 1") == "mips: --coverage 1 is outside 0..0.999");
  const std::vector<Call> calls{parse_call(*op_named("mips"), "--coverage 0.5 --levels 3")};
  CHECK(calls_for_other_channels(calls).at(0).text() == "mips --levels 3");
}
