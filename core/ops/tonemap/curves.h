// Tone curves by their definitions in double: light of any strength in, light of a display from 0 to 1 out.
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace gpupost {

using Rgb = std::array<double, 3>;  // linear light, Rec. 709

// What of a picture stands for a number of a curve that is not given.
enum class Measured { nothing, average, maximum };

// A number of a curve's formula: an option of `tonemap`.
struct CurveParam {
  std::string_view option;  // "toe"
  std::string_view letter;  // in the formula
  double default_value = std::numeric_limits<double>::quiet_NaN();
  double min = 0, max = 0;  // inclusive
  Measured measured = Measured::nothing;
  bool is_integer = false;
};

// The numbers of a curve's parameters, in their order.
using CurveNumbers = std::array<double, 7>;

// What a curve is made for: the luminance alone, each channel by itself, or all of a color at once.
enum class CurveKind { luminance, channel, color };

enum class AgxLook { none, punchy, golden };

// What AgX takes beside the light.
struct AgxSettings {
  AgxLook look = AgxLook::none;
  double power = 2.2;  // of the display that it encodes for
};

struct Curve {
  std::string_view name;     // the choice of --curve
  std::string_view formula;  // letters as in the parameters, L and x the light
  std::string_view source;
  CurveKind kind = CurveKind::luminance;
  std::vector<CurveParam> params;
  double (*value)(double light, const CurveNumbers& numbers) = nullptr;  // of light in [0, brightest]
  // Instead, where it matters what the eye is adapted to; `value` is that of light which is as bright all around.
  double (*local_value)(double light, double adaptation, const CurveNumbers& numbers) = nullptr;
  Rgb (*color)(const Rgb& light, const AgxSettings& settings) = nullptr;  // instead, of curves of whole colors
};

// In the order of the choices of --curve.
const std::vector<Curve>& all_curves();
const Curve& curve_named(std::string_view name);

// Light over this counts as this: squares of it are still floats.
constexpr double brightest = 1e15;

// The curves of whole colors.
Rgb hill(const Rgb& light, const AgxSettings&);
Rgb agx(const Rgb& light, const AgxSettings& settings);
Rgb agx_exact(const Rgb& light, const AgxSettings& settings);
Rgb agx_rec2020(const Rgb& light, const AgxSettings& settings);
Rgb agx_filament(const Rgb& light, const AgxSettings& settings);
Rgb neutral(const Rgb& light, const AgxSettings&);

}  // namespace gpupost
