// Ops of one texel, held against their published formulas, and what holds of them whatever their formula.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>

using namespace definitions;

namespace {

using Curve = std::function<double(double)>;

std::function<Rgb(Rgb)> each(const Curve& f) {
  return [f](const Rgb& c) { return Rgb{f(c[0]), f(c[1]), f(c[2])}; };
}
std::function<Rgb(Rgb)> rows(const std::array<double, 12>& m) {
  return [m](const Rgb& c) {
    Rgb result{};
    for (size_t row = 0; row < 3; ++row)
      result[row] = m[4 * row] * c[0] + m[4 * row + 1] * c[1] + m[4 * row + 2] * c[2] + m[4 * row + 3];
    return result;
  };
}
double signed_power(double base, double exponent) { return std::copysign(std::pow(std::fabs(base), exponent), base); }

// The light over a threshold, with a parabola of the width of two knees around it.
double over(double y, double threshold, double knee) {
  if (y >= threshold + knee) return y - threshold;
  return y <= threshold - knee ? 0 : (y - threshold + knee) * (y - threshold + knee) / (4 * knee);
}
std::function<Rgb(Rgb)> bright(const Curve& f) {
  return [f](const Rgb& c) {
    const double y = luminance(c), share = y > 0 ? f(y) / y : 0;
    return Rgb{c[0] * share, c[1] * share, c[2] * share};
  };
}

struct PointOp {
  const char* line;
  std::function<Rgb(Rgb)> f;   // of straight color
  bool is_per_channel = true;  // R, G and B alike, each by itself
  Tolerance tolerance = {};
};

const PointOp point_ops[] = {
    {"exposure --stops 1.5", each([](double c) { return c * std::exp2(1.5); })},
    {"exposure --stops -32", each([](double c) { return c * 0x1p-32; }), true, {2e-6, 1e-15}},
    {"gain --value -1.5", each([](double c) { return -1.5 * c; })},
    {"gain --value 3 --red 0.5 --blue 0",
     [](const Rgb& c) {
       return Rgb{0.5 * c[0], 3 * c[1], 0};
     },
     false},
    {"offset --value 0.1", each([](double c) { return c + 0.1; })},
    {"offset --value -0.25 --green 2",
     [](const Rgb& c) {
       return Rgb{c[0] - 0.25, c[1] + 2, c[2] - 0.25};
     },
     false},
    {"contrast --factor 1.4", each([](double c) { return 0.18 * signed_power(c / 0.18, 1.4); }), true, {1e-5, 1e-6}},
    {"contrast --factor 0.5 --pivot 2",
     each([](double c) { return 2 * signed_power(c / 2, 0.5); }),
     true,
     {1e-5, 1e-6}},
    {"gamma --value 2.2", each([](double c) { return signed_power(c, 1 / 2.2); }), true, {1e-5, 1e-6}},
    {"gamma --value 0.5", each([](double c) { return c * std::fabs(c); }), true, {1e-5, 1e-6}},
    {"saturation --factor 1.4",
     [](const Rgb& c) {
       const double y = luminance(c);
       return Rgb{y + 1.4 * (c[0] - y), y + 1.4 * (c[1] - y), y + 1.4 * (c[2] - y)};
     },
     false,
     {4e-6, 2e-5}},
    {"saturation --factor 0",
     [](const Rgb& c) {
       return Rgb{luminance(c), luminance(c), luminance(c)};
     },
     false,
     {5e-5, 1e-6}},
    {"matrix --rows 0.5,0.3,0.2,0,1,0,0.1,0,0.9",
     rows({0.5, 0.3, 0.2, 0, 0, 1, 0, 0, 0.1, 0, 0.9, 0}),
     false,
     {2e-6, 8e-6}},
    {"matrix --rows 1,0,0,0.25,0,1,0,0,-2,0,1,-0.125",
     rows({1, 0, 0, 0.25, 0, 1, 0, 0, -2, 0, 1, -0.125}),
     false,
     {2e-6, 8e-6}},
    {"clamp", each([](double c) { return std::clamp(c, 0.0, 1.0); })},
    {"clamp --min 0.1 --max 4", each([](double c) { return std::clamp(c, 0.1, 4.0); })},
    {"clamp --min -0.05 --max 65504", each([](double c) { return std::fmax(c, -0.05); })},
    {"nan", each([](double c) { return c; })},
    {"brightpass", bright([](double y) { return over(y, 1, 0); }), false, {1e-5, 4e-6}},
    {"brightpass --threshold 0.5 --knee 0.25",
     bright([](double y) { return over(y, 0.5, 0.25); }),
     false,
     {1e-5, 4e-6}},
    {"brightpass --form mapped --threshold 0.2 --log-average 0.3 --key 0.36 --limit 5",
     bright([](double y) {
       const double v = over(y * 0.36 / 0.3, 0.2, 0);
       return v / (5 + v);
     }),
     false,
     {1e-5, 4e-6}},
    {"point own.glsl --set gain=0.5",
     [](const Rgb& c) {
       return Rgb{0.5 * c[1], c[0] * c[0], c[2]};
     },
     false},
    {"invert", each([](double c) { return 1 - c; })},
    {"invert --white 4", each([](double c) { return 4 - c; })},
    {"invert --green",
     [](const Rgb& c) {
       return Rgb{c[0], 1 - c[1], c[2]};
     },
     false},
    {"invert --blue --red --white 0.5",
     [](const Rgb& c) {
       return Rgb{0.5 - c[0], c[1], 0.5 - c[2]};
     },
     false},
    {"threshold --level 0.25", each([](double c) { return c >= 0.25 ? 1.0 : 0.0; })},
    {"threshold --level 0.5 --by luminance",
     [](const Rgb& c) {
       const double made = luminance(c) >= 0.5 ? 1 : 0;
       return Rgb{made, made, made};
     },
     false},
    {"grade --slope 1.2 --offset -0.05 --power 1.5",
     each([](double c) {
       const double moved = 1.2 * c - 0.05;
       return moved < 0 ? moved : std::pow(moved, 1.5);
     }),
     true,
     {1e-5, 1e-6}},
    {"grade --slope 0.5,1,2 --offset 0.1,0,-0.1 --power 1,2,0.5 --saturation 0.5 --clamp",
     [](const Rgb& c) {
       const auto limited = [](double n) { return std::clamp(n, 0.0, 1.0); };
       const Rgb v{limited(0.5 * c[0] + 0.1), std::pow(limited(c[1]), 2), std::sqrt(limited(2 * c[2] - 0.1))};
       const double luma = 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
       return Rgb{(luma + v[0]) / 2, (luma + v[1]) / 2, (luma + v[2]) / 2};
     },
     false,
     {4e-5, 4e-5}},
    {"flip x flip x", each([](double c) { return c; })},
};

// Numbers that are no color: transparent texels that hold light, as additive sprites and flames have.
Image flame() {
  return made("light where alpha is 0", 5, 3, true, [](int x, int y) { return Position{0.5 * x, 0.25 * y, 1, 0}; });
}

bool is_finite(const Image& image) {
  return std::ranges::all_of(image.texels, [](const Position& texel) {
    return std::ranges::all_of(texel, [](double number) { return std::isfinite(number); });
  });
}

}  // namespace

