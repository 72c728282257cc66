#include "core/op/point.h"
#include "core/ops/small/row.h"

namespace gpupost {

const Op invert_op = point_op({
    .name = "invert",
    .doc = {.group = OpGroup::color,
            .summary = "Replace each channel by its complement",
            .description =
                "Each of R, G and B becomes white - c, in linear light with straight alpha. Alpha does not change.",
            .citation = "The negative of a photograph",
            .examples = {"", "--white 4"}},
    .params = {{.name = "white", .help = "Value that becomes 0", .default_value = 1, .min = 0, .max = 65504}},
    .point = Point{.kernel = "small/invert.glsl",
                   .texel =
                       [](const Call& call, const Planes&) {
                         return std::function([white = on_device(call.number("white"))](const Color& c) -> Color {
                           const double most = white * coverage_of(c[3]);
                           return {most - c[0], most - c[1], most - c[2], c[3]};
                         });
                       }},
});

}  // namespace gpupost
