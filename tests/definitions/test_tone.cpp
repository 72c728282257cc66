// Tone curves and local gamma, held against their published formulas, and what every curve for a display keeps to.
#include "tests/definitions/filters.h"
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace definitions;

namespace {

using Curve = std::function<double(double)>;
using Color = std::function<Rgb(Rgb)>;
using Matrix = std::array<double, 9>;  // row by row

struct Numbers {
  double log_average, largest;  // of a picture's luminance
};

Rgb operator*(const Matrix& m, const Rgb& c) {
  return {m[0] * c[0] + m[1] * c[1] + m[2] * c[2], m[3] * c[0] + m[4] * c[1] + m[5] * c[2],
          m[6] * c[0] + m[7] * c[1] + m[8] * c[2]};
}
Rgb each(const Rgb& c, const Curve& f) { return {f(c[0]), f(c[1]), f(c[2])}; }
double clamped(double x) { return std::clamp(x, 0.0, 1.0); }

// The chromaticity stays, light becomes T(Y).
Color of_luminance(const Curve& curve) {
  return [curve](const Rgb& c) {
    const double y = luminance(c), share = y > 0 ? curve(y) / y : 0;
    return Rgb{c[0] * share, c[1] * share, c[2] * share};
  };
}
Color of_channels(const Curve& curve) {
  return [curve](const Rgb& c) { return each(c, curve); };
}

double day(double x) {
  const double w = 10, b = 0.1, t = 0.7, s = 0.8, c = 2,
               k = (1 - t) * (c - b) / ((1 - s) * (w - c) + (1 - t) * (c - b));
  if (x < c) return clamped(k * (1 - t) * (x - b) / (c - (1 - t) * b - t * x));
  return clamped((1 - k) * (x - c) / (s * x + (1 - s) * w - c) + k);
}
double hable(double x) {
  const auto f = [](double v) {
    return (v * (0.15 * v + 0.1 * 0.5) + 0.2 * 0.02) / (v * (0.15 * v + 0.5) + 0.2 * 0.3) - 0.02 / 0.3;
  };
  return f(2 * x) / f(11.2);
}
double lottes(double x, double a = 1.6) {
  const double d = 0.977, w = 8, m = 0.18, n = 0.267;
  const double wide = std::pow(w, a * d) - std::pow(m, a * d);
  const double b = (-std::pow(m, a) + std::pow(w, a) * n) / (wide * n);
  const double c = (std::pow(w, a * d) * std::pow(m, a) - std::pow(w, a) * std::pow(m, a * d) * n) / (wide * n);
  return std::pow(x, a) / (std::pow(x, a * d) * b + c);
}
double uchimura(double x) {
  const double p = 1, a = 1, m = 0.22, l = 0.4, c = 1.33, b = 0, l0 = (p - m) * l / a, s1 = m + a * l0;
  const double t = std::clamp(x / m, 0.0, 1.0), w0 = 1 - t * t * (3 - 2 * t), w2 = x >= m + l0 ? 1 : 0;
  return (m * std::pow(x / m, c) + b) * w0 + (m + a * (x - m)) * (1 - w0 - w2) +
         (p - (p - s1) * std::exp(-a * p / (p - s1) * (x - s1) / p)) * w2;
}
double narkowicz(double x) { return clamped(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)); }

Rgb hill(const Rgb& c) {
  const Matrix in{0.59719, 0.35458, 0.04823, 0.076, 0.90834, 0.01566, 0.0284, 0.13383, 0.83777};
  const Matrix out{1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602};
  const Rgb fit = each(in * c, [](double v) {
    return (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081);
  });
  return each(out * fit, clamped);
}

const Matrix agx_in{0.842479062253094,  0.0784335999999992, 0.0792237451477643, 0.0423282422610123, 0.878468636469772,
                    0.0791661274605434, 0.0423756549057051, 0.0784336,          0.879142973793104};
