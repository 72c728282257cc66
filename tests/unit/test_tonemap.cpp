// Tone curves against the numbers that their papers and programs give, and what all of them keep to.
#include "core/op/point.h"
#include "core/ops/tonemap/reference.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace gpupost;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A curve with its defaults, as `tonemap` applies it to a picture with such measures.
Tone tone_of(std::string_view name, Measures measures = {.average = 0.25, .maximum = 100}) {
  const Curve& curve = curve_named(name);
  Tone tone{.curve = &curve, .chroma = curve.kind == CurveKind::luminance ? Chroma::keep : Chroma::per_channel};
  for (size_t index = 0; index < curve.params.size(); ++index) {
    const CurveParam& param = curve.params[index];
    tone.numbers[index] = param.measured == Measured::average   ? measures.average
                          : param.measured == Measured::maximum ? measures.maximum
                                                                : param.default_value;
  }
  return tone;
}

Rgb gray(double light) { return {light, light, light}; }

void check_near(const Rgb& found, const Rgb& expected, double tolerance, std::string_view what) {
  for (size_t c = 0; c < 3; ++c)
    CHECK_MESSAGE(std::abs(found[c] - expected[c]) <= tolerance,
                  fmt::format("{}: ({}, {}, {}), expected ({}, {}, {})", what, found[0], found[1], found[2],
                              expected[0], expected[1], expected[2]));
}

}  // namespace

TEST_CASE("curves of one number give the values of their formulas, to a unit of the last place given") {
  constexpr std::array light{0.01, 0.05, 0.1, 0.18, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 100.0};
  const std::map<std::string_view, std::array<double, 11>> expected{
      {"reinhard", {.009901, .047619, .090909, .152542, .333333, .500000, .666667, .800000, .888889, .909091, .990099}},
      {"reinhard-extended",
       {.009907, .047768, .091477, .154258, .343750, .531250, .750000, 1.000000, 1.333333, 1.477273, 7.178218}},
      {"reinhard-local",
       {.009901, .047619, .090909, .152542, .333333, .500000, .666667, .800000, .888889, .909091, .990099}},
      {"day", {0, 0, 0, .003419, .019457, .055844, .262673, .723502, .953917, 1, 1}},
      {"hable", {.007664, .037929, .074215, .128338, .304301, .492919, .713238, .918030, 1.071748, 1.108868, 1.266767}},
      {"narkowicz", {.003770, .044283, .125840, .266899, .616307, .803797, .914855, .973417, 1, 1, 1}},
      {"lottes",
       {.003751, .046723, .127664, .267000, .621780, .806153, .908065, .963494, 1.000000, 1.010033, 1.103910}},
      {"uchimura",
       {.003644, .033206, .086988, .178995, .500000, .827832, .979678, .999717, 1.000000, 1.000000, 1.000000}},
      {"exponential",
       {.009950, .048771, .095163, .164730, .393469, .632121, .864665, .981684, .999665, .999955, 1.000000}},
      {"logarithmic",
       {.002156, .010572, .020652, .035864, .087856, .150190, .238046, .348732, .476093, .519574, 1.000000}},
      {"drago", {.014046, .057988, .101265, .155511, .288886, .398556, .512151, .621528, .722073, .752211, 1.000000}},
      {"ward", {.002048, .010241, .020481, .036866, .102406, .204811, .409623, .819245, 1, 1, 1}}};
  for (const auto& [name, values] : expected) {
    Tone tone = tone_of(name);
    if (name == "reinhard-extended") tone.numbers[0] = 4;
    if (name == "exponential") tone.numbers[0] = 1;
    for (size_t index = 0; index < light.size(); ++index)
      check_near(tone_mapped(gray(light[index]), tone), gray(values[index]), 1e-6,
                 fmt::format("{} of {}", name, light[index]));
  }
  CHECK(expected.size() == size_t(std::ranges::count(all_curves(), nullptr, &Curve::color)));
}