DEVICE_TEST_CASE("point ops make what their formulas say, of straight color") {
  add_file("own.glsl",
           "//!point own\n//!param gain 1 0..2 of green\n"
           "vec4 own(vec4 c, own_params p) { return vec4(p.gain * c.g, c.r * c.r, c.b, c.a); }\n");
  for (const PointOp& op : point_ops) {
    const Images inputs{one(),       odd(),           wide(),  holes(),
                        negatives(), permuted(odd()), flame(), mirrored(odd(), true, true)};
    const Images results = run(op.line, inputs);
    for (size_t i = 0; i < 6; ++i) check_near(results[i], unpremultiply(inputs[i], op.f), op.line, op.tolerance);
    CHECK_MESSAGE(is_finite(results[6]), std::string(op.line));
    check_near(results[7], mirrored(results[1], true, true), std::string(op.line) + ", mirrored", {0, 0});
    if (op.is_per_channel) check_near(results[5], permuted(results[1]), std::string(op.line) + ", permuted", {0, 0});
  }
}

DEVICE_TEST_CASE("nothing comes of transparent black") {
  const Image clear = made("transparent", 9, 5, true, [](int, int) { return Position{}; });
  for (const char* line :
       {"offset --value 0.5", "invert", "threshold --level -1", "grade --offset 0.5", "clamp --min 0.25",
        "matrix --rows 1,0,0,1,0,1,0,1,0,0,1,1", "tonemap --curve uchimura --pedestal 0.2",
        "tonemap --curve agx tonemap --curve hill tonemap --curve day --black 0",
        "brightpass --threshold 0 exposure --auto tonemap --key 0.18 blur --sigma 2 resize --size "
        "100% bloom --threshold 0 localgamma"})
    check_near(run(line, {clear}), {clear}, line, {0, 0});
}

