// Images of CIE Yxy: what is made of them is what is made of the same light in RGB.
#include "core/base/half.h"
#include "core/op/parse.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// Rec. 709 with D65
constexpr Matrix xyz_of_rgb{{{0.4123907993, 0.3575843394, 0.1804807884},
                             {0.2126390059, 0.7151686788, 0.0721923154},
                             {0.0193308187, 0.1191947798, 0.9505321522}}};
constexpr Matrix rgb_of_xyz{{{3.2409699419, -1.5373831776, -0.4986107603},
                             {-0.9692436363, 1.8759675015, 0.0415550574},
                             {0.0556300797, -0.2039769589, 1.0569715142}}};
constexpr double white_x = 0.3127, white_y = 0.3290;

Vector product(const Matrix& m, const Vector& v) {
  Vector result{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column) result[row] += m[row][column] * v[column];
  return result;
}

Vector yxy_of(const Vector& rgb) {
  const auto [x, y, z] = product(xyz_of_rgb, rgb);
  const double sum = x + y + z;
  return sum == 0 ? Vector{0, white_x, white_y} : Vector{y, x / sum, y / sum};
}

Vector rgb_of(const Vector& yxy) {
  const double sum = yxy[0] / yxy[2];
  return product(rgb_of_xyz, {yxy[1] * sum, yxy[0], (1 - yxy[1] - yxy[2]) * sum});
}

// Each texel's color by `convert`, its alpha as it is.
template <class Convert>
Level converted(const Level& level, Depth from, Depth to, Convert convert) {
  const std::vector<double> numbers = numbers_of(level, from);
  Level made{level.size, TexelBuffer(numbers.size() * bytes_of(to))};
  for (size_t texel = 0; texel < numbers.size(); texel += 4) {
    const Vector color = convert({numbers[texel], numbers[texel + 1], numbers[texel + 2]});
    for (size_t c = 0; c < 4; ++c) {
      const auto number = float(c == 3 ? numbers[texel + 3] : color[c]);
      if (to == Depth::half) made.texels.as<uint16_t>()[texel + c] = half_from_float(number);
      else made.texels.as<float>()[texel + c] = number;
    }
  }
  return made;
}

// Red to the left and blue to the right, or light of any color in every texel; a black corner in both.
Level light(bool is_edge, Size size) {
  Level level = pattern("noise", size, Depth::f32);
  size_t index = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < 4; ++c, ++index) {
        float& number = level.texels.as<float>()[index];
        if (is_edge) number = c == 3 || c == (2 * x < size.width ? 0 : 2) ? 1.0f : 0.0f;
        else number = number * number;
        if (x < 12 && y < 12 && c < 3) number = 0;
      }
  return level;
}

std::vector<Level> made_of(Gpu& gpu, const Call& call, const Level& base, Depth depth, Space space) {
  const PlanInput input{.size = base.size, .storage = depth, .ends = {space, space}, .between = space};
  const Plan made = plan({&call, 1}, input, gpu.info().traits);
  return gpu.run(made, base, made.keeps_level_0 ? 1 : 0).levels;
}

}  // namespace

GPU_TEST_CASE("light blurred in Yxy is the same blurred in RGB: red beside blue, noise, and what is black" *
              doctest::test_suite("thorough")) {
  for (const std::string_view words :
       {"blur --radius 4", "blur --sigma 2 --border mirror", "blur --radius 3 --method direct --passes 2",
        "blur --radius 3 --method separable --border black", "blur --radius 5 --method shared",
        "blur --radius 8 --method sliding", "blur --sigma 1 --method lines", "mips",
        "resize --size 50% --filter triangle", "mips --hicomp", "resize --size 50% --hicomp"}) {
    const Call call = call_of(words.substr(0, words.find(' ')), words.substr(std::min(words.size(), words.find(' '))));
    if (!can_run(call, gpu.info().traits)) continue;
    for (const bool is_edge : {true, false})
      for (const Depth depth : {Depth::f32, Depth::half}) {
        const Level rgb = light(is_edge, {53, 37});
        const std::vector<Level> expected = made_of(gpu, call, rgb, Depth::f32, Space::rgb);
        const Level yxy = converted(rgb, Depth::f32, depth, yxy_of);
        const std::vector<Level> found = made_of(gpu, call, yxy, depth, Space::yxy);
        REQUIRE(found.size() == expected.size());
        double worst = 0;
        for (size_t level = 0; level < found.size(); ++level) {
          const Level back = converted(found[level], depth, Depth::f32, rgb_of);
          for (size_t index = 0; index < 4 * texel_count(back.size); ++index)
            worst = std::max(
                worst, double(std::abs(back.texels.as<float>()[index] - expected[level].texels.as<float>()[index])));
        }
        // y is small where light is blue, and halves of it have 11 bits
        CHECK_MESSAGE(worst < (depth == Depth::half ? 1e-2 : 3e-6),
                      fmt::format("{} of {}, {}: {}", words, is_edge ? "an edge" : "noise", name_of(depth), worst));
      }
  }
}