TEST_CASE("curves of whole colors give the values of the programs that they are from") {
  constexpr std::array<Rgb, 6> colors{
      {{.18, .18, .18}, {1, 1, 1}, {1, .5, .25}, {4, 1, .2}, {.02, .1, 3}, {10, 10, 10}}};
  struct Expected {
    std::string_view curve;
    AgxSettings agx;
    std::array<Rgb, 6> values;
  };
  const Expected all[] = {{"hill",
                           {},
                           {{{.105591, .105591, .105590},
                             {.619115, .619115, .619109},
                             {.634990, .384600, .203160},
                             {.997161, .663381, .281856},
                             {.085959, .062413, .905633},
                             {.973822, .973822, .973812}}}},
                          {"agx",
                           {},
                           {{{.214467, .214533, .214537},
                             {.589977, .590207, .590221},
                             {.610114, .431149, .291676},
                             {.921350, .617630, .350289},
                             {.244716, .297369, .890363},
                             {.954919, .955357, .955384}}}},
                          {"agx-exact",
                           {.power = 1},
                           {{{.499944, .500015, .500019},
                             {.787405, .787544, .787553},
                             {.799265, .681346, .571851},
                             {.967361, .804155, .619882},
                             {.528532, .576113, .951765},
                             {.984979, .985185, .985197}}}},
                          {"agx",
                           {.look = AgxLook::punchy, .power = 1},
                           {{{.345660, .345678, .345679},
                             {.698127, .698224, .698230},
                             {.755231, .558173, .379288},
                             {1.002662, .715474, .407667},
                             {.337965, .414343, 1.050493},
                             {.969311, .969506, .969518}}}},
                          {"agx",
                           {.look = AgxLook::golden, .power = 1},
                           {{{.630854, .555871, .235728},
                             {.890712, .782402, .319845},
                             {.922871, .697189, .213733},
                             {1.066877, .785749, .202669},
                             {.653672, .622496, .484142},
                             {1.048582, .919570, .368480}}}},
                          {"neutral",
                           {},
                           {{{.14, .14, .14},
                             {.869091, .869091, .869091},
                             {.869091, .422529, .199248},
                             {.983256, .468299, .330977},
                             {.226511, .246648, .976609},
                             {.993898, .993898, .993898}}}}};
  for (const Expected& expected : all) {
    Tone tone = tone_of(expected.curve);
    tone.agx = expected.agx;
    for (size_t index = 0; index < colors.size(); ++index)
      check_near(tone_mapped(colors[index], tone), expected.values[index], 1e-6,
                 fmt::format("{} of color {}", expected.curve, index));
  }
}

TEST_CASE("AgX in Rec. 2020 and of Filament give their values in Rec. 2020") {
  Tone filament = tone_of("agx-filament"), rec2020 = tone_of("agx-rec2020");
  rec2020.agx.power = 2.4;
  check_near(tone_mapped(gray(0.18), filament), gray(.214848), 1e-5, "filament, gray");
  check_near(tone_mapped({1, .5, .25}, filament), {.600008, .422193, .305399}, 1e-6, "filament, brown");
  check_near(tone_mapped({4, 1, .2}, filament), {.923134, .614353, .418357}, 1e-6, "filament, red");
  check_near(tone_mapped(gray(0.18), rec2020), gray(.189465), 1e-5, "rec2020, gray");
  check_near(tone_mapped({1, .5, .25}, rec2020), {.579661, .391673, .274048}, 1e-6, "rec2020, brown");
  check_near(tone_mapped({4, 1, .2}, rec2020), {.939000, .598366, .386491}, 1e-6, "rec2020, red");
}

TEST_CASE("curves meet the numbers that define them") {
  const auto value = [](std::string_view name, double light) { return tone_mapped(gray(light), tone_of(name))[0]; };
  CHECK(value("day", 0.1) == doctest::Approx(0).epsilon(1e-12));
  CHECK(value("day", 10) == doctest::Approx(1));
  CHECK(value("hable", 5.6) == doctest::Approx(1));
  CHECK(value("lottes", 0.18) == doctest::Approx(0.267));
  CHECK(value("lottes", 8) == doctest::Approx(1));
  for (const std::string_view name : {"reinhard-extended", "logarithmic", "drago"})
    CHECK(value(name, 100) == doctest::Approx(1));
  const double step = 1e-6;
  CHECK(value("day", 2) - value("day", 2 - step) == doctest::Approx(value("day", 2 + step) - value("day", 2)));
}

