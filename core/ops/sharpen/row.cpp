// Sharpening by an unsharp mask: its row, its definition and its passes.
#include "core/ops/blur/row.h"
#include "core/base/math.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/ops/blur/passes.h"
#include "core/ops/blur/reference.h"
#include "core/plan/builder.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

Call blur_call(const Call& call) { return default_call(blur_op).with("sigma", call.number("sigma")); }

Footprint footprint(const Call& call, Size size) {
  Footprint made = footprint_of(blur_call(call), size);
  made.in_smaller_tiles.clear();  // by an option of `blur`
  return made;
}

// --- the definition -------------------------------------------------------------------------------------------------

// Premultiplied texels of the picture and of its blur. The blur's straight color is the mean of straight colors weighted by alpha,
// so that an edge of alpha alone gets no halo. What is too large for a float is infinite, in each step.
Color sharpened(const Call& call, const Color& c, const Color& around) {
  if (is_transparent(c[3])) return c;
  const Color straight = as_floats(unpremultiply(c)), mean = as_floats(unpremultiply(around));
  const double alpha = coverage_of(c[3]), least = call.number("threshold");
  Color made = c;
  for (size_t k = 0; k < 3; ++k) {
    const double detail = as_float(straight[k] - mean[k]);
    const double kept = std::isnan(detail) ? detail : std::copysign(std::max(std::abs(detail) - least, 0.0), detail);
    made[k] = c[k] + as_float(call.number("amount") * as_float(alpha * kept));
  }
  return as_floats(made);
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const Planes around = blurred(base, blur_of(blur_call(call)));
  return {made_of_texels(
      size_of(base), [&](size_t index) { return sharpened(call, color_at(base, index), color_at(around, index)); })};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Blur blur = blur_of(blur_call(call));
  const Planes around = blurred(base, blur), off = blurred_tolerance(base, error, blur, depth);
  const double share = 0x1p-20 * (1 + call.number("amount"));
  return {made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color c = color_at(base, index), light = color_at(around, index);
    const auto of_texel = [&](const Color& moved) { return sharpened(call, moved, light); };
    const auto of_light = [&](const Color& moved) { return sharpened(call, c, moved); };
    const Color made = of_texel(c), by_texel = moved_by(of_texel, c, color_at(error, index));
    const Color by_light = moved_by(of_light, light, color_at(off, index)), mean = unpremultiply(light);
    Color sum{};
    for (size_t k = 0; k < 4; ++k) {
      const double size = std::abs(c[k]) + std::abs(coverage_of(c[3]) * mean[k]);
      sum[k] = rounding(std::abs(made[k]), depth) + by_texel[k] + by_light[k];
      if (k < 3 && std::isfinite(size)) sum[k] += share * size;
    }
    return sum;
  })};
}

// --- the passes -----------------------------------------------------------------------------------------------------

void plan_sharpen(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const int first = builder.image_count();
  plan_blur(blur_call(call), builder);
  builder.keep_in_rgb(first);
  builder.add_result({.name = "sharpen",
                      .kernel = "sharpen/sharpen.glsl",
                      .values = {{"end_x", image.size.width},
                                 {"end_y", image.size.height},
                                 {"amount", float(call.number("amount"))},
                                 {"least_detail", float(call.number("threshold"))}},
                      .grid = {.count = {div_ceil(image.size.width, 64), div_ceil(image.size.height, 16)}},
                      .source = {.image = source},
                      .second = {.image = builder.current_image()},
                      .access = {.can_be_in_place = builder.writes_in_place()},
                      .memory = {.bytes_read = 2 * bytes_of_level(image, 0)}},
                     {.size = image.size, .depth = image.depth});
}

}  // namespace

static const Benchmark bench = {
    .sizes = {{1920, 1080}, {3840, 2160}}, .cpu_sizes = {{1024, 1024}}, .depths = {Depth::half, Depth::f32}};

extern const Op sharpen_op;
const Op sharpen_op{
    .name = "sharpen",
    .doc = {.group = OpGroup::filter,
            .summary = "Sharpen with an unsharp mask",
            .description =
                "Adds --amount times the difference between the image and a gaussian blur of it, in linear light. "
                "--threshold is subtracted from the size of each difference; smaller differences become 0. Edges "
                "overshoot, and float files keep values below 0. The op works on straight color with means weighted by "
                "alpha, so that an edge in alpha alone gets no halo. Alpha does not change.",
            .citation = "Unsharp masking; with --threshold 0, as oiiotool --unsharp",
            .examples = {"", "--sigma 3 --amount 0.5 --threshold 0.02"}},
    .params = {{.name = "sigma",
                .help = "Standard deviation of the blur in texels, which is the size of details to sharpen",
                .default_value = 1,
                .min = 0.3,
                .max = 100,
                .unit = "texels"},
               {.name = "amount",
                .help = "Strength: factor for the difference between the image and its blur",
                .default_value = 1,
                .min = 0,
                .max = 16},
               {.name = "threshold",
                .help = "Amount to subtract from the size of each difference, in linear light",
                .default_value = 0,
                .min = 0,
                .max = 65504}},
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_sharpen,
    .bench = &bench,
};

}  // namespace gpupost
