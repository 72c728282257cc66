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
  // A pass rounds texels beyond the border differently from the same texels inside. So each pass is a step of its own, which
  // reads the result of the pass before it for the whole image.
  if (blur.border == Border::repeat && blur.passes > 1)
    return {.kind = Footprint::Kind::around, .steps = std::vector(size_t(blur.passes), call.with("passes", 1))};
  return {.kind = Footprint::Kind::around,
          .margin = {.x = blur.passes * blur.radius_x,
                     .y = blur.passes * blur.radius_y,
                     .wraps = blur.border == Border::repeat},
          // other methods divide lines into segments, at which tiles must begin
          .in_smaller_tiles = blur.has_splines ? std::vector<Call>() : std::vector{separable(call)}};
}

static const Benchmark bench = blur_benchmark();

const Op blur_op{
    .name = "blur",
    .doc =
        {.group = OpGroup::blur,
         .summary = "Blur with a box or a gaussian of any radius",
         .description =
             "R is --radius and S is --sigma. A box averages the 2R+1 x 2R+1 texels around each texel. A gaussian "
             "weights these texels by exp(-d^2 / (2 S^2)), where d is their distance. With --sigma alone, R is "
             "ceil(3 S). With --kernel gaussian and --radius alone, S is R / 3. Weights are normalized. Weights "
             "below 2^-24 of the middle weight count as 0.\nColor is blurred in linear light with premultiplied "
             "alpha. Other channels, such as depth, stay as they are unless --apply-to names them. Arithmetic is "
             "32-bit float, even with --fp16. A NaN or an infinity spreads to the texels whose kernel covers it, "
             "and no further.\nAll methods agree to within rounding, except spline. Spline is the default if only "
             "--sigma is given and S is above 4. Its cost does not grow with S. It blurs on a coarser grid and "
             "does not cut the gaussian off at 3 S. Its error is at most 0.1 % of the middle weight, and 0.02 % of "
             "the height of an edge. With spline, an infinity spreads up to 6 S.",
         .citation = "A tale of too many blurs, part 1: Morton/Z curves (direct, z); L. Kramer, Optimizing for the "
                     "Radeon RDNA Architecture, 2020 (amd); M. Unser, A. Aldroubi, M. Eden, B-Spline Signal "
                     "Processing, 1993, and J. Jackson et al., Selection of a Convolution Function for Fourier "
                     "Inversion Using Gridding, 1991 (spline)",
         .examples = {"--radius 7", "--sigma 1.5", "--sigma 12", "--radius 2 --passes 3",
                      "--kernel gaussian --radius 4 --border repeat", "--sigma 2 --method separable --axis x",
                      "--radius 7 --zcurve", "--radius 2 --method direct --order rows --workgroup 8x8 --border black",
                      "--radius 3 --method direct --order z --workgroup 16x16 --border mirror",
                      "--sigma 1 --method direct --order amd --workgroup 32x8 --border renormalize",
                      "--kernel box --radius 3 --method separable --order rows --workgroup 32x8 --border renormalize",
                      "--radius 5 --method separable --axis y --border black", "--radius 7 --method shared",
                      "--radius 15 --method sliding", "--sigma 3 --method lines",
                      "--sigma 6 --method spline --border mirror", "--sigma 9 --axis x --border renormalize",
                      "--sigma 7 --axis y --border black", "--sigma 30 --border repeat"}},
    .params = {{.name = "radius",
                .help = "Distance in texels from the middle of the kernel to its edge",
                .kind = ParamKind::integer,
                .min = 0,
                .max = 1024,
                .unit = "texels",
                .presence = Presence::optional},
               {.name = "sigma",
                .help = "Standard deviation of the gaussian in texels",
                .kind = ParamKind::number,
                .min = 0,
                .max = 341,
                .unit = "texels",
                .presence = Presence::optional},
               {.name = "kernel",
                .help = "Shape of the kernel; auto is a gaussian if --sigma is given, else a box",
                .kind = ParamKind::choice,
                .choices = {"auto", "box", "gaussian"}},
               {.name = "border",
                .help =
                    "Texels beyond the image: clamp repeats the edge, repeat tiles the image, mirror mirrors it, black "
                    "is 0, renormalize gives them no weight",
                .kind = ParamKind::choice,
                .choices = {std::begin(border_names), std::end(border_names)}},
               {.name = "axis", .help = "Axes to blur along", .kind = ParamKind::choice, .choices = {"both", "x", "y"}},
               {.name = "passes",
                .help = "How often to apply the kernel; several passes of a box approach a gaussian",
                .kind = ParamKind::integer,
                .default_value = 1,
                .min = 1,
                .max = 16},
               {.name = "method",
                .help =
                    "Algorithm; auto takes spline above --sigma 4, else the fastest. Only spline changes the result",
                .kind = ParamKind::choice,
                .choices = {"auto", "direct", "separable", "shared", "sliding", "lines", "spline"}},
               {.name = "order",
                .help = "Order in which the threads of a workgroup visit texels: row by row, along a Z-curve, or AMD's "
                        "swizzle; for --method direct and separable",
                .kind = ParamKind::choice,
                .choices = {"auto", "rows", "z", "amd"}},
               {.name = "zcurve", .help = "Same as --order z", .kind = ParamKind::flag},
               {.name = "workgroup",
                .help = "Workgroup size in texels, for --method direct and separable",
                .kind = ParamKind::choice,
                .choices = {"auto", "8x8", "16x16", "32x8"}}},
    .check = [](const Call& call) { check_blur(call); },
    .channels = Channels::all,
    .output = behind_border,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_blur,
    .bench = &bench,
};

}  // namespace gpupost