DEVICE_TEST_CASE("ops are the identity where their numbers are neutral") {
  const Images inputs{odd(), wide(), holes(), negatives()};
  for (const char* line :
       {"exposure --stops 0 gain offset gamma saturation matrix --rows 1,0,0,0,1,0,0,0,1 clamp --min -65504 --max "
        "65504 nan --policy clamp",
        "crop --window 17x9+0+0 flip xy flip x flip y blur --radius 0 bloom --intensity 0 mips --levels 1",
        "resize --size 100% resize --size 100% --filter box resize --size 100% --filter triangle", "stats contrast",
        "brightpass --threshold 0", "resize --size 100% --filter kaiser --hicomp", "matrix --named identity"}) {
    const bool is_cropped = std::string(line).starts_with("crop"), is_bright = std::string(line).starts_with("bright");
    const Images some = is_cropped  ? Images{odd(), holes(), negatives()}
                        : is_bright ? Images{odd(), wide(), holes()}
                                    : inputs;
    check_near(run(line, some), some, line, {2e-6, 2e-5});
  }
}

DEVICE_TEST_CASE("ops that undo each other leave the picture") {
  const Images inputs{odd(), wide(), holes(), negatives()};
  for (const char* line :
       {"gain --value 4 exposure --stops -2 contrast --factor 1.5 contrast --factor 0.666666666 gamma --value 2 gamma "
        "--value 0.5",
        "saturation --factor 0.5 saturation --factor 2 matrix --rows 0,1,0,0,0,1,1,0,0 matrix --rows 0,0,1,1,0,0,0,1,0",
        "rotate 90 rotate 180 rotate 90", "rotate 270 transpose flip x", "transpose transpose",
        "rotate 90 flip x transpose",
        "offset --value 3 offset --value -3 matrix --named rec709-to-xyz matrix --named xyz-to-rec709",
        "channels --list B,G,R,A flip x channels --list B,G,R,A flip x",
        "invert --white 3 invert --white 3 invert --red invert --red",
        "grade --slope 4 --offset 1 grade --slope 0.25 --offset -0.25"})
    check_near(run(line, inputs), inputs, line, {2e-5, 3e-5});
  check_near(run("crop --window 9x7+3+1 flip x crop --window 4x2+1+3", inputs),
             run("crop --window 4x2+7+4 flip x", inputs), "crop, flip, crop", {0, 0});
}

