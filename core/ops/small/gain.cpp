// Gain and offset: a number a channel, multiplied or added.
#include "core/op/point.h"
#include "core/ops/small/row.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

constexpr std::string_view channels[] = {"red", "green", "blue"};

// `--value` for all three, but where a channel has its own.
Color numbers_of(const Call& call) {
  Color numbers{0, 0, 0, 0};
  for (size_t c = 0; c < 3; ++c)
    numbers[c] = call.number(call.has(channels[c]) ? channels[c] : std::string_view("value"));
  return numbers;
}

std::vector<ShaderParam> fields(const Call& call) {
  std::vector<ShaderParam> made;
  for (size_t c = 0; c < 3; ++c) made.push_back({.name = std::string(channels[c]), .value = numbers_of(call)[c]});
  return made;
}

bool are_all(const Call& call, double number) {
  const Color numbers = numbers_of(call);
  return numbers[0] == number && numbers[1] == number && numbers[2] == number;
}

Output output(const Call& call, std::span<const Output> inputs) {
  return with_gray(inputs.front(), are_all(call, numbers_of(call)[0]) ? GrayResult::gray : GrayResult::color);
}

// `help` is the help of --value, and `channel_help` that of --red, --green and --blue.
std::vector<Param> params(double def, std::string_view help, std::string_view channel_help) {
  std::vector<Param> made{{.name = "value",
                           .help = help,
                           .default_value = def,
                           .min = -65504,
                           .max = 65504,
                           .effect = {.in =
                                          [](const Call& call) {
                                            return !std::ranges::all_of(
                                                channels, [&](auto channel) { return call.has(channel); });
                                          },
                                      .requirement = "a channel without its own value"}}};
  for (const std::string_view channel : channels)
    made.push_back(
        {.name = channel, .help = channel_help, .min = -65504, .max = 65504, .presence = Presence::optional});
  return made;
}

}  // namespace

const Op gain_op = point_op({
    .name = "gain",
    .doc = {.group = OpGroup::color,
            .summary = "Multiply R, G and B by a factor",
            .description = "--value multiplies R, G and B; --red, --green and --blue set the factor of one channel. "
                           "The light is linear. Alpha does not change.",
            .citation = "The slope of ASC CDL 1.2",
            .examples = {"--value 1.5", "--red 0.9 --blue 1.2"}},
    .params = params(1, "Factor for R, G and B", "Factor for this channel only; default: --value"),
    .output = output,
    .point = Point{.kernel = "small/gain.glsl",
                   .alpha = PointAlpha::any,
                   .fields = fields,
                   .texel =
                       [](const Call& call, const Planes&) {
                         return std::function([n = numbers_of(call)](const Color& c) -> Color {
                           return {n[0] * c[0], n[1] * c[1], n[2] * c[2], c[3]};
                         });
                       },
                   .is_identity = [](const Call& call) { return are_all(call, 1); }},
});

const Op offset_op = point_op({
    .name = "offset",
    .doc = {.group = OpGroup::color,
            .summary = "Add a number to R, G and B",
            .description = "--value is added to R, G and B, in linear light with straight alpha; --red, --green and "
                           "--blue set the number of one channel. Premultiplied color c becomes c + alpha * number, so "
                           "texels with alpha 0 do not change.",
            .citation = "The offset of ASC CDL 1.2",
            .examples = {"--value 0.1", "--red -0.05 --green 0.01"}},
    .params = params(0, "Number to add to R, G and B", "Number to add to this channel only; default: --value"),
    .output = output,
    .point = Point{.kernel = "small/offset.glsl",
                   .fields = fields,
                   .texel =
                       [](const Call& call, const Planes&) {
                         Color n = numbers_of(call);
                         for (double& number : n) number = on_device(number);
                         return std::function([n](const Color& c) -> Color {
                           const double share = coverage_of(c[3]);
                           return {share * n[0] + c[0], share * n[1] + c[1], share * n[2] + c[2], c[3]};
                         });
                       },
                   .is_identity = [](const Call& call) { return are_all(call, 0); }},
});

}  // namespace gpupost
