// Color multiplied by its alpha, and divided by it.
#include "core/op/point.h"
#include "core/ops/small/row.h"

namespace gpupost {

// With straight color, no ops take the color of texels with alpha 0 for light.
static Output with_plain_colors(Output image, bool is_straight) {
  image.colors_transparent = false;
  image.is_straight = is_straight;
  return image;
}

const Op premultiply_op = point_op({
    .name = "premultiply",
    .doc = {.group = OpGroup::channels,
            .summary = "Multiply R, G and B by alpha",
            .description =
                "Use it for float files whose color is straight although nothing in them says so: EXR, and TIFF, "
                "KTX2 and DDS that record another alpha or none. gpupost reads float color as premultiplied, "
                "unless the file records straight alpha. Where alpha is 0, color becomes 0. Infinite and NaN alpha "
                "count as 1.",
            .citation = "Porter and Duff, Compositing Digital Images, 1984",
            .examples = {""}},
    .output = [](const Call&, std::span<const Output> inputs) { return with_plain_colors(inputs.front(), false); },
    .point = Point{.kernel = "small/premultiply.glsl",
                   .texel =
                       [](const Call&, const Planes&) {
                         return std::function([](const Color& c) -> Color {
                           if (is_transparent(c[3])) return {0, 0, 0, c[3]};
                           return premultiply(c);
                         });
                       }},
});

const Op unpremultiply_op = point_op({
    .name = "unpremultiply",
    .doc =
        {.group = OpGroup::channels,
         .summary = "Divide R, G and B by alpha",
         .description =
             "Use it for programs that expect straight color in float files. TIFF, KTX2 and DDS then record straight "
             "alpha; EXR has no place for that. Make it the last op, because other ops "
             "expect premultiplied color. Leave it out for PNG and other outputs of integers with alpha: "
             "gpupost divides by alpha when it writes them. Where alpha is 0, infinite or NaN, color does not change.",
         .citation = "Porter and Duff, Compositing Digital Images, 1984",
         .examples = {""}},
    .output = [](const Call&, std::span<const Output> inputs) { return with_plain_colors(inputs.front(), true); },
    .point = Point{.kernel = "small/unpremultiply.glsl",
                   .texel = [](const Call&, const Planes&) { return std::function(unpremultiply); }},
});

}  // namespace gpupost
