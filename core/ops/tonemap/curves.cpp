#include "core/ops/tonemap/curves.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

double reinhard(double light, const CurveNumbers&) { return light / (1 + light); }

double reinhard_extended(double light, const CurveNumbers& numbers) {
  const double white = numbers[0];
  return light * (1 + light / white / white) / (1 + light);
}

double reinhard_local(double light, double adaptation, const CurveNumbers& numbers) {
  const double white = numbers[0];
  return light * (1 + light / white / white) / (1 + adaptation);
}

double day(double x, const CurveNumbers& numbers) {
  const auto [w, b, t, s, c, none, unused] = numbers;
  const double k = (1 - t) * (c - b) / ((1 - s) * (w - c) + (1 - t) * (c - b));
  const double toe = k * (1 - t) * (x - b) / (c - (1 - t) * b - t * x);
  const double shoulder = (1 - k) * (x - c) / (s * x + (1 - s) * w - c) + k;
  return std::clamp(x < c ? toe : shoulder, 0.0, 1.0);
}

double hable(double light, const CurveNumbers& numbers) {
  // (x (A x + C B) + D E) / (x (A x + B) + D F) - E/F on one denominator, so that black is 0 and not its rounding
  const auto filmic = [&numbers](double x) {
    const auto [w, a, b, c, d, e, f] = numbers;
    return x * (a * (f - e) * x + b * (c * f - e)) / (f * (x * (a * x + b) + d * f));
  };
  return filmic(2 * light) / filmic(numbers[0]);
}

double drago(double light, const CurveNumbers& numbers) {
  const auto [maximum, average, display, bias, none, unused, unneeded] = numbers;
  const double exponent = std::log(bias) / std::log(0.5);
  return display / 100 / std::log10(maximum / average + 1) * std::log1p(light / average) /
         std::log(2 + 8 * std::pow(light / maximum, exponent));
}

double exponential(double light, const CurveNumbers& numbers) { return -std::expm1(-light / numbers[0]); }

double logarithmic(double light, const CurveNumbers& numbers) {
  const double maximum = numbers[0], strength = numbers[1];
  return std::log1p(strength * light) / std::log1p(strength * maximum);
}

double ward(double light, const CurveNumbers& numbers) {
  const double average = numbers[0], display = numbers[1];
  const double visible = (1.219 + std::pow(display / 2, 0.4)) / (1.219 + std::pow(average, 0.4));
  return std::min(1.0, light / display * std::pow(visible, 2.5));
}

