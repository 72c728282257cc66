// Box and gaussian blurs: their row. The definition is in core/ops/blur/reference.cpp, the passes in core/ops/blur/passes.cpp.
#include "core/ops/blur/reference.h"

#include "core/ops/blur/bench.h"
#include "core/ops/blur/passes.h"
#include "core/ops/blur/row.h"
#include "core/ops/blur/spline.h"

namespace gpupost {

static std::vector<Planes> reference(const Call& call, Planes base) {
  std::vector<Planes> levels(1);
  levels[0] = blurred(std::move(base), blur_of(call));
  return levels;
}

static std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> levels(1);
  levels[0] = blurred_tolerance(base, error, blur_of(call), depth);
  return levels;
}

static Footprint footprint(const Call& call, Size size) {
  Blur blur = blur_of(call);
  if (blur.has_splines) {
    if (blur.radius_x > 0) blur.radius_x = SplineGrid(blur.sigma, size.width, blur.border).reach();
    if (blur.radius_y > 0) blur.radius_y = SplineGrid(blur.sigma, size.height, blur.border).reach();
  }
  // what a pass makes of texels beyond the border is rounded in another way than what it made of them within
  if (blur.border == Border::repeat && blur.passes > 1) return {};
  return {.kind = Footprint::Kind::around,
          .margin = {.x = blur.passes * blur.radius_x,
                     .y = blur.passes * blur.radius_y,
                     .wraps = blur.border == Border::repeat},
          .smaller_tiles = "--method separable"};  // sums that slide begin anew after some hundred texels
}

static const Benchmark bench = blur_benchmark();

const Op blur_op{
    .name = "blur",
    .doc = {.summary = "a box or a gaussian blur of any radius",
            .description =
                "Each texel becomes the weighted mean of those around it: with a box of all 2R+1 x 2R+1 alike, with a "
                "gaussian by exp(-d^2 / 2 S^2), of texels up to R along each axis, normalized. Without --radius a "
                "gaussian reaches to ceil(3 S), without --sigma S is R/3; weights under 2^-24 of the one in the middle "
                "are none. Pictures are blurred in linear light with premultiplied alpha, other channels stay as they "
                "are without --apply-to; the arithmetic is float, with --fp16 too. A texel that is infinite or no "
                "number shows in the texels whose kernel it lies in, and in no others. All methods agree to within "
                "rounding, except spline, the default for S of 5 or more: it blurs on a coarser grid, at a cost that "
                "does not grow with S. Its gaussian is not cut off at 3 S. Its error is at most 0.1 % of the kernel's "
                "middle and 0.02 % of a step, and an infinity shows up to 6 S away.",
            .citation = "A tale of too many blurs, part 1: Morton/Z curves (direct, z); L. Kramer, Optimizing for the "
                        "Radeon RDNA Architecture, 2020 (amd); M. Unser, A. Aldroubi, M. Eden, B-Spline Signal "
                        "Processing, 1993 (spline)",
            .examples =
                {"--radius 7", "--radius 7 --zcurve", "--sigma 1.5", "--kernel gaussian --radius 4 --border repeat",
                 "--radius 2 --method direct --order rows --workgroup 8x8 --border black",
                 "--radius 3 --method direct --order z --workgroup 16x16 --border mirror",
                 "--sigma 1 --method direct --order amd --workgroup 32x8 --border renormalize",
                 "--kernel box --radius 3 --method separable --order rows --workgroup 32x8 --border renormalize",
                 "--sigma 2 --method separable --axis x", "--radius 5 --method separable --axis y --border black",
                 "--radius 2 --passes 3", "--radius 7 --method shared", "--radius 15 --method sliding",
                 "--sigma 3 --method lines", "--sigma 12", "--sigma 6 --method spline --border mirror",
                 "--sigma 9 --axis x --border renormalize", "--sigma 7 --axis y --border black",
                 "--sigma 30 --border repeat"}},
    .params =
        {{.name = "radius",
          .help = "texels to each side of the one in the middle",
          .kind = ParamKind::integer,
          .min = 0,
          .max = 1024,
          .unit = "texels",
          .presence = Presence::optional},
         {.name = "sigma",
          .help = "standard deviation of the gaussian",
          .kind = ParamKind::number,
          .min = 0,
          .max = 341,
          .unit = "texels",
          .presence = Presence::optional},
         {.name = "kernel",
          .help = "auto is a gaussian where --sigma is given, else a box",
          .kind = ParamKind::choice,
          .choices = {"auto", "box", "gaussian"}},
         {.name = "border",
          .help = "what lies beyond the picture: its last texel, the picture again, that mirrored, nothing, or no "
                  "weight at all",
          .kind = ParamKind::choice,
          .choices = {"clamp", "repeat", "mirror", "black", "renormalize"}},
         {.name = "axis", .help = "blurs along x, y or both", .kind = ParamKind::choice, .choices = {"both", "x", "y"}},
         {.name = "passes",
          .help = "how often the kernel is applied; a box applied some times comes near a gaussian",
          .kind = ParamKind::integer,
          .default_value = 1,
          .min = 1,
          .max = 16},
         {.name = "method",
          .help = "how the sums are made; auto takes the fastest; spline, for a sigma of 5 or more, is near the exact "
                  "result",
          .kind = ParamKind::choice,
          .choices = {"auto", "direct", "separable", "shared", "sliding", "lines", "spline"}},
         {.name = "order",
          .help = "in which the threads of a workgroup take its texels: row by row, along a z-curve, or AMD's order",
          .kind = ParamKind::choice,
          .choices = {"auto", "rows", "z", "amd"}},
         {.name = "zcurve", .help = "short for --order z", .kind = ParamKind::flag},
         {.name = "workgroup",
          .help = "texels of a workgroup that has an order",
          .kind = ParamKind::choice,
          .choices = {"auto", "8x8", "16x16", "32x8"}}},
    .check = [](const Call& call) { check_blur(call); },
    .channels = Channels::all,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_blur,
    .bench = &bench,
};

}  // namespace gpupost
