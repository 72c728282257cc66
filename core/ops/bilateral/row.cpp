// A bilateral filter: its row, its definition and its pass.
#include "core/base/math.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/plan/builder.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

int radius_of(const Call& call) { return int(std::ceil(3 * call.number("sigma"))); }

Footprint footprint(const Call& call, Size) {
  return {.kind = Footprint::Kind::around, .margin = {.x = radius_of(call), .y = radius_of(call)}};
}

// --- the definition -------------------------------------------------------------------------------------------------

bool is_finite(const Color& c) {
  return std::ranges::all_of(c, [](double number) { return std::isfinite(number); });
}

// Calls visit(c) with each texel of the square around texel `index`; texels beyond the picture are left out.
template <class Visit>
void visit_square(const Planes& planes, size_t index, int radius, const Visit& visit) {
  const Size size = size_of(planes);
  const int x = int(index) % size.width, y = int(index) / size.width;
  for (int row = std::max(0, y - radius); row <= std::min(size.height - 1, y + radius); ++row)
    for (int column = std::max(0, x - radius); column <= std::min(size.width - 1, x + radius); ++column)
      visit(color_at(planes, size_t(row) * size_t(size.width) + size_t(column)), column - x, row - y);
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const double sigma = call.number("sigma"), range = call.number("range");
  return {made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color middle = color_at(base, index);
    if (!is_finite(middle)) return middle;
    Color sum{};
    double weights = 0;
    visit_square(base, index, radius_of(call), [&](const Color& c, int dx, int dy) {
      if (!is_finite(c)) return;
      double distance = 0;
      for (size_t k = 0; k < 3; ++k) distance += (c[k] - middle[k]) * (c[k] - middle[k]);
      const double weight = std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma) - distance / (2 * range * range));
      weights += weight;
      for (size_t k = 0; k < 4; ++k) sum[k] += weight * c[k];
    });
    for (double& number : sum) number /= weights;
    return sum;
  })};
}

// A weight moves by at most 1.3 / range where a difference moves by 1.
std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Planes made = reference(call, base)[0];
  return {made_of_texels(size_of(base), [&](size_t index) -> Color {
    Color largest{}, off{};
    visit_square(base, index, radius_of(call), [&](const Color& c, int, int) {
      for (size_t k = 0; k < 4; ++k)
        if (std::isfinite(c[k])) largest[k] = std::max(largest[k], std::abs(c[k]));
    });
    visit_square(error, index, radius_of(call), [&](const Color& c, int, int) {
      for (size_t k = 0; k < 4; ++k) off[k] = std::max(off[k], c[k]);
    });
    const double worst = 2 * (off[0] + off[1] + off[2]) / call.number("range");
    Color sum{};
    for (size_t k = 0; k < 4; ++k)
      sum[k] = off[k] + 2.6 * std::min(worst, 1.0) * largest[k] + 0x1p-16 * largest[k] +
               rounding(std::abs(color_at(made, index)[k]), depth);
    return sum;
  })};
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_bilateral(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image(), radius = radius_of(call);
  const PlanImage image = builder.image(source);
  const auto factor = [&](std::string_view name) {
    const double number = call.number(name);
    return float(-1 / (2 * number * number));
  };
  builder.add_result({.name = "bilateral",
                      .kernel = "bilateral/bilateral.glsl",
                      .values = {{"end_x", image.size.width},
                                 {"end_y", image.size.height},
                                 {"radius", radius},
                                 {"of_place", factor("sigma")},
                                 {"of_range", factor("range")}},
                      .grid = {.count = {div_ceil(image.size.width, 64), div_ceil(image.size.height, 16)}},
                      .source = {.image = source},
                      .access = {.is_bounded = true, .reads_per_texel = double((2 * radius + 1) * (2 * radius + 1))}},
                     {.size = image.size, .depth = image.depth});
}

}  // namespace

static const Benchmark bench = {
    .sizes = {{1920, 1080}}, .cpu_sizes = {{512, 512}}, .depths = {Depth::half, Depth::f32}};

extern const Op bilateral_op;
const Op bilateral_op{
    .name = "bilateral",
    .doc = {.group = OpGroup::filter,
            .summary = "Smooth areas and keep edges with a bilateral filter",
            .description = "Blurs with a gaussian in which texels of a different color count less. The weight of each "
                           "neighbor is multiplied by exp(-d^2 / (2 V^2)). V is --range, and d is the distance between "
                           "the two colors (R, G, B) in premultiplied linear light. Differences well below --range are "
                           "smoothed, larger ones stay. The kernel reaches ceil(3 S) texels to each side, where S is "
                           "--sigma. Texels beyond the border and texels with NaN or infinity are left out.",
            .citation = "C. Tomasi, R. Manduchi, Bilateral Filtering for Gray and Color Images, 1998",
            .examples = {"", "--sigma 2 --range 0.5"}},
    .params = {{.name = "sigma",
                .help = "Standard deviation of the gaussian in texels",
                .default_value = 1,
                .min = 0.3,
                .max = 5,
                .unit = "texels"},
               {.name = "range",
                .help = "Standard deviation in color: texels that differ by much more do not mix",
                .default_value = 0.1,
                .min = 0.001,
                .max = 65504}},
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_bilateral,
    .bench = &bench,
};

}  // namespace gpupost