DEVICE_TEST_CASE("premultiply multiplies by alpha, and unpremultiply divides by it where it is not 0") {
  const Images inputs{odd(), holes(), flame()};
  const auto times_alpha = [](const Position& c) { return Position{c[0] * c[3], c[1] * c[3], c[2] * c[3], c[3]}; };
  const auto by_alpha = [](const Position& c) {
    return c[3] == 0 ? c : Position{c[0] / c[3], c[1] / c[3], c[2] / c[3], c[3]};
  };
  const Images multiplied = run("premultiply", inputs), divided = run("unpremultiply", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_near(multiplied[i], mapped(inputs[i], times_alpha), "premultiply");
    check_near(divided[i], mapped(inputs[i], by_alpha), "unpremultiply");
  }
}

DEVICE_TEST_CASE("white-balance makes the light of a black body and of daylight gray, as bright as before") {
  // R, G and B of Rec. 709 for x, y at Y = 1
  const auto light = [](double x, double y) {
    const double u = x / y, v = (1 - x - y) / y;
    return Position{3.2409699419 * u - 1.5373831776 - 0.4986107603 * v,
                    -0.9692436363 * u + 1.8759675015 + 0.0415550574 * v,
                    0.0556300797 * u - 0.2039769589 + 1.0569715142 * v, 1};
  };
  struct White {
    const char* line;
    double x, y, tolerance = 6e-3;
  };
  // CIE 15: illuminants A (2856 K), D50 (5003 K), D55, D65 and D75. 4500 K: the middle of the black body (0.3608, 0.3636; Wyszecki
  // and Stiles, Color Science) and of the daylight of CIE 15 (0.3621, 0.3709)
  for (const White& white : {White{"white-balance --kelvin 2856", 0.44757, 0.40745},
                             {"white-balance --kelvin 4500", 0.36145, 0.36725, 1e-3},
                             {"white-balance --kelvin 5003", 0.34567, 0.35850},
                             {"white-balance --kelvin 5503", 0.33242, 0.34743},
                             {"white-balance --kelvin 6504", 0.31272, 0.32903},
                             {"white-balance --kelvin 7504", 0.29902, 0.31485}}) {
    const Image lit = made("a white wall", 3, 2, false, [&](int, int) { return light(white.x, white.y); });
    const Image gray = made("gray", 3, 2, false, [](int, int) { return Position{1, 1, 1, 1}; });
    check_near(run(white.line, {lit}), {gray}, white.line, {white.tolerance, 0});
  }
}