const Matrix agx_out{1.19687900512017,    -0.0980208811401368, -0.0990297440797205,
                     -0.0528968517574562, 1.15190312990417,    -0.0989611768448433,
                     -0.0529716355144438, -0.0980434501171241, 1.15107367264116};
double agx_polynomial(double x) {
  return ((((((15.5 * x - 40.14) * x + 31.96) * x - 6.868) * x + 0.4298) * x + 0.1191) * x) - 0.00232;
}
double agx_sigmoid(double x) {
  const double t = 20.0 / 33, d = std::fabs(x - t);
  return x <= t ? 0.5 + 2 * (x - t) * std::pow(1 + 59.507875 * std::pow(d, 3), -1.0 / 3)
                : 0.5 + 2 * (x - t) * std::pow(1 + 69.86278913545539 * std::pow(d, 3.25), -4.0 / 13);
}
Color agx(const Curve& curve, const Color& look, double power = 2.2) {
  return [=](const Rgb& c) {
    const Rgb shares = each(agx_in * c, [&](double v) {
      return curve(clamped((std::log2(std::max(v, 1e-10)) + 12.47393) / (4.026069 + 12.47393)));
    });
    return each(agx_out * look(shares), [&](double v) { return std::pow(std::max(v, 0.0), power); });
  };
}
Rgb same(const Rgb& c) { return c; }

Rgb neutral(const Rgb& color) {
  const double x = std::ranges::min(color), offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
  const Rgb c = each(color, [&](double v) { return v - offset; });
  const double p = std::ranges::max(c);
  if (p < 0.76) return c;
  const double n = 1 - 0.0576 / (p - 0.52), g = 1 - 1 / (0.15 * (p - n) + 1);
  return each(c, [&](double v) { return v * n / p * (1 - g) + n * g; });
}

double srgb_decoded(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

struct Operator {
  const char* line;
  std::function<Color(const Numbers&)> color;
  Tolerance tolerance = {2e-5, 4e-6};
};

std::function<Color(const Numbers&)> fixed(const Color& color) {
  return [color](const Numbers&) { return color; };
}

const Operator operators[] = {
    {"--curve reinhard", fixed(of_luminance([](double l) { return l / (1 + l); }))},
    {"--curve reinhard --chroma per-channel", fixed(of_channels([](double l) { return l / (1 + l); }))},
    {"--curve reinhard --chroma saturate --saturation 0.6", fixed([](const Rgb& c) {
       const double y = luminance(c);
       return each(c, [&](double v) { return y > 0 ? std::pow(v / y, 0.6) * y / (1 + y) : 0; });
     })},
    {"--curve reinhard --key 0.18 --fit",
     [](const Numbers& n) {
       return Color([n](const Rgb& c) {
         const double l = 0.18 / n.log_average * luminance(c), y = l / (1 + l), share = y / luminance(c);
         const Rgb bright{c[0] * share, c[1] * share, c[2] * share};
         const double most = std::ranges::max(bright), t = most > 1 ? (1 - y) / (most - y) : 1;
         return each(bright, [&](double v) { return y + t * (v - y); });
       });
     }},
    {"--curve reinhard-extended --chroma ratio",
     [](const Numbers& n) {
       return of_luminance([n](double l) { return l * (1 + l / (n.largest * n.largest)) / (1 + l); });
     }},
    {"--curve day --chroma per-channel", fixed(of_channels(day))},
    {"--curve hable", fixed(of_luminance(hable))},
    {"--curve drago",
     [](const Numbers& n) {
       return of_luminance([n](double l) {
         return 1 / std::log10(n.largest / n.log_average + 1) * std::log(l / n.log_average + 1) /
                std::log(2 + 8 * std::pow(l / n.largest, std::log(0.85) / std::log(0.5)));
       });
     }},
    {"--curve exponential --average 0.7", fixed(of_luminance([](double l) { return 1 - std::exp(-l / 0.7); }))},
    {"--curve logarithmic --strength 5",
     [](const Numbers& n) {
       return of_luminance([n](double l) { return std::log(1 + 5 * l) / std::log(1 + 5 * n.largest); });
     }},
    {"--curve ward --average 0.25", fixed(of_luminance([](double l) {
       return std::min(1.0, l / 100 * std::pow((1.219 + std::pow(50, 0.4)) / (1.219 + std::pow(0.25, 0.4)), 2.5));
     }))},
    {"--curve narkowicz", fixed(of_channels(narkowicz))},
    {"--curve lottes", fixed(of_channels([](double x) { return lottes(x); }))},
    {"--curve uchimura", fixed(of_channels(uchimura))},
    {"--curve hill", fixed(hill)},
    {"--curve agx", fixed(agx(agx_polynomial, same)), {2e-4, 1e-5}},
    {"--curve agx-exact --display-power 2.4", fixed(agx(agx_sigmoid, same, 2.4)), {1e-4, 1e-5}},
    {"--curve neutral", fixed(neutral)},
};

Numbers numbers_of(const Image& image) {
  double sum = 0, count = 0, largest = 0;
  for (const Position& texel : image.texels)
    if (const double y = luminance(rgb_of(texel)); y > 0) sum += std::log(y), ++count, largest = std::fmax(largest, y);
  return {std::exp(sum / count), largest};
}

// Gray light from 0 to 2^12.
Image ramp() {
  return made("ramp", 256, 1, false, [](int x, int) {
    const double light = x == 0 ? 0 : std::exp2(x / 8.0 - 20);
    return Position{light, light, light, 1};
  });
}

}  // namespace

