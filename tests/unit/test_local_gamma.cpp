// Local gamma against the numbers of its formula.
#include "core/ops/localgamma/reference.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

using namespace gpupost;

TEST_CASE("the exponent of local gamma is that of the formula, from 0.421 in the dark to 0.465 at white") {
  struct Expected {
    double light, exponent, encoded;
  };
  for (const auto& [light, exponent, encoded] :
       {Expected{0, .421267, 0}, Expected{.18, .433015, .475907}, Expected{.25, .436866, .545733},
        Expected{.3966, .444000, .663237}, Expected{.5, .448428, .732841}, Expected{1, .465246, 1}}) {
    CHECK(std::abs(adapted_exponent(light) - exponent) < 1e-6);
    CHECK(std::abs(locally_encoded(light, light) - encoded) < 1e-6);
  }
}

TEST_CASE("color encoded channel by channel comes near sRGB") {
  constexpr std::array light{.5, .1, .02}, expected{.74073, .36900, .18382};
  for (size_t c = 0; c < light.size(); ++c) CHECK(std::abs(locally_encoded(light[c], .1792802) - expected[c]) < 1e-5);
}

TEST_CASE("local gamma takes odd numbers: negative ones and none are black, light over 1 adapts as 1") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(locally_encoded(nan, 1) == 0);
  CHECK(locally_encoded(-1, 1) == 0);
  CHECK(adapted_exponent(nan) == adapted_exponent(0));
  CHECK(adapted_exponent(-1) == adapted_exponent(0));
  CHECK(adapted_exponent(1e30) == adapted_exponent(1));
}