DEVICE_TEST_CASE("grade takes its numbers from CDL files, and refuses files that have none") {
  const std::string correction =
      "<SOPNode>\n<Slope>1.2 0.9 1</Slope><!-- <Slope>9 9 9</Slope> --><Offset> 0.1 -0.05\n0 </Offset>\n"
      "<Power>1.1 1 0.9</Power></SOPNode>\n<SatNode><Saturation>0.75</Saturation></SatNode>";
  const std::string two =
      "<ColorCorrectionCollection><cdl:ColorCorrection id=\"a\"><cdl:SOPNode><cdl:Slope>2 2 "
      "2</cdl:Slope></cdl:SOPNode></cdl:ColorCorrection><ColorCorrection id='b'>" +
      correction + "</ColorCorrection></ColorCorrectionCollection>";
  add_file("one.cc", "<?xml version=\"1.0\"?><ColorCorrection id='x'><Description><![CDATA[a > <b> c]]></Description>" +
                         correction + "</ColorCorrection>");
  add_file("cdata.cc", "<ColorCorrection><Slope><![CDATA[2 2]]> 2</Slope></ColorCorrection>");
  add_file("two.ccc", two);
  const Images inputs{odd(), wide(), negatives()};
  const Images expected =
      run("grade --slope 1.2,0.9,1 --offset 0.1,-0.05,0 --power 1.1,1,0.9 --saturation 0.75", inputs);
  check_near(run("grade --file one.cc", inputs), expected, "one.cc", {0, 0});
  check_near(run("grade --file two.ccc --id b", inputs), expected, "two.ccc b", {0, 0});
  for (const std::string line : {"grade --file two.ccc --id a", "grade --file cdata.cc"})
    check_near(run(line, inputs), run("gain --value 2", inputs), line);
  for (const std::string text :
       {"<ColorCorrection><Slope>1 2</Slope></ColorCorrection>",
        "<ColorCorrection><Power>1 0 1</Power></ColorCorrection>", "<ColorCorrection><SOPNode/></ColorCorrection>",
        "<ColorDecisionList/>",
        "<ColorCorrection><SOPNode><Slop>2 1 1</Slop><Power>1 1 1</Power></SOPNode></ColorCorrection>",
        "<ColorCorrection><Slope>2 1 1</Slope></ColorCorrection", "<ColorCorrection><Slope>2 1 1</Slope>",
        "<ColorCorrection><Slope>2 1 1</Offset></ColorCorrection>", "<ColorCorrection><Slope>2 1 1</ColorCorrection>",
        "<ColorCorrection><Slope>2 1 1</Slope><Slope>2 1 1</Slope></ColorCorrection>"}) {
    CAPTURE(text);
    add_file("bad.cc", text);
    check_exit_code("grade --file bad.cc", odd(), 2);
  }
  add_file("same.ccc", "<A><ColorCorrection id='a'>" + correction + "</ColorCorrection><ColorCorrection id='a'>" +
                           correction + "</ColorCorrection></A>");
  add_file("cut.ccc", two.substr(0, two.find(" id='b'")));
  for (const std::string line :
       {"grade --file two.ccc", "grade --file two.ccc --id c", "grade --file same.ccc --id a", "grade --file cut.ccc"})
    check_exit_code(line, odd(), 2);
}

DEVICE_TEST_CASE("matrix --named holds the primaries' own numbers") {
  // derived from x and y of the primaries and of D65, as SMPTE RP 177 does
  const auto of_primaries = [](const std::array<double, 6>& p) {
    const double white[3] = {0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290};
    double m[3][3], inverse[3][3];
    for (size_t c = 0; c < 3; ++c) {
      const double x = p[2 * c], y = p[2 * c + 1];
      m[0][c] = x / y, m[1][c] = 1, m[2][c] = (1 - x - y) / y;
    }
    const auto minor = [&](size_t r, size_t c) {
      const size_t a = (r + 1) % 3, b = (r + 2) % 3, d = (c + 1) % 3, e = (c + 2) % 3;
      return m[a][d] * m[b][e] - m[a][e] * m[b][d];
    };
    const double determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
    for (size_t r = 0; r < 3; ++r)
      for (size_t c = 0; c < 3; ++c) inverse[r][c] = minor(c, r) / determinant;
    std::array<double, 12> result{};
    for (size_t c = 0; c < 3; ++c) {
      const double share = inverse[c][0] * white[0] + inverse[c][1] * white[1] + inverse[c][2] * white[2];
      for (size_t r = 0; r < 3; ++r) result[4 * r + c] = share * m[r][c];
    }
    return result;
  };
  const auto rec709 = rows(of_primaries({0.64, 0.33, 0.30, 0.60, 0.15, 0.06}));
  const auto rec2020 = rows(of_primaries({0.708, 0.292, 0.170, 0.797, 0.131, 0.046}));
  const Images inputs{odd(), wide()};
  const Images to_xyz = run("matrix --named rec709-to-xyz", inputs);
  const Images to_2020 = run("matrix --named rec709-to-rec2020", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_near(to_xyz[i], unpremultiply(inputs[i], rec709), "rec709-to-xyz", {2e-6, 1e-5});
    // both are the same light: the same X, Y and Z
    check_near(unpremultiply(to_2020[i], rec2020), unpremultiply(inputs[i], rec709), "rec709-to-rec2020", {4e-6, 2e-5});
  }
}

