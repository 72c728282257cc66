// White where a channel or the luminance reaches a number, black elsewhere.
#include "core/op/point.h"
#include "core/ops/small/row.h"

namespace gpupost {

const Op threshold_op = point_op({
    .name = "threshold",
    .doc = {.group = OpGroup::color,
            .summary = "Set values to 1 at or above a level, and to 0 below it",
            .description =
                "Each of R, G and B becomes 1 if it is at least --level, else 0, in linear light with straight alpha. "
                "With --by luminance, the luminance decides for all three. Alpha does not change. NaN becomes 0.",
            .citation = "c >= LEVEL",
            .examples = {"", "--level 0.25 --by luminance"}},
    .params =
        {{.name = "level", .help = "Smallest value that becomes 1", .default_value = 0.5, .min = -65504, .max = 65504},
         {.name = "by",
          .help = "Value to compare: each channel, or the luminance by the image's primaries",
          .kind = ParamKind::choice,
          .choices = {"channel", "luminance"}}},
    .needs =
        [](const Call& call) {
          return Needs{.luminance = call.choice("by") == "luminance", .floats = FloatStorage::of_bytes};
        },
    // near the threshold rounding decides, so 0 and 1 are both right
    .reference = {.tolerance = luminance_tolerance},
    .point = Point{
        .kernel = "small/threshold.glsl",
        .alpha = PointAlpha::straight,
        .fields =
            [](const Call& call) {
              std::vector<ShaderParam> fields = luminance_fields(call);
              fields.push_back({.name = "level", .value = call.number("level")});
              fields.push_back({.name = "by", .value = call.number("by"), .is_integer = true, .is_literal = true});
              return fields;
            },
        .texel =
            [](const Call& call, const Planes&) {
              const bool is_luminance = call.choice("by") == "luminance";
              const Vector3 weights = luminance_weights_of(call);
              return std::function([is_luminance, weights, level = call.number("level")](const Color& c) -> Color {
                if (is_transparent(c[3])) return {0, 0, 0, c[3]};
                const auto made = [&](double n) { return n >= level ? 1.0 : 0.0; };
                const double y = weights[0] * c[0] + weights[1] * c[1] + weights[2] * c[2];
                if (is_luminance) return {made(y), made(y), made(y), c[3]};
                return {made(c[0]), made(c[1]), made(c[2]), c[3]};
              });
            }},
});

}  // namespace gpupost
