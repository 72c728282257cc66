// A grade of the ASC CDL: slope, offset, power and saturation.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/ops/grade/cdl_file.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

// A number for all channels, or one each. None where the word has another form.
std::optional<std::array<double, 3>> of_channels(std::string_view word) {
  const std::optional<std::vector<double>> numbers = list_of_numbers(word);
  if (!numbers || (numbers->size() != 1 && numbers->size() != 3)) return {};
  return std::array{numbers->front(), (*numbers)[numbers->size() / 2], numbers->back()};
}

void check(const Call& call) {
  constexpr double most = 65504;
  for (const auto& [name, least] : {std::pair("slope", 0.0), {"offset", -most}, {"power", 0.001}})
    if (const auto numbers = of_channels(call.word(name)))
      for (const double number : *numbers)
        if (!(number >= least && number <= most))
          fail(Exit::usage, "grade: --{} {} is outside {}..{}", name, number, least, most);
}

Cdl cdl_of(const Call& call) {
  if (!call.word("file").empty()) return parse_cdl(call.source, call.word("id"), call.word("file"));
  Cdl cdl{.saturation = call.number("saturation")};
  cdl.slope = of_channels(call.word("slope")).value_or(cdl.slope);
  cdl.offset = of_channels(call.word("offset")).value_or(cdl.offset);
  cdl.power = of_channels(call.word("power")).value_or(cdl.power);
  return cdl;
}

double limited(double number) { return number > 0 ? std::min(number, 1.0) : 0; }

// Straight color.
Color graded(const Cdl& cdl, bool clamps, const Color& c) {
  Color made = c;
  for (size_t k = 0; k < 3; ++k) {
    made[k] = as_float(c[k] * cdl.slope[k] + cdl.offset[k]);
    if (clamps) made[k] = limited(made[k]);
    if (made[k] > 0) made[k] = signed_power(made[k], cdl.power[k]);
  }
  if (cdl.saturation == 1) return made;
  const double luma = 0.2126 * made[0] + 0.7152 * made[1] + 0.0722 * made[2];
  for (size_t k = 0; k < 3; ++k) {
    made[k] = luma + cdl.saturation * (made[k] - luma);
    if (clamps) made[k] = limited(made[k]);
  }
  return made;
}

std::function<Color(const Color&)> texel(const Call& call, const Planes&) {
  return [cdl = cdl_of(call), clamps = call.flag("clamp")](const Color& c) {
    Color made = graded(cdl, clamps, c);
    if (!is_transparent(c[3])) return made;
    const Color of_black = graded(cdl, clamps, {});
    for (size_t k = 0; k < 3; ++k) made[k] -= of_black[k];
    return made;
  };
}

// Sums of numbers that nearly cancel are off by a share of those numbers.
std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  Planes off = error;
  for (size_t index = 0; index < off[0].values.size(); ++index) {
    const Color c = color_at(base, index);
    const double size = std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) + std::abs(coverage_of(c[3]));
    if (std::isfinite(size))
      for (size_t k = 0; k < 3; ++k) off[k].values[index] += 0x1p-21 * size;
  }
  return point_tolerance(call, base, off, depth);
}

std::vector<ShaderParam> fields(const Call& call) {
  const Cdl cdl = cdl_of(call);
  std::vector<ShaderParam> made;
  for (const auto& [name, numbers] :
       {std::pair("slope_", &cdl.slope), {"offset_", &cdl.offset}, {"power_", &cdl.power}})
    for (size_t k = 0; k < 3; ++k) made.push_back({.name = name + std::string(1, "rgb"[k]), .value = (*numbers)[k]});
  made.push_back({.name = "saturation", .value = cdl.saturation});
  made.push_back({.name = "clamps", .value = double(call.flag("clamp")), .is_integer = true, .is_literal = true});
  return made;
}

bool has_no_file(const Call& call) { return call.word("file").empty(); }