DEVICE_TEST_CASE("a matrix and conversions of primaries keep infinite light infinite") {
  const double inf = INFINITY;
  const Image endless = made("endless", 3, 1, true, [&](int x, int) {
    return x == 0 ? Position{inf, inf, inf, 1} : x == 1 ? Position{inf, 0.5, 2, 1} : Position{-inf, 0.25, 2, 1};
  });
  check_near(run("matrix --named identity", {endless}), {endless}, "identity");
  // the weights of the first row of Rec. 2020 to Rec. 709 add up to 1, and the last two are below 0
  const Image converted = run("matrix --named rec2020-to-rec709", {endless}).front();
  const Image expected = made("expected", 3, 1, true, [&](int x, int) {
    return x == 0 ? Position{inf, inf, inf, 1} : x == 1 ? Position{inf, -inf, -inf, 1} : Position{-inf, inf, inf, 1};
  });
  check_near({converted}, {expected}, "rec2020-to-rec709");
}

DEVICE_TEST_CASE("nan mends what is no number, and only that") {
  const double inf = INFINITY, nan = NAN;
  const Image broken = made("broken", 4, 1, true, [&](int x, int) {
    return x == 0   ? Position{nan, 1, -inf, 1}
           : x == 1 ? Position{inf, 0.5, 2, 0.5}
           : x == 2 ? Position{1, 2, 3, nan}
                    : Position{1, 2, 3, inf};
  });
  const auto mended = [&](double infinite) {
    return mapped(broken, [&](Position t) {
      for (double& number : t)
        number = number != number ? 0 : std::isinf(number) ? std::copysign(infinite, number) : number;
      return t;
    });
  };
  check_near(run("nan", {broken}), {mended(0)}, "nan");
  check_near(run("nan --policy clamp", {broken}), {mended(65504)}, "nan --policy clamp");
  check_exit_code("nan --policy error", broken, 2);
  check_exit_code("nan --policy error", odd(), 0);
}

DEVICE_TEST_CASE("channels takes its list, and flip and crop move texels with their windows") {
  const Image source = odd();
  const auto list = [&](const std::function<Position(Position)>& f) { return mapped(source, f); };
  check_near(run("channels --list B,A,B=0.5,A", {source}), {list([](const Position& t) {
               return Position{t[2], t[3], 0.5, t[3]};
             })},
             "channels");
  const Image opaque = run("channels --list R,G,B", {source})[0];
  CHECK(!opaque.has_alpha);
  Image framed = source;
  framed.has_windows = true;
  framed.data = {-3, 5, 13, 13};
  framed.display = {-10, 0, 29, 19};
  const Images moved{run("flip x", {framed})[0], run("flip y", {framed})[0], run("crop --window 5x4+2+3", {framed})[0]};
  check_near(moved[0], mirrored(source, true, false), "flip x", {0, 0});
  CHECK(moved[0].data == Window{6, 5, 22, 13});  // -10 + 29 - x
  CHECK(moved[0].display == framed.display);
  check_near(moved[1], mirrored(source, false, true), "flip y", {0, 0});
  CHECK(moved[1].data == Window{-3, 6, 13, 14});
  CHECK(moved[2].data == Window{0, 0, 4, 3});
  CHECK(moved[2].display == Window{0, 0, 4, 3});
  CHECK(moved[2].at(4, 3) == source.at(6, 6));
}

DEVICE_TEST_CASE("crop to a window keeps the place of each texel, and what is missing is transparent black") {
  Image source = odd();
  source.has_windows = true;
  source.data = {-3, 5, 13, 13};
  for (const Window& display : {Window{-10, 0, 29, 19}, Window{0, 7, 9, 10}, Window{5, -9, 20, 8}, source.data}) {
    source.display = display;
    const Image shown = run("crop --to display", {source})[0], whole = run("crop --to data", {source})[0];
    CHECK(shown.data == display);
    CHECK(shown.display == display);
    CHECK(whole.data == source.data);
    CHECK(whole.display == source.data);
    check_near(whole, source, "crop --to data", {0, 0});
    for (int y = display.top; y <= display.bottom; ++y)
      for (int x = display.left; x <= display.right; ++x) {
        const bool is_there = x >= -3 && x <= 13 && y >= 5 && y <= 13;
        CHECK(shown.at(x - display.left, y - display.top) == (is_there ? source.at(x + 3, y - 5) : Position{}));
      }
  }
}

