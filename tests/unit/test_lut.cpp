// `lut`: what a .cube file says, and what becomes of colors.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/lut/cube_file.h"
#include "core/ops/lut/row.h"
#include "tests/support/error_of.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

std::string refusal(const std::string& text) {
  return error_of([&] { parse_cube(text, "a.cube"); }, Exit::input);
}

const std::string corners = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";

// The call of a table.
Call lut_call(const std::string& text, const std::string& words = "") {
  Call call = parse_call(lut_op, "t.cube " + words);
  call.source = text;
  lut_op.prepare(call);
  return call;
}

Color made(const Call& call, const Color& c) { return call.op->point->texel(call, {})(c); }

void check_near(const Color& found, const Color& expected, double error = 1e-6) {
  for (size_t k = 0; k < 4; ++k) CHECK(found[k] == doctest::Approx(expected[k]).epsilon(error));
}

}  // namespace

TEST_CASE("a .cube file that is not one is refused by its line and what is wrong there") {
  const std::string head = "LUT_3D_SIZE 2\n";
  for (const auto& [text, expected] :
       {std::pair<std::string, std::string>{"",
                                            "a.cube: has no LUT_1D_SIZE and no LUT_3D_SIZE; it is not a .cube file"},
        {"0 0 0\n", "a.cube:1: is a color before LUT_1D_SIZE or LUT_3D_SIZE"},
        {"LUT_3D_SIZE\n", "a.cube:1: LUT_3D_SIZE without a number is not a size; expected one whole number in 2..256"},
        {"LUT_3D_SIZE 257\n", "a.cube:1: LUT_3D_SIZE 257 is not a size; expected one whole number in 2..256"},
        {"LUT_1D_SIZE 65537\n", "a.cube:1: LUT_1D_SIZE 65537 is not a size; expected one whole number in 2..65536"},
        {"LUT_3D_SIZE 1\n", "a.cube:1: LUT_3D_SIZE 1 is not"},
        {"LUT_3D_SIZE 99999999999999999999\n", "a.cube:1: LUT_3D_SIZE 99999999999999999999 is not a size"},
        {head + head, "a.cube:2: LUT_3D_SIZE is given twice"},
        {head + "\n# note\n0 0\n", "a.cube:4: has 2 numbers; a color has 3"},
        {head + "0 0 0 0\n", "a.cube:2: has 4 numbers; a color has 3"},
        {head + "0\n", "a.cube:2: has 1 number; a color has 3"},
        {head + "0 0 0\nNaN 0 0\n", "a.cube:3: NaN is not a finite number"},
        {head + "inf 0 0\n", "a.cube:2: inf is not a finite number"},
        {head + "DOMAIN_MIN 0\n", "a.cube:2: DOMAIN_MIN has 1 number; expected 3"},
        {head + "0 0 nan\n", "a.cube:2: nan is not a finite number"},
        {head + "0 1e39 0\n", "a.cube:2: 1e39 is not a finite number"},
        {head + "0 0x1 0\n", "a.cube:2: 0x1 is not a finite number"},
        {"LUT_3D_SIZE 2\r0 0 0\r\r\n0 0\r\n", "a.cube:4: has 2 numbers; a color has 3"},
        {head + "0 0 0\n", "a.cube: ends after 1 color; its sizes need 8"},
        {head + corners + "0 0 0\n", "a.cube:10: has too many colors; the sizes need 8"},
        {head + "0 0 0\nDOMAIN_MIN 0 0 0\n", "a.cube:3: DOMAIN_MIN comes after the first color; move it to the front"},
        {head + "DOMAIN_MIN 0 0\n", "a.cube:2: DOMAIN_MIN has 2 numbers; expected 3"},
        {head + "DOMAIN_MIN 0 1 0\n" + corners, "a.cube:3: the domain of the table goes from 1 to 1"},
        {head + "LUT_1D_SIZE 2\nDOMAIN_MAX 2 2 2\n" + corners,
         "a.cube:4: DOMAIN_MIN and DOMAIN_MAX do not apply to two tables"},
        {"LUT_IN_VIDEO_RANGE\n", "a.cube:1: LUT_IN_VIDEO_RANGE is unknown; expected TITLE, "},
        {"\x1b[31m\n", "a.cube:1: \\x1b[31m is unknown"},
        {std::string(251, '#') + "\n", "a.cube:1: has 251 bytes; a line has at most 250"}}) {
    const std::string message = refusal(text);
    CHECK_MESSAGE(message.starts_with(expected), "\"", message, "\" for \"", text, "\"");
  }
}

