// The tone curves of whole colors.
#include "core/image/color_matrices.h"
#include "core/ops/tonemap/curves.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

template <class Function>
Rgb each(const Rgb& v, Function function) {
  return {function(v[0]), function(v[1]), function(v[2])};
}

// --- AgX ------------------------------------------------------------------------------------------------------------

// The curves between the logarithm of light and the display's encoding, both from 0 to 1.
double degree_6(double x) {
  return 15.5 * std::pow(x, 6) - 40.14 * std::pow(x, 5) + 31.96 * std::pow(x, 4) - 6.868 * std::pow(x, 3) +
         0.4298 * x * x + 0.1191 * x - 0.00232;
}

double degree_7(double x) {
  return -17.86 * std::pow(x, 7) + 78.01 * std::pow(x, 6) - 126.7 * std::pow(x, 5) + 92.06 * std::pow(x, 4) -
         28.72 * std::pow(x, 3) + 4.361 * x * x - 0.1718 * x + 0.002857;
}

double sigmoid(double x) {
  if (x <= 0) return 0;  // as the formula has it but for rounding
  constexpr double pivot = 20.0 / 33;
  const bool is_toe = x <= pivot;
  const double a = is_toe ? 59.507875 : 69.86278913545539, b = is_toe ? 3 : 13.0 / 4, c = is_toe ? -1.0 / 3 : -4.0 / 13;
  return 0.5 + 2 * (x - pivot) * std::pow(1 + a * std::pow(std::abs(x - pivot), b), c);
}

constexpr Matrix3 wrensch_in{{{0.842479062253094, 0.0784335999999992, 0.0792237451477643},
                              {0.0423282422610123, 0.878468636469772, 0.0791661274605434},
                              {0.0423756549057051, 0.0784336, 0.879142973793104}}};
constexpr Matrix3 wrensch_out{{{1.19687900512017, -0.0980208811401368, -0.0990297440797205},
                               {-0.0528968517574562, 1.15190312990417, -0.0989611768448433},
                               {-0.0529716355144438, -0.0980434501171241, 1.15107367264116}}};
// AgXBaseRec2020
constexpr Matrix3 earychow_in{{{0.856627153315983, 0.0951212405381588, 0.0482516061458583},
                               {0.137318972929847, 0.761241990602591, 0.101439036467562},
                               {0.11189821299995, 0.0767994186031903, 0.811302368396859}}};
constexpr Matrix3 earychow_out{{{1.1271005818144368, -0.11060664309660323, -0.016493938717834573},
                                {-0.1413297634984383, 1.157823702216272, -0.016493938717834257},
                                {-0.14132976349843826, -0.11060664309660294, 1.2519364065950405}}};

// Slope, power and saturation of a look.
struct Grade {
  Rgb slope{1, 1, 1};
  double power = 1, saturation = 1;
};

// The published code takes the luminance before the power, where ASC CDL takes it behind it.
Rgb graded(const Rgb& v, AgxLook look) {
  if (look == AgxLook::none) return v;
  const Grade grade = look == AgxLook::punchy ? Grade{.power = 1.35, .saturation = 1.4}
                                              : Grade{.slope = {1, 0.9, 0.5}, .power = 0.8, .saturation = 1.3};
  Rgb result;
  for (size_t c = 0; c < 3; ++c) result[c] = std::pow(std::max(0.0, v[c]) * grade.slope[c], grade.power);
  const double gray = 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
  return each(result, [&](double number) { return gray + grade.saturation * (number - gray); });
}

Rgb agx_by(const Matrix3& in, const Matrix3& out, double (*curve)(double), const Rgb& light,
           const AgxSettings& settings) {
  constexpr double least = -12.47393, most = 4.026069;  // stops
  const auto encoded = [&](double number) {
    return curve(std::clamp((std::log2(std::max(number, 1e-10)) - least) / (most - least), 0.0, 1.0));
  };
  const Rgb display = product(out, graded(each(product(in, light), encoded), settings.look));
  return each(display, [&](double number) { return std::pow(std::max(0.0, number), settings.power); });
}

Rgb agx_in_rec2020(double (*curve)(double), const Rgb& light, const AgxSettings& settings) {
  const Rgb wide = each(product(rec2020_of_rec709, light), [](double number) { return std::max(0.0, number); });
  return product(rec709_of_rec2020, agx_by(earychow_in, earychow_out, curve, wide, settings));
}

// --- ACES -----------------------------------------------------------------------------------------------------------

constexpr Matrix3 hill_in{{{0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}}};
constexpr Matrix3 hill_out{
    {{1.60475, -0.53108, -0.07367}, {-0.10208, 1.10813, -0.00605}, {-0.00327, -0.07276, 1.07602}}};

}  // namespace

Rgb hill(const Rgb& light, const AgxSettings&) {
  const auto fit = [](double v) {
    return (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
  };
  return each(product(hill_out, each(product(hill_in, light), fit)),
              [](double number) { return std::clamp(number, 0.0, 1.0); });
}

Rgb agx(const Rgb& light, const AgxSettings& settings) {
  return agx_by(wrensch_in, wrensch_out, degree_6, light, settings);
}

Rgb agx_exact(const Rgb& light, const AgxSettings& settings) {
  return agx_by(wrensch_in, wrensch_out, sigmoid, light, settings);
}

Rgb agx_rec2020(const Rgb& light, const AgxSettings& settings) { return agx_in_rec2020(sigmoid, light, settings); }

Rgb agx_filament(const Rgb& light, const AgxSettings& settings) { return agx_in_rec2020(degree_7, light, settings); }

Rgb neutral(const Rgb& light, const AgxSettings&) {
  constexpr double start = 0.8 - 0.04, desaturation = 0.15;
  const double least = std::ranges::min(light);
  const double offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
  const Rgb lifted = each(light, [&](double number) { return number - offset; });
  const double peak = std::ranges::max(lifted);
  if (peak < start) return lifted;
  constexpr double rest = 1 - start;
  const double new_peak = 1 - rest * rest / (peak + rest - start);
  const double gray = 1 - 1 / (desaturation * (peak - new_peak) + 1);
  return each(lifted, [&](double number) { return number * new_peak / peak * (1 - gray) + new_peak * gray; });
}

}  // namespace gpupost
