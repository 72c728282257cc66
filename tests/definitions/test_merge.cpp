// merge, held against the published formulas of compositing.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

using namespace definitions;

namespace {

// Straight colors `s` and `d` blended by B where both are, each alone elsewhere: W3C, Compositing and Blending Level 1, section 5.
Position blended(const Position& s, const Position& d, const std::function<double(double, double)>& b) {
  Position made{};
  for (size_t k = 0; k < 3; ++k) {
    const double cs = s[3] == 0 ? 0 : s[k] / s[3], cd = d[3] == 0 ? 0 : d[k] / d[3];
    made[k] = s[3] * (1 - d[3]) * cs + d[3] * (1 - s[3]) * cd + s[3] * d[3] * b(cs, cd);
  }
  made[3] = s[3] + d[3] * (1 - s[3]);
  return made;
}

struct Mode {
  const char* name;
  std::function<Position(const Position&, const Position&)> f;  // of the second picture and the input
};

const Mode modes[] = {
    {"over", [](auto& s, auto& d) { return blended(s, d, [](double cs, double) { return cs; }); }},
    {"under", [](auto& s, auto& d) { return blended(s, d, [](double, double cd) { return cd; }); }},
    {"multiply", [](auto& s, auto& d) { return blended(s, d, [](double cs, double cd) { return cs * cd; }); }},
    {"min", [](auto& s, auto& d) { return blended(s, d, [](double cs, double cd) { return std::min(cs, cd); }); }},
    {"max", [](auto& s, auto& d) { return blended(s, d, [](double cs, double cd) { return std::max(cs, cd); }); }},
    {"difference",
     [](auto& s, auto& d) { return blended(s, d, [](double cs, double cd) { return std::fabs(cs - cd); }); }},
    {"screen",
     [](auto& s, auto& d) {
       return blended(s, d, [](double cs, double cd) { return cs + cd - std::min(cs, 1.0) * std::min(cd, 1.0); });
     }},
    {"add",
     [](auto& s, auto& d) {
       return Position{s[0] + d[0], s[1] + d[1], s[2] + d[2], std::max(s[3], d[3])};
     }},
    {"subtract",
     [](auto& s, auto& d) {
       return Position{d[0] - s[0], d[1] - s[1], d[2] - s[2], d[3]};
     }},
    {"divide",
     [](auto& s, auto& d) {
       Position made = d;  // the share of the input that the second picture covers is divided by its straight color
       for (size_t k = 0; k < 3; ++k) made[k] = (1 - s[3]) * d[k] + (s[k] == 0 ? 0 : s[3] * d[k] / (s[k] / s[3]));
       return made;
     }},
    {"mask",
     [](auto& s, auto& d) {
       return Position{s[3] * d[0], s[3] * d[1], s[3] * d[2], s[3] * d[3]};
     }},
    {"stencil",
     [](auto& s, auto& d) {
       return Position{(1 - s[3]) * d[0], (1 - s[3]) * d[1], (1 - s[3]) * d[2], (1 - s[3]) * d[3]};
     }},
};

// The input with f of both where the second picture lies, its corner at (x, y).
Image with_second(const Image& input, const Image& second, int left, int top,
                  const std::function<Position(const Position&, const Position&)>& f) {
  Image made = input;
  for (int y = 0; y < second.height; ++y)
    for (int x = 0; x < second.width; ++x)
      if (x + left >= 0 && y + top >= 0 && x + left < input.width && y + top < input.height)
        made.at(x + left, y + top) = f(second.at(x, y), input.at(x + left, y + top));
  return made;
}

Image second_picture(int width, int height) {
  return made("second", width, height, true, [](int x, int y) {
    const double alpha = (x + y) % 4 / 3.0;
    return Position{alpha * noise(x, y, 0, 9), 2 * alpha * noise(x, y, 1, 9), alpha * noise(x, y, 2, 9), alpha};
  });
}

Image transparent(int width, int height) {
  return made("transparent", width, height, true, [](int, int) { return Position{}; });
}

}  // namespace

