#include "core/ops/bleed/row.h"

#include "core/op/benchmark.h"
#include "core/ops/bleed/passes.h"
#include "core/ops/bleed/reference.h"

namespace gpupost {

static void plan_bleed(const Call&, PlanBuilder& builder) {
  const int source = builder.current_image();
  PassSpec pass = plan_bled_level(builder, {.image = source});
  const PlanImage image = builder.image(source);
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

static Output output(const Call&, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.colors_transparent = true;
  return made;
}

static const Benchmark bench = {.floor = Floor::bytes,
                                .sizes = {{1920, 1080}, {3840, 2160}},
                                .cpu_sizes = {{1024, 1024}},
                                .depths = {Depth::half, Depth::f32}};

const Op bleed_op{
    .name = "bleed",
    .doc =
        {.group = OpGroup::channels,
         .summary = "Give texels with alpha 0 the color around them",
         .description =
             "For textures with straight alpha, such as leaves. When a renderer filters a texture, makes mip levels or "
             "decodes compressed blocks, colors of texels with alpha 0 mix with visible colors. If they are black, "
             "edges get dark. `bleed` gives texels with alpha 0 the color of visible texels nearby. Alpha and all "
             "other texels do not change.\nA texel of level k of a pyramid has the mean color of the 2^k x 2^k "
             "texels that it covers, weighted by alpha. If none of them is visible, its color is interpolated "
             "linearly from level k + 1. The same is done in level 0, the image. So color spreads over any distance, "
             "and gets smoother with the distance. An image without visible texels does not change.\nThe weight is "
             "the absolute value of alpha, at most 1. Infinite and NaN alpha has the weight 1. Texels with "
             "negative alpha, which filters with `--ringing keep` make, count as visible. Color that is NaN, "
             "infinite or, with straight alpha, above 1e15 does not spread, nor does color with a weight below "
             "1e-12.\nWrite a file of integers, for example `gpupost bleed in.png -o out.png`. Its alpha is straight. "
             "In EXR and other files of floats alpha is premultiplied, and color with alpha 0 is light. For "
             "straight color in such a file, use `bleed unpremultiply`. To drop alpha, use `bleed unpremultiply "
             "channels --list R,G,B`.\nOps that filter or measure, such as `resize` and `exposure --auto`, come "
             "before `bleed`. Behind it they would add the new colors as light. Ops that add a color, such as "
             "`offset` and `invert`, come before it too, because they add none where alpha is 0. For mip levels, `mips "
             "--bleed` fills every level: `gpupost mips "
             "--coverage 0.5 --bleed in.png -o out.ktx2`. Both need the whole image, so they cannot run in tiles.",
         .citation = "S. J. Gortler et al., The Lumigraph, 1996 (pull-push)",
         .examples = {""}},
    .output = output,
    .reference = {.levels = [](const Call&, Planes base) { return std::vector{bled(std::move(base))}; },
                  .tolerance = [](const Call&, const Planes& base, const Planes& error,
                                  Depth depth) { return std::vector{bled_tolerance(base, error, depth)}; },
                  .sums_xyz = false},
    .plan = plan_bleed,
    .bench = &bench,
};

}  // namespace gpupost