TEST_CASE("a .cube file may have any line ends, comments and blanks, and a curve before the cube") {
  const CubeFile file = parse_cube(
      "\xef\xbb\xbf# by hand\r\nTITLE \"a \"\r\n\r\nLUT_1D_SIZE 2\r\nLUT_1D_INPUT_RANGE -1 3\r\n"
      "LUT_3D_SIZE 2\r\nLUT_3D_INPUT_RANGE 0.0 2.0\r\n 0 0 0 \r\n+2 2e0\t2.\r\n" +
          corners,
      "a.cube");
  CHECK(file.curve.size == 2);
  CHECK(file.curve.min == std::array<double, 3>{-1, -1, -1});
  CHECK(file.curve.values == std::vector<float>{0, 0, 0, 2, 2, 2});
  CHECK(file.cube.size == 2);
  CHECK(file.cube.max == std::array<double, 3>{2, 2, 2});
  CHECK(file.cube.values.size() == 24);
  const CubeFile by_returns = parse_cube("LUT_1D_SIZE 2 # entries\r0 0 0 # black\r1 1 1", "a.cube");
  CHECK(by_returns.curve.values == std::vector<float>{0, 0, 0, 1, 1, 1});
}

TEST_CASE("a written table is read as it was") {
  ColorTable table{.size = 2};
  for (int index = 0; index < 24; ++index) table.values.push_back(float(index) / 7 - 1);
  const CubeFile file = parse_cube(cube_text(table, "test"), "a.cube");
  CHECK(file.cube.values == table.values);
  CHECK(file.curve.size == 0);
}

TEST_CASE("a cube of its own places changes nothing, whatever the interpolation") {
  for (const char* words : {"", "--interpolation trilinear", "--srgb"}) {
    const Call call = lut_call("LUT_3D_SIZE 2\n" + corners, words);
    for (const Color& c : {Color{0.25, 0.5, 0.75, 1}, {1, 0, 0.3, 0.5}, {0, 0, 0, 1}, {0.5, 0.5, 0.5, 1}})
      check_near(made(call, c), c);
    check_near(made(call, {-1, 2, std::numeric_limits<double>::infinity(), 1}), {0, 1, 1, 1});
    CHECK(std::isnan(made(call, {0, std::numeric_limits<double>::quiet_NaN(), 0, 1})[2]));
  }
}

TEST_CASE("between the corners tetrahedra and trilinear weights give what their definitions say") {
  // only the corner of full red and green is lit: r g (1 - b) by trilinear weights, min(r, g) - min(r, g, b) by tetrahedra
  const std::string text = "LUT_3D_SIZE 2\n0 0 0\n0 0 0\n0 0 0\n1 2 4\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n";
  const Call tetrahedral = lut_call(text), trilinear = lut_call(text, "--interpolation trilinear");
  for (const Color& c :
       {Color{0.25, 0.5, 0.75, 1}, {0.9, 0.6, 0.2, 1}, {0.6, 0.9, 0.2, 1}, {0.7, 0.3, 0.5, 1}, {0.3, 0.7, 0.5, 1}}) {
    const double product = c[0] * c[1] * (1 - c[2]), step = std::min(c[0], c[1]) - std::min({c[0], c[1], c[2]});
    check_near(made(trilinear, c), {product, 2 * product, 4 * product, 1});
    check_near(made(tetrahedral, c), {step, 2 * step, 4 * step, 1});
  }
}

TEST_CASE("a curve takes each channel by itself, over its domain, and goes before the cube") {
  const std::string curve = "LUT_1D_SIZE 3\nDOMAIN_MIN -1 -1 0\nDOMAIN_MAX 1 1 4\n0 1 0\n0.5 0 8\n1 0 2\n";
  check_near(made(lut_call(curve), {0, -0.5, 3, 1}), {0.5, 0.5, 5, 1});
  const std::string both = "LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 0 10\nLUT_3D_SIZE 2\n0 0 0\n1 1 1\n" + corners;
  check_near(made(lut_call(both), {5, 2.5, 20, 1}), {0.5, 0.25, 1, 1});
}

TEST_CASE("the log shaper is the curve of ACEScct, and its inverse takes it back") {
  CHECK(log_shaped(0.18) == doctest::Approx(0.4135884));  // S-2016-001
  CHECK(log_shaped(0) == doctest::Approx(0.0729055));
  for (const double light : {-0.005, 0.0, 0.0078125, 0.18, 1.0, 222.0})
    CHECK(light_of_log(log_shaped(light)) == doctest::Approx(light));
  check_near(made(lut_call("LUT_3D_SIZE 2\n" + corners, "--log-shaper"), {0.18, 0, 1000, 1}),
             {0.4135884, 0.0729055, 1, 1});
}

TEST_CASE("a texel of alpha 0 does not get what the table makes of black") {
  const Call call = lut_call("LUT_1D_SIZE 2\n0.25 0.25 0.25\n1.25 1.25 1.25\n");
  check_near(made(call, {0, 0, 0, 0}), {0, 0, 0, 0});
  check_near(made(call, {0.5, 0, 0, 0}), {0.5, 0, 0, 0});
  check_near(made(call, {0.5, 0, 0, 1}), {0.75, 0.25, 0.25, 1});
}
