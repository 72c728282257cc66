// Exposure in stops.
#include "core/error.h"
#include "core/ops/ops.h"
#include "core/point.h"

#include <cmath>

namespace gpupost {

const Op exposure_op = point_op({
    .name = "exposure",
    .help = "light made brighter or darker by stops",
    .description = "R, G and B are multiplied by 2^stops, in linear light; alpha stays.",
    .source = "the photographic stop",
    .params = {{.name = "stops",
                .help = "one more is twice the light",
                .min = -32,
                .max = 32,
                .unit = "stops",
                .is_optional = true}},
    .examples = {"--stops 1", "--stops -2.5"},
    .check =
        [](const Call& call) {
          if (!call.has("stops")) fail(Exit::usage, "exposure: no exposure is given; expected --stops");
        },
    .point = Point{.fields =
                       [](const Call& call) {
                         return std::vector<Field>{{.name = "factor", .value = std::exp2(call.number("stops"))}};
                       },
                   .texel =
                       [](const Call& call, const Planes&) {
                         const double factor = std::exp2(call.number("stops"));
                         return std::function([factor](const Colour& c) -> Colour {
                           return {factor * c[0], factor * c[1], factor * c[2], c[3]};
                         });
                       },
                   .is_identity = [](const Call& call) { return call.number("stops") == 0; }},
});

}  // namespace gpupost
