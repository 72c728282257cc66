// A matrix on R, G and B: given, or of a white balance.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/primaries.h"
#include "core/op/point.h"
#include "core/ops/small/row.h"
#include "core/plan/builder.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpupost {

namespace {

// Rows of R, G and B, each the shares of R, G, B and 1.
using Matrix = std::array<double, 12>;

struct NamedMatrix {
  std::string_view name;
  Matrix3 matrix = identity;
  PrimariesChange change = {.from = rec709, .to = rec709};
};

// D65 all of them. The first says that none is given.
constexpr NamedMatrix known[] = {
    {"none"},
    {"identity"},
    {"rec709-to-rec2020", rec2020_of_rec709, {.from = rec709, .to = rec2020}},
    {"rec2020-to-rec709", rec709_of_rec2020, {.from = rec2020, .to = rec709}},
    {"rec709-to-xyz", xyz_of_rec709, {.from = rec709, .to = cie_xyz}},
    {"xyz-to-rec709", rec709_of_xyz, {.from = cie_xyz, .to = rec709}},
};

std::vector<std::string_view> names() {
  std::vector<std::string_view> made;
  for (const NamedMatrix& named : known) made.push_back(named.name);
  return made;
}

// Nine numbers, or twelve with what is added in each row's fourth place.
std::optional<Matrix> parsed(std::string_view word) {
  const std::optional<std::vector<double>> numbers = list_of_numbers(word);
  if (!numbers || (numbers->size() != 9 && numbers->size() != 12)) return std::nullopt;
  const size_t columns = numbers->size() / 3;
  Matrix matrix{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < columns; ++column) matrix[4 * row + column] = (*numbers)[columns * row + column];
  return matrix;
}

Matrix matrix_of(const Call& call) {
  if (!call.word("rows").empty()) return *parsed(call.word("rows"));
  const auto& [r, g, b] = known[size_t(call.number("named"))].matrix;
  return {r[0], r[1], r[2], 0, g[0], g[1], g[2], 0, b[0], b[1], b[2], 0};
}

// Null for a matrix that does not convert between primaries.
const PrimariesChange* conversion_of(const Call& call) {
  const bool is_conversion = call.word("rows").empty() && call.number("named") > 1;  // not of none and identity
  return is_conversion ? &known[size_t(call.number("named"))].change : nullptr;
}

Needs needs(const Call& call) {
  const PrimariesChange* change = conversion_of(call);
  if (!change) return {};
  return {.primaries = change->from};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (const PrimariesChange* change = conversion_of(call)) made.primaries = change->to;
  const Matrix m = matrix_of(call);
  const auto row_sum = [&m](size_t row) { return m[4 * row] + m[4 * row + 1] + m[4 * row + 2]; };
  const auto is_like_first = [&](size_t row) {
    return std::abs(row_sum(row) - row_sum(0)) < 1e-6 && m[4 * row + 3] == m[3];
  };
  const bool is_gray = is_like_first(1) && is_like_first(2);
  return with_gray(std::move(made), is_gray ? GrayResult::gray : GrayResult::color);
}

std::vector<ShaderParam> fields(const Matrix& matrix) {
  std::vector<ShaderParam> made;
  for (size_t index = 0; index < matrix.size(); ++index)
    made.push_back({.name = {"rgb"[index / 4], "rgb1"[index % 4]}, .value = matrix[index]});
  return made;
}

std::function<Color(const Color&)> texel(Matrix m) {
  for (double& number : m) number = on_device(number);
  return [m](const Color& c) -> Color {
    const double share = coverage_of(c[3]);
    const Matrix3 weights{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}};
    const Vector3 made = product_of_light(weights, {c[0], c[1], c[2]});
    return {made[0] + m[3] * share, made[1] + m[7] * share, made[2] + m[11] * share, c[3]};
  };
}

// --- the white balance ----------------------------------------------------------------------------------------------

// A black body: Kim et al., US patent 7024034.
Chromaticity black_body(double kelvin) {
  const double t = 1e3 / kelvin;
  if (kelvin > 4000) {
    const double x = ((-3.0258469 * t + 2.1070379) * t + 0.2226347) * t + 0.240390;
    return {x, ((3.0817580 * x - 5.87338670) * x + 3.75112997) * x - 0.37001483};
  }
  const double x = ((-0.2661239 * t - 0.2343589) * t + 0.8776956) * t + 0.179910;
  return {x, kelvin <= 2222 ? ((-1.1063814 * x - 1.34811020) * x + 2.18555832) * x - 0.20219683
                            : ((-0.9549476 * x - 1.37418593) * x + 2.09137015) * x - 0.16748867};
}

// Daylight from 4000 K on: CIE 15.
Chromaticity daylight(double kelvin) {
  const double t = 1e3 / kelvin;
  const double x = kelvin <= 7000 ? ((-4.6070 * t + 2.9678) * t + 0.09911) * t + 0.244063
                                  : ((-2.0064 * t + 1.9018) * t + 0.24748) * t + 0.237040;
  return {x, (-3.000 * x + 2.870) * x - 0.275};
}