DEVICE_TEST_CASE("tone curves are those of their publications; they rise from black on and keep gray gray") {
  for (const Operator& op : operators) {
    const std::string line = std::string("tonemap ") + op.line;
    Images inputs{one(), odd(), wide(), holes(), ramp()};
    const Images results = run(line, inputs);
    for (size_t i = 0; i < 4; ++i)
      check_near(results[i], unpremultiply(inputs[i], op.color(numbers_of(inputs[i]))), line, op.tolerance);
    const Image& seen = results[4];
    int falls = 0, colored = 0, wrong = 0;
    for (int x = 0; x < 256; ++x) {
      const Position& t = seen.at(x, 0);
      falls += x > 0 && t[0] < seen.at(x - 1, 0)[0] * (1 - 1e-6) - 1e-7;
      colored += std::fabs(t[0] - t[2]) > 2e-3 * t[0] + 1e-6;
      wrong += !(t[0] >= 0) || !std::isfinite(t[0]);
    }
    CHECK_MESSAGE(falls == 0, line, " falls ", falls, " times");
    CHECK_MESSAGE(colored == 0, line, " colors ", colored, " grays");
    CHECK_MESSAGE(wrong == 0, line, " makes ", wrong, " numbers that are no light");
    CHECK_MESSAGE(seen.at(0, 0)[0] <= 1e-6, line, " makes ", seen.at(0, 0)[0], " of black");
  }
}

DEVICE_TEST_CASE("light scaled to a key comes out the same at any exposure") {
  Images inputs{wide()};
  for (const int stop : {-30, -8, 8, 20}) inputs.push_back(scaled(wide(), std::exp2(stop)));
  for (const char* line : {"tonemap --curve reinhard-extended --key 0.18", "tonemap --curve drago",
                           "tonemap --curve reinhard-local --key 0.18", "exposure --auto tonemap --curve agx"}) {
    const Images seen = run(line, inputs);
    for (size_t i = 1; i < inputs.size(); ++i) check_near(seen[i], seen[0], line, {2e-4, 2e-5});
  }
}

