// Tone mapping by its definition, in double: a curve, the numbers it takes, and what becomes of color.
#pragma once

#include "core/op/op.h"
#include "core/ops/tonemap/curves.h"

#include <optional>

namespace gpupost {

// Of the luminances of a picture that are over zero and finite.
struct Measures {
  double average = 1;  // logarithmic: exp(mean of ln L)
  double maximum = 1;
};

// What becomes of color where a curve makes T of the luminance Y: `keep` keeps the chromaticity and `ratio` scales all
// channels by T / Y, which is the same but for rounding; `saturate` makes them (C / Y)^S T. `per_channel` has no luminance.
enum class Chroma { keep, ratio, saturate, per_channel };
inline constexpr std::string_view chroma_names[] = {"keep", "ratio", "saturate", "per-channel"};

// A call of `tonemap`, its defaults filled in.
struct Tone {
  const Curve* curve = nullptr;
  CurveNumbers numbers{};
  double scale = 1;                  // of the light before the curve
  std::optional<double> adaptation;  // of curves that are local, before that scale; none: as bright as the texel
  Chroma chroma = Chroma::keep;
  double saturation = 1;
  bool is_fitted = false;
  AgxSettings agx;
};

const Curve& curve_of(const Call& call);
Chroma chroma_of(const Call& call);
// Does a call need a measure of its picture?
bool needs(const Call& call, Measured measured);
// Throws Error(Exit::usage) where options are given that mean nothing together.
void check_tonemap(const Call& call);
Tone tone_of(const Call& call, const Measures& measures);

// The curve, of light that is scaled.
double curved(double light, const Tone& tone);
// Straight color to straight color. Light that is negative or no number is black.
Rgb tone_mapped(const Rgb& light, const Tone& tone);
// Color that is over 1 mixed with gray of its luminance, so that its largest channel is 1: luminance and hue stay.
Rgb fitted(const Rgb& color);

}  // namespace gpupost