Output output(const Call& call, std::span<const Output> inputs) {
  if (!has_no_file(call)) return by_values(call, inputs);
  const Cdl cdl = cdl_of(call);
  const auto are_equal = [](const auto& numbers) { return numbers[0] == numbers[1] && numbers[0] == numbers[2]; };
  const bool is_gray = are_equal(cdl.slope) && are_equal(cdl.offset) && are_equal(cdl.power);
  return with_gray(inputs.front(), is_gray ? GrayResult::gray : GrayResult::color);
}

Param channels_param(std::string_view name, std::string_view help) {
  return {
      .name = name,
      .help = help,
      .kind = ParamKind::text,
      .form = {.syntax = "N or R,G,B", .matches = [](std::string_view text) { return of_channels(text).has_value(); }},
      .effect = {.in = has_no_file, .requirement = "with --file; leave one of them out"}};
}

}  // namespace

extern const Op grade_op;
const Op grade_op = point_op({
    .name = "grade",
    .doc = {.group = OpGroup::color,
            .summary = "Apply an ASC CDL: slope, offset, power, saturation",
            .description =
                "Each of R, G and B becomes (slope * c + offset)^power, with straight alpha. The power is not applied "
                "to negative values. Then the distance of each channel from the Rec. 709 luma is multiplied by the "
                "saturation. --clamp limits values to 0..1 before the power and after the saturation, as ASC CDL 1.2 "
                "requires; without it, light above 1 stays. --file reads a .cc, .ccc or .cdl file. The CDL applies to "
                "the values in the chain, which are linear. A CDL for a log space needs `ocio` before and after it: "
                "`ocio --to ACEScct grade --file my.cdl ocio --from ACEScct --to ACEScg`.",
            .citation = "ASC Color Decision List 1.2; without --clamp, as noClamp of OpenColorIO",
            .examples = {"--slope 1.2 --offset -0.02,0,0.01 --power 0.9,1,1.1 --saturation 0.8",
                         "--slope 1.1,1,0.9 --clamp", "--saturation 0"}},
    .params = {channels_param("slope", "Factor, 0 to 65504; default 1"),
               channels_param("offset", "Number to add after the factor, -65504 to 65504; default 0"),
               channels_param("power", "Exponent, 0.001 to 65504; default 1"),
               {.name = "saturation",
                .help = "Saturation; 0 is gray, 1 changes nothing",
                .default_value = 1,
                .min = 0,
                .max = 16,
                .effect = {.in = has_no_file, .requirement = "with --file; leave one of them out"}},
               {.name = "clamp", .help = "Clamp values to 0..1", .kind = ParamKind::flag},
               {.name = "file",
                .help = "CDL file to read, instead of the other options",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE.cc, .ccc or .cdl",
                         .matches =
                             [](std::string_view text) {
                               return text.ends_with(".cc") || text.ends_with(".ccc") || text.ends_with(".cdl");
                             }}},
               {.name = "id",
                .help = "Id of the correction in the file; required if the file has several. Numbers are not accepted; "
                        "`ocio --id` accepts them",
                .kind = ParamKind::text,
                .form = {.syntax = "ID", .matches = [](std::string_view text) { return !text.empty(); }},
                .effect = {.in = [](const Call& call) { return !has_no_file(call); }, .requirement = "--file"}}},
    .check = check,
    .needs =
        [](const Call& call) {
          return Needs{.file = has_no_file(call) ? "" : "file", .most_file_bytes = size_t(16) << 20};
        },
    .output = output,
    .reference = {.tolerance = tolerance},
    .point = Point{.kernel = "grade/grade.glsl",
                   .alpha = PointAlpha::straight,
                   .relative_error = 0x1p-16,   // devices take powers by logarithms
                   .absolute_error = 0x1p-120,  // a device may flush a small power before the saturation scales it
                   .fields = fields,
                   .texel = texel},
});

}  // namespace gpupost