DEVICE_TEST_CASE(
    "whatever an option of a curve may be, light stays light and grows with light, or the option is refused") {
  for (const std::string options :
       {"lottes --mid-in 0.9 --mid-out 0.01", "lottes --white 60 --contrast 1.75 --shoulder 0.8 --mid-in 0.36",
        "hable --toe 0.3 --toe-numerator 0.09 --toe-denominator 0.36 --angle 0.03 --linear 0.2 --shoulder 0.7",
        "uchimura --contrast 2 --linear 0.9", "day --toe 0.99 --shoulder 0.99", "lottes --contrast 2 --white 1000"}) {
    const std::string line = "tonemap --curve " + options;
    const Images results = run_unless_refused(line, {ramp()});
    if (results.empty()) continue;
    const Image& seen = results[0];
    int falls = 0;
    double least = 0;
    for (int x = 1; x < 256; ++x) {
      falls += !(seen.at(x, 0)[0] >= seen.at(x - 1, 0)[0] * (1 - 1e-5) - 1e-6);
      least = std::fmin(least, seen.at(x, 0)[0]);
    }
    CHECK_MESSAGE(falls == 0, line, " falls ", falls, " times");
    CHECK_MESSAGE(least >= 0, line, " makes ", least);
  }
}

DEVICE_TEST_CASE("what is no light, or negative, is black") {
  const Image broken = made("no light", 4, 2, true, [](int x, int y) {
    if (y == 1) return Position{0, 0, 0, double(x % 2)};
    return x == 0   ? Position{NAN, NAN, NAN, 1}
           : x == 1 ? Position{-1, -2, -3, 1}
           : x == 2 ? Position{INFINITY, INFINITY, INFINITY, 1}
                    : Position{1, 1, 1, 1};
  });
  for (const std::string line : {"tonemap", "tonemap --curve narkowicz", "tonemap --curve agx",
                                 "tonemap --curve neutral", "tonemap --curve uchimura"}) {
    const Image seen = run(line, {broken})[0];
    for (const int x : {0, 1})
      for (size_t c = 0; c < 3; ++c)
        CHECK_MESSAGE(std::fabs(seen.at(x, 0)[c]) < 1e-6, line, " makes ", seen.at(x, 0)[c]);
    CHECK_MESSAGE(seen.at(2, 0)[0] > 0.9, line);
    for (int x = 0; x < 4; ++x)
      for (size_t c = 0; c < 3; ++c)
        CHECK_MESSAGE(std::fabs(seen.at(x, 1)[c]) < 1e-6, line, " makes ", seen.at(x, 1)[c]);
  }
}

DEVICE_TEST_CASE("the looks of AgX are ASC CDL between its curve and its way out") {
  struct Look {
    const char* name;
    Rgb slope;
    double power, saturation;
  };
  // B. Wrensch takes the luma before slope and power
  for (const Look& look : {Look{"punchy", {1, 1, 1}, 1.35, 1.4}, Look{"golden", {1, 0.9, 0.5}, 0.8, 1.3}}) {
    const auto cdl = [&](const Rgb& v) {
      const double luma = 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
      Rgb result;
      for (size_t c = 0; c < 3; ++c)
        result[c] = luma + look.saturation * (std::pow(std::max(v[c] * look.slope[c], 0.0), look.power) - luma);
      return result;
    };
    const std::string line = std::string("tonemap --curve agx --look ") + look.name;
    check_near(run(line, {dim()}), {unpremultiply(dim(), agx(agx_polynomial, cdl))}, line, {3e-4, 2e-5});
  }
}