double narkowicz(double x, const CurveNumbers&) {
  return std::clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

double lottes(double x, const CurveNumbers& numbers) {
  const auto [h, a, d, in, out, none, unused] = numbers;
  const double white = std::pow(h, a), white_d = std::pow(h, a * d), mid = std::pow(in, a), mid_d = std::pow(in, a * d);
  const double b = (white * out - mid) / ((white_d - mid_d) * out);
  const double c = (white_d * mid - white * mid_d * out) / ((white_d - mid_d) * out);
  return std::pow(x, a) / (std::pow(x, a * d) * b + c);
}

double smoothstep(double edge, double x) {
  const double t = std::clamp(x / edge, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

double uchimura(double x, const CurveNumbers& numbers) {
  const auto [p, a, m, l, c, b, none] = numbers;
  const double l0 = (p - m) * l / a, s0 = m + l0, s1 = m + a * l0;
  const double toe = m * std::pow(x / m, c) + b, linear = m + a * (x - m);
  const double shoulder = p - (p - s1) * std::exp(-a * std::max(x - s0, 0.0) / (p - s1));  // below s0 it has no weight
  const double toe_weight = 1 - smoothstep(m, x), shoulder_weight = x < m + l0 ? 0 : 1;
  return toe * toe_weight + linear * (1 - toe_weight - shoulder_weight) + shoulder * shoulder_weight;
}

std::vector<Curve> luminance_curves() {
  const CurveParam average{.option = "average", .letter = "A", .min = 1e-6, .max = 1e6, .measured = Measured::average};
  const CurveParam maximum{.option = "white", .letter = "W", .min = 1e-3, .max = 1e6, .measured = Measured::maximum};
  return {
      {.name = "reinhard",
       .formula = "L / (1 + L)",
       .source = "Reinhard et al., Photographic Tone Reproduction, 2002, eq. 3",
       .value = reinhard},
      {.name = "reinhard-extended",
       .formula = "L (1 + L / W^2) / (1 + L)",
       .source = "Reinhard et al. 2002, eq. 4",
       .params = {maximum},
       .value = reinhard_extended},
      {.name = "reinhard-local",
       .formula =
           "L (1 + L / W^2) / (1 + V). V is the mean luminance under the widest gaussian V1 around the texel with |V1 "
           "- V2| / (2^P a / s^2 + V1) < E. The scales s are 1, 1.6, ... 1.6^(N-1). The standard deviation of V1 is s "
           "/ 4, that of V2 is 1.6 s / 4; a is --key or 0.18. From E/2 to 3E/2, V blends from one scale to the next",
       .source = "Reinhard et al. 2002, eq. 4 to 9, its threshold made continuous",
       .params = {{"white", "W", 1e6, 1e-3, 1e6},
                  {"sharpening", "P", 8, 0, 16},
                  {"epsilon", "E", 0.05, 0.001, 10},
                  {.option = "scales", .letter = "N", .default_value = 8, .min = 1, .max = 14, .is_integer = true}},
       .value = reinhard_extended,
       .local_value = reinhard_local},
      {.name = "day",
       .formula = "k (1-t) (x-b) / (c - (1-t) b - t x) for x < c, else (1-k) (x-c) / (s x + (1-s) w - c) + k, "
                  "clamped to 0..1; k = (1-t) (c-b) / ((1-s) (w-c) + (1-t) (c-b))",
       .source = "M. Day, An Efficient and User-Friendly Tone Mapping Operator, 2012",
       .params = {{"white", "w", 10, 0.1, 1e4},
                  {"black", "b", 0.1, 0, 10},
                  {"toe", "t", 0.7, 0, 0.99},
                  {"shoulder", "s", 0.8, 0, 0.99},
                  {"crossover", "c", 2, 0.01, 1e3}},
       .value = day},
      {.name = "hable",
       .formula = "f(2x) / f(W); f(x) = (x (A x + C B) + D E) / (x (A x + B) + D F) - E/F",
       .source = "J. Hable, Filmic Tonemapping Operators, 2010",
       .params = {{"white", "W", 11.2, 0.1, 1e4},
                  {"shoulder", "A", 0.15, 0.01, 1},
                  {"linear", "B", 0.5, 0.01, 1},
                  {"angle", "C", 0.1, 0.01, 1},
                  {"toe", "D", 0.2, 0.01, 1},
                  {"toe-numerator", "E", 0.02, 0, 0.1},
                  {"toe-denominator", "F", 0.3, 0.11, 1}},
       .value = hable},
      {.name = "drago",
       .formula = "D/100 / log10(W/A + 1) * ln(L/A + 1) / ln(2 + 8 (L/W)^(ln(B) / ln(0.5)))",
       .source = "Drago et al., Adaptive Logarithmic Mapping, 2003",
       .params = {maximum, average, {"display", "D", 100, 1, 1e4}, {"bias", "B", 0.85, 0.5, 0.99}},
       .value = drago},
      {.name = "exponential",
       .formula = "1 - exp(-L / A)",
       .source = "Ferschin et al., Exponential Mapping, 1994",
       .params = {average},
       .value = exponential},
      {.name = "logarithmic",
       .formula = "log(1 + p L) / log(1 + p W)",
       .source = "T. Stockham, Image Processing in the Context of a Visual Model, 1972",
       .params = {maximum, {"strength", "p", 1, 0.01, 1e3}},
       .value = logarithmic},
      {.name = "ward",
       .formula = "L/D ((1.219 + (D/2)^0.4) / (1.219 + A^0.4))^2.5, at most 1; L in cd/m2",
       .source = "G. Ward, A Contrast-Based Scalefactor for Luminance Display, Graphics Gems IV, 1994",
       .params = {average, {"display", "D", 100, 1, 1e4}},
       .value = ward}};
}

std::vector<Curve> channel_curves() {
  return {{.name = "narkowicz",
           .formula = "x (2.51 x + 0.03) / (x (2.43 x + 0.59) + 0.14), clamped to 0..1",
           .source = "K. Narkowicz, ACES Filmic Tone Mapping Curve, 2016",
           .kind = CurveKind::channel,
           .value = narkowicz},
          {.name = "lottes",
           .formula = "x^a / (x^(a d) b + c), b and c such that f(m) = n and f(W) = 1",
           .source = "T. Lottes, Advanced Techniques and Optimization of HDR Color Pipelines, GDC 2016",
           .kind = CurveKind::channel,
           .params = {{"white", "W", 8, 1, 1e3},
                      {"contrast", "a", 1.6, 0.5, 2},
                      {"shoulder", "d", 0.977, 0.5, 1},
                      {"mid-in", "m", 0.18, 0.01, 0.9},
                      {"mid-out", "n", 0.267, 0.01, 0.9}},
           .value = lottes},
          {.name = "uchimura",
           .formula = "T (1-s) + L (s-h) + S h, s = smoothstep(0, m, x), h = step(m + l0, x), l0 = (P-m) l / a; T = m "
                      "(x/m)^c + b, L = m + a (x-m), S = P - (P-S1) exp(-a (x-m-l0) / (P-S1)), S1 = m + a l0",
           .source = "H. Uchimura, HDR Theory and Practice, CEDEC 2017",
           .kind = CurveKind::channel,
           .params = {{"peak", "P", 1, 0.5, 100},
                      {"contrast", "a", 1, 0.1, 5},
                      {"linear-start", "m", 0.22, 0.01, 0.45},
                      {"linear", "l", 0.4, 0, 0.99},
                      {"toe", "c", 1.33, 1, 3},
                      {"pedestal", "b", 0, 0, 1}},
           .value = uchimura}};
}

std::vector<Curve> color_curves() {
  return {
      {.name = "hill",
       .formula = "O f(I c), clamped to 0..1; f(v) = (v (v + 0.0245786) - 0.000090537) / (v (0.983729 v + 0.432951) + "
                  "0.238081); O and I are the matrices of the fit",
       .source = "S. Hill, ACES fit of BakingLab",
       .kind = CurveKind::color,
       .color = hill},
      {.name = "agx",
       .formula = "max(0, O f(log(I c)))^E; log maps 2^-12.47393..2^4.026069 to 0..1; f(x) = 15.5 x^6 - 40.14 x^5 + "
                  "31.96 x^4 - 6.868 x^3 + 0.4298 x^2 + 0.1191 x - 0.00232; O and I are matrices",
       .source = "T. Sobotka, AgX; B. Wrensch, Minimal AgX Implementation, 2023",
       .kind = CurveKind::color,
       .color = agx},
      {.name = "agx-exact",
       .formula = "agx with f(x) = 1/2 + 2 (x-t) (1 + a |x-t|^b)^c, t = 20/33; (a, b, c) = (59.507875, 3, -1/3) up to "
                  "t, (69.86278913545539, 13/4, -4/13) above t",
       .source = "T. Sobotka, AgX, its sigmoid",
       .kind = CurveKind::color,
       .color = agx_exact},
      {.name = "agx-rec2020",
       .formula = "agx-exact in Rec. 2020 with the matrices of AgXBaseRec2020, without the hue mix of Blender's AgX; "
                  "the result in Rec. 709 is clamped at 0",
       .source = "T. Sobotka, AgX; EaryChow, AgXBaseRec2020 (matrices)",
       .kind = CurveKind::color,
       .color = agx_rec2020},
      {.name = "agx-filament",
       .formula = "agx-rec2020 with f(x) = -17.86 x^7 + 78.01 x^6 - 126.7 x^5 + 92.06 x^4 - 28.72 x^3 + 4.361 x^2 - "
                  "0.1718 x + 0.002857; f(1) is 0.982, so white becomes 0.961. The result in Rec. 709 is clamped at 0",
       .source = "Filament, AgxToneMapper",
       .kind = CurveKind::color,
       .color = agx_filament},
      {.name = "neutral",
       .formula = "c - o, with o = m - 6.25 m^2 if m = min(c) < 0.08, else o = 0.04. If the largest channel p is above "
                  "0.76, p becomes n = 1 - 0.0576 / (p - 0.52), and the other channels are mixed with n by 1 - 1 / "
                  "(0.15 (p - n) + 1)",
       .source = "Khronos PBR Neutral Tone Mapper, 2024",
       .kind = CurveKind::color,
       .color = neutral}};
}

}  // namespace

const std::vector<Curve>& all_curves() {
  static const std::vector<Curve> curves = [] {
    std::vector<Curve> all = luminance_curves();
    for (const std::vector<Curve>& more : {channel_curves(), color_curves()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return curves;
}

const Curve& curve_named(std::string_view name) { return *std::ranges::find(all_curves(), name, &Curve::name); }

}  // namespace gpupost
