// The local operator of Reinhard et al. by its definition.
#include "core/op/parse.h"
#include "core/op/point.h"
#include "core/ops/blur/reference.h"
#include "core/ops/registry.h"
#include "core/ops/tonemap/local_reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace gpupost;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

Planes picture_of(Size size, const std::function<Color(Position at)>& make) {
  return made_of_texels(size, [&](size_t index) { return make({int(index) % size.width, int(index) / size.width}); });
}

Color gray(double light) { return {light, light, light, 1}; }

// What the op makes of a picture, its red.
Plane mapped(const Planes& picture, std::string_view words) {
  const Call call = parse_call(*op_named("tonemap"), words);
  return call.op->reference.levels(call, picture)[0][0];
}

// Equation 8 as it stands: the mean of the last of the scales whose activity, as that of all before it, is under epsilon.
// None where an activity lies where the definition goes over from one scale to the next.
std::optional<double> paper(const std::vector<double>& means, const LocalTone& local) {
  size_t last = 0;
  bool goes_on = true;
  for (size_t scale = 0; scale + 1 < means.size(); ++scale) {
    const double s = std::pow(1.6, double(scale));
    const double activity = std::abs(means[scale] - means[scale + 1]) /
                            (std::pow(2, local.sharpening) * local.middle / (s * s) + means[scale]);
    if (activity > 0.5 * local.epsilon && activity < 1.5 * local.epsilon) return std::nullopt;
    goes_on &= activity < local.epsilon;
    if (goes_on) last = scale;
  }
  return means[last];
}

}  // namespace

TEST_CASE("the center of a scale is the surround of the one before, and eight scales reach from 1 to 43 texels") {
  for (int index = 0; index <= 8; ++index) {
    const double s = std::pow(1.6, index), alpha = 1 / (2 * std::sqrt(2.0));
    CHECK(blur_of(gaussian_of_scale(index)).sigma == doctest::Approx(alpha * s / std::sqrt(2.0)));
  }
  CHECK(std::pow(1.6, 8) == doctest::Approx(43).epsilon(0.01));
}

TEST_CASE("the adaptation is that of equation 8 wherever no activity is near to the threshold") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> step(-0.4, 0.4), start(-6, 6);
  int compared = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    const LocalTone local{.sharpening = 1, .epsilon = 0.05};
    std::vector<double> means{std::exp2(start(random))};
    for (int scale = 0; scale < local.scale_count; ++scale) means.push_back(means.back() * std::exp2(step(random)));
    const std::optional<double> expected = paper(means, local);
    if (!expected) continue;
    ++compared;
    CHECK(adaptation_of(means, local) == doctest::Approx(*expected).epsilon(1e-12));
  }
  CHECK(compared > 200);
}

TEST_CASE("the adaptation goes over from one scale to the next without a step, and stays among the means") {
  const LocalTone local{.sharpening = 0, .epsilon = 0.05, .scale_count = 2, .middle = 0.18};
  double before = 1;
  for (double wider = 1; wider < 1.2; wider += 1e-4) {
    const double adaptation = adaptation_of({0.9, 1, wider}, local);
    CHECK(adaptation >= 0.9);
    CHECK(adaptation <= 1);
    if (wider > 1) CHECK(std::abs(adaptation - before) < 1e-3);
    before = adaptation;
  }
  CHECK(adaptation_of({1, 1, 1}, local) == 1);
  CHECK(before == doctest::Approx(0.9));
}

TEST_CASE("a picture that is the same all over becomes what the global operator makes of it, black stays black") {
  double before = -1;
  for (const double light : {0.0, 1e-6, 0.01, 0.18, 1.0, 7.0, 1e4, 1e14}) {
    const Planes flat = picture_of({9, 5}, [&](Position) { return gray(light); });
    const double found = mapped(flat, "--curve reinhard-local --white 5 --chroma ratio").values[22];
    CHECK(found == doctest::Approx(mapped(flat, "--curve reinhard-extended --white 5 --chroma ratio").values[22]));
    CHECK(found > before);  // brighter with more exposure
    before = found;
    if (light == 0) CHECK(found == 0);
  }
}

TEST_CASE("numbers that are none, infinities and negative light are as they are to every curve, and are not spread") {
  const Position odd_at{16, 16};
  const auto made = [&](double odd) {
    return mapped(
        picture_of({33, 33}, [&](Position at) { return at.x == odd_at.x && at.y == odd_at.y ? gray(odd) : gray(0.5); }),
        "--curve reinhard-local --chroma ratio");
  };
  const size_t middle = 16 * 33 + 16;
  const Plane black = made(0);
  CHECK(black.values[middle] == 0);
  for (const double odd : {no_number, -infinity, -1.0}) CHECK(made(odd).values == black.values);
  const Plane infinite = made(infinity);
  CHECK(infinite.values == made(brightest).values);
  CHECK(std::ranges::all_of(infinite.values, [](double value) { return std::isfinite(value) && value >= 0; }));
  CHECK(infinite.values[0] == doctest::Approx(0.5 / 1.5));  // out of reach of the widest gaussian
}

TEST_CASE(
    "a dark spot on bright ground is darker than the global operator makes it, and a bright one on dark brighter") {
  const auto spot = [](double ground, double light, std::string_view words) {
    return mapped(picture_of({65, 65},
                             [&](Position at) {
                               const bool is_spot = std::hypot(at.x - 32, at.y - 32) < 2;
                               return gray(is_spot ? light : ground);
                             }),
                  words)
        .values[32 * 65 + 32];
  };
  const std::string_view global = "--curve reinhard --chroma ratio", local = "--curve reinhard-local --chroma ratio";
  CHECK(spot(1, 0.9, local) < 0.99 * spot(1, 0.9, global));
  CHECK(spot(0.5, 0.6, local) > 1.01 * spot(0.5, 0.6, global));
}

TEST_CASE("light at a strong edge is adapted to its own side") {
  const Planes step = picture_of({65, 33}, [](Position at) { return gray(at.x < 32 ? 0.05 : 50); });
  const Plane found = adaptations(step, {});
  for (const int x : {0, 16, 28}) CHECK(found.values[size_t(16 * 65 + x)] < 0.1);
  for (const int x : {37, 48, 64}) CHECK(found.values[size_t(16 * 65 + x)] > 40);
}

TEST_CASE("what is transparent does not weigh in what is not") {
  const auto half_of = [](double light, double alpha) {
    return adaptations(picture_of({33, 9},
                                  [&](Position at) {
                                    return at.x < 17 ? gray(0.5) : premultiply({light, light, light, alpha});
                                  }),
                       {});
  };
  CHECK(half_of(0.4, 0).values[16] == doctest::Approx(0.5).epsilon(1e-3));
  CHECK(half_of(0.4, 1).values[16] < 0.49);
  const Plane transparent = adaptations(picture_of({5, 5}, [](Position) { return Color{0.3, 0.3, 0.3, 0}; }), {});
  CHECK(transparent.values[12] == doctest::Approx(0.3));
}

TEST_CASE(
    "the key is what activity is measured by: the same picture at another exposure is adapted to the same, brighter") {
  const auto made = [](double exposure) {
    const Planes picture =
        picture_of({33, 17}, [&](Position at) { return gray(exposure * (1 + std::sin(0.7 * at.x * at.y))); });
    return mapped(picture, "--curve reinhard-local --key 0.18 --chroma ratio");
  };
  const Plane once = made(1), brighter = made(64);
  for (size_t index = 0; index < once.values.size(); ++index)
    CHECK(brighter.values[index] == doctest::Approx(once.values[index]).epsilon(1e-9));
}