TEST_CASE("every curve is monotone, finite whatever it is given, and leaves black black") {
  for (const Curve& curve : all_curves()) {
    CAPTURE(curve.name);
    const Tone tone = tone_of(curve.name);
    // the polynomial of degree 7 misses black and bends there, by a tenth of a step of 8 bits
    const double slack = curve.name == "agx-filament" ? 3e-6 : 1e-12;
    check_near(tone_mapped(gray(0), tone), gray(0), slack, "black");
    Rgb before = tone_mapped(gray(0), tone);
    for (double stop = -30; stop < 100; stop += 1.0 / 16) {
      const Rgb after = tone_mapped(gray(std::exp2(stop)), tone);
      for (size_t c = 0; c < 3; ++c) {
        CHECK(std::isfinite(after[c]));
        CHECK_MESSAGE(after[c] >= before[c] - slack * (1 + before[c]), curve.name, " at ", std::exp2(stop));
      }
      before = after;
    }
    for (const double odd : {-1.0, -infinity, std::numeric_limits<double>::quiet_NaN()})
      check_near(tone_mapped(gray(odd), tone), tone_mapped(gray(0), tone), 0, "odd light");
    check_near(tone_mapped(gray(infinity), tone), tone_mapped(gray(brightest), tone), 0, "infinite light");
    CHECK(std::isfinite(tone_mapped({infinity, 0, 1}, tone)[1]));
  }
}

TEST_CASE("uchimura is finite where its shoulder has hardly any height") {
  Tone tone = tone_of("uchimura");
  tone.numbers = {0.5, 1, 0.45, 0.99, 1.33, 0};  // peak, contrast, linear start and length, toe, pedestal
  check_near(tone_mapped(gray(0), tone), gray(0), 1e-12, "black");
  check_near(tone_mapped(gray(100), tone), gray(0.5), 1e-9, "the peak");
}

TEST_CASE("chroma: Yxy is kept, or saturation changes, or each channel goes alone") {
  Tone tone = tone_of("reinhard");
  const Rgb red{4, 1, .2}, blue{.02, .1, 3};
  for (const Chroma chroma : {Chroma::keep, Chroma::ratio}) {
    tone.chroma = chroma;
    check_near(tone_mapped(red, tone), {1.550290, .387572, .077514}, 1e-6, "kept red");
    check_near(tone_mapped(blue, tone), {.015476, .077379, 2.321359}, 1e-6, "kept blue");
  }
  tone.is_fitted = true;
  check_near(tone_mapped(red, tone), {1, .519506, .391374}, 1e-6, "fitted red");
  check_near(tone_mapped(blue, tone), {.148383, .171245, 1}, 1e-6, "fitted blue");
  const Rgb mapped = tone_mapped(red, tone);
  CHECK(luminance_of({mapped[0], mapped[1], mapped[2], 1}) == doctest::Approx(.612428).epsilon(1e-6));
  tone.is_fitted = false;
  tone.chroma = Chroma::saturate;
  tone.saturation = 0;
  check_near(tone_mapped(red, tone), gray(.612428), 1e-6, "gray");
  tone.saturation = 1;
  check_near(tone_mapped(red, tone), {1.550290, .387572, .077514}, 1e-6, "as it was");
  tone.chroma = Chroma::per_channel;
  check_near(tone_mapped(red, tone), {.8, .5, .2 / 1.2}, 1e-6, "each channel");
}

TEST_CASE("light is scaled before the curve") {
  Tone tone = tone_of("reinhard");
  tone.scale = 0.18 / 0.25;
  check_near(tone_mapped(gray(0.25), tone), gray(.152542), 1e-6, "the average becomes the key");
}