GPU_TEST_CASE("black stays black in Yxy, and white") {
  const Level black = converted(light(true, {31, 31}), Depth::f32, Depth::f32, [](Vector) {
    return Vector{0, 0.64, 0.33};  // of no light any chromaticity is a whim
  });
  for (const std::string_view words : {"--radius 3", "--radius 2 --method direct", "--sigma 1.5 --method separable"})
    for (const Level& level : made_of(gpu, call_of("blur", words), black, Depth::f32, Space::yxy))
      for (size_t index = 0; index < 4 * texel_count(level.size); index += 4) {
        REQUIRE(level.texels.as<float>()[index] == 0);
        REQUIRE(level.texels.as<float>()[index + 1] == float(white_x));
        REQUIRE(level.texels.as<float>()[index + 2] == float(white_y));
      }
}

GPU_TEST_CASE("ops that move texels leave those of Yxy as they are, bit for bit") {
  const Level yxy = converted(light(false, {33, 20}), Depth::f32, Depth::half, yxy_of);
  const Level turned = std::move(made_of(gpu, call_of("flip", "xy"), yxy, Depth::half, Space::yxy)[0]);
  const auto before = yxy.texels.as<uint16_t>(), after = turned.texels.as<uint16_t>();
  const size_t count = texel_count(yxy.size);
  for (size_t index = 0; index < 4 * count; ++index)
    REQUIRE(after[index] == before[4 * (count - 1 - index / 4) + index % 4]);
}

GPU_TEST_CASE("a color of which X and Z are larger than any half stays what it is where its Y is a half") {
  const Size size{40, 30};
  const std::array<float, 4> bright{60000, 0.2f, 0.06f, 1};  // X is 200000, Z 740000
  Level base{size, TexelBuffer(texel_count(size) * 8)};
  for (size_t index = 0; index < texel_count(size) * 4; ++index)
    base.texels.as<uint16_t>()[index] = half_from_float(bright[index % 4]);
  for (const DeviceTraits& traits : {gpu.info().traits, as_gpu(gpu)})
    for (const std::string_view method : {"direct", "separable", "shared", "sliding", "lines"}) {
      const Call call = call_of("blur", fmt::format("--radius 5 --method {}", method));
      const Plan made =
          plan({&call, 1},
               {.size = size, .storage = Depth::half, .ends = {Space::yxy, Space::yxy}, .between = Space::yxy}, traits);
      const std::vector<double> found = numbers_of(gpu.run(made, base, 0).levels[0], Depth::half);
      for (size_t index = 0; index < found.size(); ++index)
        REQUIRE_MESSAGE(found[index] == doctest::Approx(double(bright[index % 4])).epsilon(3 * 0x1p-11), method);
    }
}

GPU_TEST_CASE("numbers that are not finite are in Yxy what the definition says, before, behind and between other ops") {
  constexpr Size size{33, 17};
  for (const std::vector<std::pair<std::string_view, std::string_view>>& words :
       {std::vector<std::pair<std::string_view, std::string_view>>{{"clamp", ""}, {"flip", "x"}},
        {{"flip", "x"}, {"clamp", ""}},
        {{"tonemap", "--curve uchimura"}, {"flip", "x"}},
        {{"resize", "--size 41x23"}, {"flip", "x"}},
        {{"dilate", "--radius 2"}, {"flip", "x"}},
        {{"median", ""}, {"flip", "x"}},
        {{"median", "--radius 3"}, {"dilate", ""}},
        {{"erode", ""}, {"exposure", "--stops 1"}},
        {{"blur", "--radius 1"}, {"clamp", ""}, {"flip", "y"}},
        {{"gain", "--value 2"}, {"flip", "x"}, {"contrast", "--factor 1.2"}, {"flip", "y"}}})
    for (const bool fuses : {true, false}) {
      std::vector<Call> calls;
      std::string text = fuses ? "" : "not fused:";
      for (const auto& [op, arguments] : words) text += " " + calls.emplace_back(call_of(op, arguments)).text();
      const Level base = pattern("nonfinite", size, Depth::f32);
      const PlanInput input{.size = size, .storage = Depth::f32, .between = Space::yxy, .fuses = fuses};
      const RunResult result = gpu.run(plan(calls, input, gpu.info().traits), base, 0);
      const Between between{.is_yxy = true, .fuses = fuses};
      for (const LevelCheck& check : verify(calls, base, result.levels, 0, Depth::f32, between))
        CHECK_MESSAGE(check.share <= 1, text, ": ", describe(check));
    }
}

GPU_TEST_CASE("infinite light that brightpass keeps is white") {
  Level base{{4, 1}, TexelBuffer(4 * 4 * sizeof(float))};
  std::ranges::fill(base.texels.as<float>(), 0.0f);
  base.texels.as<float>()[4] = INFINITY;
  const Call call = call_of("brightpass", "");
  const RunResult result =
      gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits), base, 0);
  const auto made = result.levels[0].texels.as<float>();
  for (size_t component = 0; component < 3; ++component) {
    CHECK(made[4 + component] == INFINITY);
    CHECK(made[component] == 0);
  }
}