DEVICE_TEST_CASE("merge makes what its formulas say, wherever the second picture lies") {
  const Images inputs{one(), odd(), wide(), holes()};
  add_image("second.exr", second_picture(17, 9));
  struct Place {
    const char* words;
    int x, y;
  };
  for (const Mode& mode : modes)
    for (const Place& place : {Place{"", 0, 0}, {" --offset 5,-3", 5, -3}, {" --offset -16,8", -16, 8}}) {
      const std::string line = std::string("merge --with second.exr --mode ") + mode.name + place.words;
      const Images results = run(line, inputs);
      for (size_t i = 0; i < inputs.size(); ++i) {
        Image second = second_picture(17, 9);
        int x = place.x, y = place.y;
        if (std::string_view(mode.name) == "mask") {  // which is transparent beside the second picture
          second = with_second(transparent(inputs[i].width, inputs[i].height), second, x, y,
                               [](const Position& s, const Position&) { return s; });
          x = y = 0;
        }
        check_near(results[i], with_second(inputs[i], second, x, y, mode.f), line, {4e-6, 4e-6});
      }
    }
}

DEVICE_TEST_CASE("merge: an opacity scales the second picture, and mix goes from one to the other") {
  const Image second = second_picture(17, 9);
  add_image("second.exr", second);
  add_image("faint.exr", mapped(second, [](const Position& c) {
              return Position{0.25 * c[0], 0.25 * c[1], 0.25 * c[2], 0.25 * c[3]};
            }));
  const Images inputs{odd(), holes()};
  check_near(run("merge --with second.exr --opacity 0.25", inputs), run("merge --with faint.exr", inputs), "opacity");
  check_near(run("merge --with second.exr --opacity 0", inputs), inputs, "opacity 0", {0, 0});
  check_near(run("merge --with second.exr --mode mix --opacity 1", inputs), {second, second}, "mix 1", {0, 0});
  const Images mixed = run("merge --with second.exr --mode mix --opacity 0.75", inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    check_near(mixed[i],
               with_second(inputs[i], second, 0, 0,
                           [](const Position& s, const Position& d) {
                             Position made;
                             for (size_t k = 0; k < 4; ++k) made[k] = 0.75 * s[k] + 0.25 * d[k];
                             return made;
                           }),
               "mix 0.75");
}

DEVICE_TEST_CASE("merge: subtract takes away what add has added, also where alpha is 0") {
  const Image second = mapped(second_picture(17, 9), [](const Position& c) {
    return Position{c[0] + 0.25, c[1], c[2], c[3]};  // light where alpha is 0, as of a flame
  });
  add_image("second.exr", second);
  const Image input = holes();
  const Image result = run("merge --with second.exr --mode add merge --with second.exr --mode subtract", {input})[0];
  for (size_t at = 0; at < input.texels.size(); ++at)
    for (size_t k = 0; k < 3; ++k)
      CHECK(result.texels[at][k] == doctest::Approx(input.texels[at][k]).epsilon(1e-5).scale(1));
  const Image nothing = run("merge --with second.exr --mode subtract", {second})[0];
  for (const Position& c : nothing.texels) CHECK(std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) == 0);
}

DEVICE_TEST_CASE("merge: an opaque image stays opaque under and over an alpha far above 1") {
  const Image input = made("input", 4, 3, true, [](int x, int y) { return Position{0.5, 0.1 * x, 0.1 * y, 1}; });
  add_image("second.exr", made("second", 4, 3, true, [](int, int) { return Position{0.5, 0.5, 0.5, 1e10}; }));
  for (const std::string mode : {"over", "under", "multiply", "screen", "min", "max", "difference"}) {
    const Image result = run("merge --with second.exr --mode " + mode, {input})[0];
    for (const Position& c : result.texels) CHECK_MESSAGE(c[3] == 1, mode);
  }
  add_image("opaque.exr", input);
  for (const float alpha : {1e10f, -1e10f, -0.3f}) {
    const Image other = made("other", 4, 3, true, [&](int, int) { return Position{0.5, 0.5, 0.5, alpha}; });
    for (const Position& c : run("merge --with opaque.exr", {other})[0].texels) CHECK_MESSAGE(c[3] == 1, alpha);
  }
}

DEVICE_TEST_CASE("merge goes by data windows, and refuses what it cannot read") {
  Image second = second_picture(5, 4);
  second.has_windows = true;
  second.data = {2, 1, 6, 4};
  second.display = {0, 0, 16, 8};
  add_image("second.exr", second);
  const Image expected = with_second(odd(), second, 2, 1, modes[0].f);
  check_near(run("merge --with second.exr", {odd()})[0], expected, "windows", {4e-6, 4e-6});
  check_near(run("merge --with second.exr --tile-side 64", {large()})[0],
             with_second(large(), second, 2, 1, modes[0].f), "tiles", {4e-6, 4e-6});
  check_exit_code("merge --with none.exr", odd(), 2);
  check_exit_code("merge --with {frame}.exr", odd(), 1);
  check_exit_code("merge", odd(), 1);
}