Chromaticity white_of(double kelvin) {
  if (kelvin <= 4000) return black_body(kelvin);
  const Chromaticity black = black_body(kelvin), day = daylight(kelvin);
  // black_body() falls by this at 4000 K, where its polynomial changes; added, so that the white has no step there
  constexpr Chromaticity step{6.86e-5, 4.82e-5};
  const double share = std::min((kelvin - 4000) / 1000, 1.0);
  return {std::lerp(black.x + step.x, day.x, share), std::lerp(black.y + step.y, day.y, share)};
}

Matrix balance_of(const Call& call) {
  const auto rows = white_change(white_of(call.number("kelvin")));
  Matrix matrix{};
  for (size_t row = 0; row < 3; ++row) std::ranges::copy(rows[row], matrix.begin() + ptrdiff_t(4 * row));
  return matrix;
}

}  // namespace

const Op white_balance_op = point_op({
    .name = "white-balance",
    .doc = {.group = OpGroup::color,
            .summary = "Correct the white balance for a color temperature",
            .description = "Light with the color temperature --kelvin becomes D65, the white of Rec. 709. Below 6504 K "
                           "the image becomes bluer, above it redder; at 6504 K it changes by less than 0.1 %. The "
                           "light is taken as daylight from 5000 K and as a black body up to 4000 K. In between, its "
                           "chromaticity x, y is interpolated between both, linearly over the temperature. This light "
                           "keeps its luminance. The luminance of other colors may change: with "
                           "--kelvin 3200, R = G = B becomes 7 % brighter.",
            .citation =
                "CIE 15 (daylight); Kim et al., US patent 7024034 (black bodies); ICC.1:2022 annex E (Bradford)",
            .examples = {"--kelvin 3200", "--kelvin 4500", "--kelvin 10000"}},
    .params = {{.name = "kelvin",
                .help = "Color temperature of the light in the image, in kelvin",
                .default_value = 6504,
                .min = 1667,
                .max = 25000,
                .unit = "K"}},
    .needs = needs_rec709,
    .output = [](const Call&, std::span<const Output> inputs) { return with_gray(inputs.front(), GrayResult::color); },
    .point = Point{.kernel = "small/matrix.glsl",
                   .fields = [](const Call& call) { return fields(balance_of(call)); },
                   .texel = [](const Call& call, const Planes&) { return texel(balance_of(call)); }},
    .plan =
        [](const Call& call, PlanBuilder& builder) {
          FusedPoint point = fused_point_of(call);
          point.name = "matrix";  // the function of the kernel
          builder.fuse_point(std::move(point));
        },
});

const Op matrix_op = point_op({
    .name = "matrix",
    .doc =
        {.group = OpGroup::color,
         .summary = "Apply a 3x3 or 3x4 matrix to R, G and B",
         .description =
             "Each of R, G and B becomes a weighted sum of all three, in linear light with straight alpha. --rows "
             "gives the weights row by row: nine numbers, or twelve. With twelve, the fourth number of each row is an "
             "offset. Texels with alpha 0 do not get the offset. Infinite light stays infinite; channels beyond "
             "1e20 beside it become infinite too.\n--named A-to-B "
             "converts from primaries A to B, "
             "and the output records B. An input that records no primaries, or Rec. 709, is taken to have primaries A. "
             "An input that records other primaries is first converted to A.",
         .citation = "ITU-R BT.709, BT.2020; CIE 15",
         .examples = {"--rows 0.5,0.3,0.2,0,1,0,0.1,0,0.9", "--named rec709-to-rec2020", "--named rec2020-to-rec709",
                      "--named rec709-to-xyz", "--named xyz-to-rec709", "--named identity",
                      "--rows 1,0,0,0.25,0,1,0,0,0,0,1,-0.125"}},
    .params =
        {{.name = "rows",
          .help = "Weights of R, G and B for the new R, then for the new G, then for the new B; a fourth number per "
                  "row is an offset",
          .kind = ParamKind::text,
          .form = {.syntax = "RR,RG,RB,... (9 or 12 numbers)",
                   .matches = [](std::string_view text) { return parsed(text).has_value(); }}},
         {.name = "named", .help = "Named matrix, instead of --rows", .kind = ParamKind::choice, .choices = names()}},
    .check =
        [](const Call& call) {
          const bool is_named = call.number("named") != 0;
          if (is_named == call.word("rows").empty()) return;
          if (is_named) fail(Exit::usage, "matrix: --rows and --named are both given; expected one of them");
          fail(Exit::usage, "matrix: no matrix is given; expected --rows or --named");
        },
    .needs = needs,
    .output = output,
    .point = Point{.kernel = "small/matrix.glsl",
                   .fields = [](const Call& call) { return fields(matrix_of(call)); },
                   .texel = [](const Call& call, const Planes&) { return texel(matrix_of(call)); }},
});

}  // namespace gpupost