DEVICE_TEST_CASE("the local curve is the global one where light is even, and uses the wide mean where it may") {
  const Image even = made("even", 33, 20, false, [](int, int) { return Position{0.8, 0.4, 0.2, 1}; });
  const auto extended = [](double white, const Curve& adapted) {
    return [=](double l) { return l * (1 + l / (white * white)) / (1 + adapted(l)); };
  };
  check_near(run("tonemap --curve reinhard-local --white 3", {even}),
             {unpremultiply(even, of_luminance(extended(3, [](double l) { return l; })))},
             "reinhard-local of an even picture", {1e-5, 0});
  // no activity stops the search: V is the gaussian of the last scale
  const Image source = dim();
  Image light = source;
  for (Position& texel : light.texels) texel[0] = texel[1] = texel[2] = luminance(rgb_of(texel));
  const double sigma = 0.25 * std::pow(1.6, 3);
  const Image mean = blurred(light, sigma, 20);
  Image expected = source;
  for (size_t at = 0; at < source.texels.size(); ++at) {
    const double l = light.texels[at][0], share = (1 + l / 1e12) / (1 + mean.texels[at][0]);
    for (size_t c = 0; c < 3; ++c) expected.texels[at][c] *= share;
  }
  check_near(run("tonemap --curve reinhard-local --sharpening 16 --epsilon 10 --scales 4", {source}), {expected},
             "reinhard-local without edges", {2e-3, 1e-3});
}

DEVICE_TEST_CASE("localgamma raises light to the power of its adaptation, as a display of sRGB shows it") {
  const auto exponent = [](double l) { return 0.444 + 0.045 * std::log(clamped(l) + 0.6034); };
  const Image alpha = scaled(holes(), 1 / 16.0);
  const Images inputs{dim(), alpha};
  const Images gamma = run("localgamma", inputs), keep = run("localgamma --chroma keep", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_near(gamma[i],
               unpremultiply(inputs[i],
                             [&](const Rgb& c) {
                               const double g = exponent(luminance(c));
                               return each(c, [&](double v) { return srgb_decoded(std::pow(v, g)); });
                             }),
               "localgamma", {1e-4, 1e-5});
    check_near(keep[i],
               unpremultiply(inputs[i],
                             [&](const Rgb& c) {
                               const double y = luminance(c), share = std::pow(y, exponent(y)) / y;
                               return each(c, [&](double v) { return srgb_decoded(v * share); });
                             }),
               "localgamma --chroma keep", {1e-4, 1e-5});
  }
  const Image around = blurred(dim(), 2, 6);
  Image expected = dim();
  for (size_t at = 0; at < expected.texels.size(); ++at) {
    const double g = exponent(luminance(rgb_of(around.texels[at])));
    for (size_t c = 0; c < 3; ++c) expected.texels[at][c] = srgb_decoded(std::pow(expected.texels[at][c], g));
  }
  check_near(run("localgamma --adapt-radius 6", {dim()}), {expected}, "localgamma --adapt-radius", {1e-4, 1e-5});
}

DEVICE_TEST_CASE("negative light is black before curves of luminance and local gamma, whatever becomes of chroma") {
  const Images inputs{negatives(), made("cases", 4, 1, false, [](int x, int) {
                        return x == 0   ? Position{-1, 0.5, 0.2, 1}
                               : x == 1 ? Position{1, -0.5, 0, 1}
                               : x == 2 ? Position{0, -0.1, 1, 1}
                                        : Position{-1, -2, -0.5, 1};
                      })};
  Images bright;
  for (const Image& input : inputs)
    bright.push_back(mapped(input, [](const Position& c) {
      Position made = c;  // alpha is positive
      for (size_t k = 0; k < 3; ++k) made[k] = std::max(0.0, c[k]);
      return made;
    }));
  for (const std::string line :
       {"tonemap", "tonemap --fit", "tonemap --chroma ratio", "tonemap --curve hable", "localgamma",
        "localgamma --chroma keep", "localgamma --chroma keep --adapt-radius 1"}) {
    // gamma alone and surroundings take the luminance of the light as it is
    if (line.starts_with("tonemap") || line.ends_with("keep"))
      check_near(run(line, inputs), run(line, bright), line, {1e-4, 1e-6});
    for (const Image& image : run(line, inputs))
      for (const Position& texel : image.texels)
        for (size_t k = 0; k < 3; ++k) CHECK_MESSAGE(texel[k] >= -1e-6, line);
  }
}