namespace {

// The smallest window with all texels whose color or alpha is not 0; the first texel if there is none.
Window content_of(const Image& image) {
  Window window{image.width, image.height, -1, -1};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const Position& texel = image.at(x, y);
      const bool is_empty = std::ranges::all_of(std::span(texel).first(image.has_alpha ? 4 : 3),
                                                [](double number) { return number == 0; });
      if (!is_empty)
        window = {std::min(window.left, x), std::min(window.top, y), std::max(window.right, x),
                  std::max(window.bottom, y)};
    }
  return window.right < 0 ? Window{0, 0, 0, 0} : window;
}

// An empty image with content at some places, with other windows.
Image sparse(int width, int height, bool has_alpha, const std::vector<std::pair<int, int>>& places) {
  Image image = made("sparse", width, height, has_alpha, [](int, int) { return Position{}; });
  for (const auto& [x, y] : places) image.at(x, y) = {0.5, 0.25, 0.125, has_alpha ? 0.5 : 1};
  for (Position& texel : image.texels)
    if (!has_alpha) texel[3] = 1;
  image.has_windows = true;
  image.data = {-3, 5, width - 4, height + 4};
  image.display = {0, 0, 299, 199};
  return image;
}

}  // namespace

DEVICE_TEST_CASE("crop --to content keeps exactly the texels of the smallest rectangle with content") {
  Images sources;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 4096}, {17, 9}, {120, 70}})
    for (const bool has_alpha : {true, false}) {
      const int right = width - 1, bottom = height - 1;
      sources.push_back(sparse(width, height, has_alpha, {}));
      sources.push_back(sparse(width, height, has_alpha, {{right, bottom}}));
      sources.push_back(sparse(width, height, has_alpha, {{0, bottom / 2}, {right / 3, bottom / 3}}));
      sources.push_back(sparse(width, height, has_alpha, {{0, 0}, {right, bottom}}));
    }
  Image light = sparse(17, 9, true, {{3, 3}}), nan = sparse(17, 9, true, {{4, 4}});
  light.at(8, 5) = {0, 0.25, 0, 0};  // light without opacity
  nan.at(12, 2) = {0, 0, 0, std::nan("")};
  sources.push_back(light);
  for (const char* line : {"crop --to content", "crop --to content --keep-display --tile-side 32"}) {
    const bool keeps_display = std::string(line).find("keep") != std::string::npos;
    const Images seen = run(line, sources);
    for (size_t index = 0; index < sources.size(); ++index) {
      const Image& source = sources[index];
      const Window content = content_of(source);
      const Window data{source.data.left + content.left, source.data.top + content.top,
                        source.data.left + content.right, source.data.top + content.bottom};
      CHECK(seen[index].data == data);
      CHECK(seen[index].display == (keeps_display ? source.display : data));
      REQUIRE(seen[index].width == data.right - data.left + 1);
      REQUIRE(seen[index].height == data.bottom - data.top + 1);
      size_t different_count = 0;
      for (int y = 0; y < seen[index].height; ++y)
        for (int x = 0; x < seen[index].width; ++x)
          different_count += seen[index].at(x, y) != source.at(content.left + x, content.top + y);
      CHECK(different_count == 0);
    }
  }
  const Window of_nan = run("crop --to content", {nan})[0].data;
  CHECK(of_nan == Window{1, 7, 9, 9});
  check_near(run("crop --to content gain --value 2 --verify", {light})[0],
             run("crop --window 6x3+3+3 gain --value 2", {light})[0], "crop and gain", {0, 0});
}
