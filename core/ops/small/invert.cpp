#include "core/op/point.h"
#include "core/ops/small/row.h"

#include <array>

namespace gpupost {

namespace {

// Which of R, G and B change: those that are named, or all if none is.
std::array<bool, 3> inverted_channels(const Call& call) {
  const std::array<bool, 3> named{call.flag("red"), call.flag("green"), call.flag("blue")};
  return named == std::array<bool, 3>{} ? std::array{true, true, true} : named;
}

Output inverted_output(const Call& call, std::span<const Output> inputs) {
  const bool are_all = inverted_channels(call) == std::array{true, true, true};
  return with_gray(inputs.front(), are_all ? GrayResult::gray : GrayResult::color);
}

std::vector<ShaderParam> invert_fields(const Call& call) {
  const auto [red, green, blue] = inverted_channels(call);
  return {{.name = "white", .value = call.number("white")},
          {.name = "red", .value = double(red)},
          {.name = "green", .value = double(green)},
          {.name = "blue", .value = double(blue)}};
}

std::function<Color(const Color&)> inverted_texel(const Call& call, const Planes&) {
  return [white = on_device(call.number("white")), changes = inverted_channels(call)](const Color& c) {
    Color made = c;
    for (size_t k = 0; k < 3; ++k)
      if (changes[k]) made[k] = as_float(white * coverage_of(c[3])) - c[k];
    return made;
  };
}

}  // namespace

const Op invert_op = point_op({
    .name = "invert",
    .doc = {.group = OpGroup::color,
            .summary = "Replace each channel by its complement",
            .description =
                "R, G and B become white - c, or only those that --red, --green and --blue name. The light is linear, "
                "with straight alpha. Alpha does not change.\n"
                "--green changes a normal map from the convention of DirectX to that of OpenGL, and back: `gpupost "
                "normal.png --input-transfer linear --transfer linear invert --green -o turned.png`. `mips --normal` "
                "can follow, which "
                "takes values as they are without --input-transfer.",
            .citation = "The negative of a photograph",
            .examples = {"", "--white 4", "--green"}},
    .params = {{.name = "white", .help = "Value that becomes 0", .default_value = 1, .min = 0, .max = 65504},
               {.name = "red", .help = "Change R, and G and B only if they are named too", .kind = ParamKind::flag},
               {.name = "green", .help = "The same for G", .kind = ParamKind::flag},
               {.name = "blue", .help = "The same for B", .kind = ParamKind::flag}},
    // the difference of two close numbers loses what halves round away
    .needs = [](const Call&) { return Needs{.floats = FloatStorage::of_bytes}; },
    .output = inverted_output,
    .point = Point{.kernel = "small/invert.glsl", .fields = invert_fields, .texel = inverted_texel},
});

}  // namespace gpupost
