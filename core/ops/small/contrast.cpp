// Contrast, gamma and saturation.
#include "core/op/point.h"
#include "core/ops/small/row.h"

#include <cmath>

namespace gpupost {

namespace {

// `make` of R, G and B each.
template <class Make>
std::function<Color(const Color&)> of_each(Make make) {
  return [make](const Color& c) -> Color { return {make(c[0]), make(c[1]), make(c[2]), c[3]}; };
}

constexpr double power_fuzz = 0x1p-16;  // devices take powers by logarithms

}  // namespace

const Op contrast_op = point_op({
    .name = "contrast",
    .doc = {.group = OpGroup::tone,
            .summary = "Raise or lower contrast around a pivot",
            .description = "Each of R, G and B becomes pivot * (c / pivot)^factor, in linear light with straight "
                           "alpha. The pivot keeps its brightness. Light one stop above the pivot ends up --factor "
                           "stops above it. Negative values keep their sign.",
            .citation = "pivot * (c / pivot)^factor",
            .examples = {"--factor 1.2", "--factor 0.8 --pivot 0.5"}},
    .params =
        {{.name = "factor", .help = "Contrast; values above 1 raise it", .default_value = 1, .min = 0.01, .max = 16},
         {.name = "pivot", .help = "Gray that does not change", .default_value = 0.18, .min = 0.0001, .max = 1000}},
    .point = Point{.kernel = "small/contrast.glsl",
                   .alpha = PointAlpha::straight,
                   .relative_error = power_fuzz,
                   .absolute_error = 0x1p-116,  // a device may flush a small power before it scales it
                   .fields =
                       [](const Call& call) {
                         const double factor = call.number("factor"), pivot = call.number("pivot");
                         // before a large power the light gets all of the pivot, else it overflows; after a small one, else the pivot does
                         const bool is_large = factor > 1;
                         return std::vector<ShaderParam>{
                             {.name = "factor", .value = factor},
                             {.name = "inside", .value = is_large ? std::pow(pivot, (1 - factor) / factor) : 1},
                             {.name = "outside", .value = is_large ? 1 : std::pow(pivot, 1 - factor)}};
                       },
                   .texel =
                       [](const Call& call, const Planes&) {
                         return of_each([factor = call.number("factor"), pivot = call.number("pivot")](double value) {
                           return signed_power(value / pivot, factor, pivot);
                         });
                       },
                   .is_identity = [](const Call& call) { return call.number("factor") == 1; }},
});

const Op gamma_op = point_op({
    .name = "gamma",
    .doc = {.group = OpGroup::tone,
            .summary = "Apply a power function to each channel",
            .description = "Each of R, G and B becomes c^(1 / value), with straight alpha. Negative values keep their "
                           "sign. This op does not encode for display: PNG, JPEG, TIFF with integers, and 8-bit KTX2 "
                           "and DDS get their sRGB curve when they are written.",
            .citation = "c^(1 / value)",
            .examples = {"--value 2.2", "--value 0.5"}},
    .params = {{.name = "value",
                .help = "Gamma; values above 1 brighten the midtones",
                .default_value = 1,
                .min = 0.05,
                .max = 20}},
    .point = Point{.kernel = "small/gamma.glsl",
                   .alpha = PointAlpha::straight,
                   .relative_error = power_fuzz,
                   .texel =
                       [](const Call& call, const Planes&) {
                         return of_each([exponent = 1 / call.number("value")](double value) {
                           return signed_power(value, exponent);
                         });
                       },
                   .is_identity = [](const Call& call) { return call.number("value") == 1; }},
});

const Op saturation_op = point_op({
    .name = "saturation",
    .doc = {.group = OpGroup::color,
            .summary = "Make colors stronger or grayer",
            .description = "Each of R, G and B becomes Y + factor * (c - Y), in linear light. Y is the luminance, "
                           "which does not change. Its weights are those of the image's own primaries.",
            .citation = "Saturation of ASC CDL 1.2 with the luminance of the image's primaries",
            .examples = {"--factor 1.4", "--factor 0"}},
    .params = {{.name = "factor",
                .help = "Saturation: 0 is gray, 1 changes nothing, more than 1 makes colors stronger",
                .default_value = 1,
                .min = 0,
                .max = 16}},
    .needs = [](const Call&) { return Needs{.luminance = true}; },
    .reference = {.tolerance = luminance_tolerance},
    .point = Point{.kernel = "small/saturation.glsl",
                   .alpha = PointAlpha::any,
                   .fields =
                       [](const Call& call) {
                         std::vector<ShaderParam> fields = luminance_fields(call);
                         fields.push_back({.name = "factor", .value = call.number("factor")});
                         return fields;
                       },
                   .texel =
                       [](const Call& call, const Planes&) {
                         const Vector3 weights = luminance_weights_of(call);
                         return std::function([weights, factor = call.number("factor")](const Color& c) -> Color {
                           const double y = weights[0] * c[0] + weights[1] * c[1] + weights[2] * c[2];
                           return {y + factor * (c[0] - y), y + factor * (c[1] - y), y + factor * (c[2] - y), c[3]};
                         });
                       },
                   .is_identity = [](const Call& call) { return call.number("factor") == 1; }},
});

}  // namespace gpupost
