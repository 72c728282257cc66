#include "core/ops/tonemap/reference.h"

#include "core/base/error.h"
#include "core/op/point.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

const CurveParam* param_of(const Curve& curve, std::string_view option) {
  const auto found = std::ranges::find(curve.params, option, &CurveParam::option);
  return found == curve.params.end() ? nullptr : &*found;
}

// Is it an option that belongs to curves?
bool is_of_curves(std::string_view option) {
  return std::ranges::any_of(all_curves(), [&](const Curve& curve) { return param_of(curve, option) != nullptr; });
}

std::string curves_with(std::string_view option) {
  std::vector<std::string_view> names;
  for (const Curve& curve : all_curves())
    if (param_of(curve, option)) names.push_back(curve.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_curve_options(const Call& call, const Curve& curve) {
  for (const Param& option : call.op->params) {
    if (!is_of_curves(option.name) || !call.has(option.name)) continue;
    const double value = call.number(option.name);
    const CurveParam* param = param_of(curve, option.name);
    const bool scales = option.name == "average" && call.has("key");
    if (!param && !scales)
      fail(Exit::usage, "tonemap: --{} {} has no effect with --curve {}; leave it out, or use a curve that has it: {}",
           option.name, value, curve.name, curves_with(option.name));
    if (param && (value < param->min || value > param->max))
      fail(Exit::usage, "tonemap: --{} {} is outside {}..{}, the range for --curve {}", option.name, value, param->min,
           param->max, curve.name);
  }
}

// The value of an option of the curve, given or by default.
double value_of(const Call& call, const Curve& curve, std::string_view option) {
  return call.has(option) ? call.number(option) : param_of(curve, option)->default_value;
}

// The numbers of a curve that must stand in an order.
void check_order(const Call& call, const Curve& curve, std::string_view low, std::string_view high) {
  const auto value = [&](std::string_view option) { return value_of(call, curve, option); };
  if (value(low) >= value(high))
    fail(Exit::usage, "tonemap: --{} {} must be below --{} {} for --curve {}", low, value(low), high, value(high),
         curve.name);
}

// Lottes' curve has a pole, and light behind it is negative, unless both numbers of its denominator are positive.
void check_lottes(const Call& call, const Curve& curve) {
  const auto value = [&](std::string_view option) { return value_of(call, curve, option); };
  const double share = value("mid-in") / value("white"), contrast = value("contrast");
  const double least = std::pow(share, contrast), most = std::pow(share, contrast * (1 - value("shoulder")));
  if (value("mid-out") < least || value("mid-out") >= most)
    fail(Exit::usage,
         "tonemap: --mid-out {} is outside {:.4g}..{:.4g}, the range in which --curve lottes rises with these options",
         value("mid-out"), least, most);
}

// Hable's curve falls below 0 before it rises, unless its slope at 0 is positive.
void check_hable(const Call& call, const Curve& curve) {
  const auto value = [&](std::string_view option) { return value_of(call, curve, option); };
  const double most = value("angle") * value("toe-denominator");
  if (value("toe-numerator") > most)
    fail(Exit::usage,
         "tonemap: --toe-numerator {} is above --angle times --toe-denominator, {:.4g}; the curve would fall below 0",
         value("toe-numerator"), most);
}

double luminance(const Rgb& light) { return luminance_of({light[0], light[1], light[2], 1}); }

// Light that curves take: no number and what is negative is black.
Rgb usable(const Rgb& light, double scale) {
  Rgb result;
  for (size_t c = 0; c < 3; ++c) result[c] = light[c] > 0 ? std::min(light[c] * scale, brightest) : 0;
  return result;
}

Rgb recolored(const Rgb& light, const Tone& tone) {
  const double before = luminance(light), after = curved(before, tone);
  if (before == 0) return {after, after, after};
  const double exponent = tone.chroma == Chroma::saturate ? tone.saturation : 1;
  Rgb result;
  for (size_t c = 0; c < 3; ++c) result[c] = std::pow(light[c] / before, exponent) * after;
  return result;
}

}  // namespace

const Curve& curve_of(const Call& call) { return curve_named(call.choice("curve")); }

Chroma chroma_of(const Call& call) {
  const std::string_view chroma = call.choice("chroma");
  if (chroma == "auto" && curve_of(call).kind == CurveKind::luminance)
    return call.has("saturation") ? Chroma::saturate : Chroma::keep;
  if (chroma == "keep") return Chroma::keep;
  if (chroma == "ratio") return Chroma::ratio;
  return chroma == "saturate" ? Chroma::saturate : Chroma::per_channel;
}

bool needs(const Call& call, Measured measured) {
  if (measured == Measured::average && call.has("key") && !call.has("average")) return true;
  return std::ranges::any_of(curve_of(call).params, [&](const CurveParam& param) {
    const bool is_of_scale = measured == Measured::average && call.has("key");
    return param.measured == measured && !call.has(param.option) && !is_of_scale;
  });
}

void check_tonemap(const Call& call) {
  const Curve& curve = curve_of(call);
  check_curve_options(call, curve);
  if (curve.name == "day") {
    check_order(call, curve, "black", "crossover");
    check_order(call, curve, "crossover", "white");
  }
  if (curve.name == "lottes") {
    check_order(call, curve, "mid-in", "white");
    check_lottes(call, curve);
  }
  if (curve.name == "hable") check_hable(call, curve);
}

Tone tone_of(const Call& call, const Measures& measures) {
  const Curve& curve = curve_of(call);
  const double average = call.has("average") ? call.number("average") : measures.average;
  const double scale = call.has("key") ? call.number("key") / average : 1;
  Tone tone{.curve = &curve,
            .scale = scale,
            .chroma = chroma_of(call),
            .saturation = call.has("saturation") ? call.number("saturation") : 1,
            .is_fitted = call.flag("fit"),
            .agx = {.look = AgxLook(call.integer("look")), .power = call.choice("display-power") == "2.4" ? 2.4 : 2.2}};
  const bool takes_average =
      std::ranges::any_of(curve.params, [](const CurveParam& param) { return param.measured == Measured::average; });
  for (size_t index = 0; index < curve.params.size(); ++index) {
    const CurveParam& param = curve.params[index];
    // only its ratio to the average counts where the curve takes that too
    const double white = measures.maximum * scale, bounded_white = takes_average ? white : std::clamp(white, 1e-3, 1e6);
    if (param.measured == Measured::average) tone.numbers[index] = average * scale;
    else if (call.has(param.option)) tone.numbers[index] = call.number(param.option);
    else tone.numbers[index] = param.measured == Measured::maximum ? bounded_white : param.default_value;
  }
  return tone;
}

double curved(double light, const Tone& tone) {
  if (!tone.adaptation) return tone.curve->value(light, tone.numbers);
  return tone.curve->local_value(light, std::min(*tone.adaptation * tone.scale, brightest), tone.numbers);
}

Rgb tone_mapped(const Rgb& light, const Tone& tone) {
  const Rgb usable_light = usable(light, tone.scale);
  Rgb result;
  if (tone.curve->color) result = tone.curve->color(usable_light, tone.agx);
  else if (tone.chroma != Chroma::per_channel) result = recolored(usable_light, tone);
  else
    for (size_t c = 0; c < 3; ++c) result[c] = curved(usable_light[c], tone);
  return tone.is_fitted ? fitted(result) : result;
}

Rgb fitted(const Rgb& color) {
  const double most = std::ranges::max(color), gray = std::min(1.0, luminance(color));
  if (most <= 1) return color;
  const double share = (1 - gray) / (most - gray);
  Rgb result;
  for (size_t c = 0; c < 3; ++c) result[c] = gray + share * (color[c] - gray);
  return result;
}

}  // namespace gpupost
