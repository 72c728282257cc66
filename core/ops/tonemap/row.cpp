// Tone mapping: its row. The curves are in core/ops/tonemap/curves.cpp and core/ops/tonemap/color_curves.cpp, the rest of the definition in
// core/ops/tonemap/reference.cpp.
#include "core/op/op.h"
#include "core/ops/tonemap/reference.h"

#include "core/op/point.h"
#include "core/ops/small/clamp.h"
#include "core/ops/stats/passes.h"
#include "core/ops/stats/reference.h"
#include "core/ops/tonemap/local_passes.h"
#include "core/ops/tonemap/local_reference.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

namespace {

std::vector<std::string_view> curve_names() {
  std::vector<std::string_view> names;
  for (const Curve& curve : all_curves()) names.push_back(curve.name);
  return names;
}

// An option of curves and what it means; which curve takes it, its default and its range there are said with the curve.
struct CurveOption {
  std::string_view name, help;
};
constexpr CurveOption curve_options[] = {
    {"white", "Luminance that becomes 1; default: that of the curve, else the maximum of the image"},
    {"average", "Log average of the luminance; default: measured"},
    {"black", "Luminance that becomes 0"},
    {"toe", "Strength of the toe"},
    {"shoulder", "Strength of the shoulder"},
    {"crossover", "Luminance where toe and shoulder meet"},
    {"linear", "Strength or length of the section between toe and shoulder"},
    {"linear-start", "Luminance where the section between toe and shoulder begins"},
    {"angle", "Angle of the section between toe and shoulder"},
    {"toe-numerator", "Numerator of the toe's angle"},
    {"toe-denominator", "Denominator of the toe's angle"},
    {"display", "Peak luminance of the display in cd/m2"},
    {"bias", "Brightness of the midtones; larger values make them darker"},
    {"strength", "Strength of the curve; larger values brighten dark areas more"},
    {"contrast", "Slope of the midtones"},
    {"mid-in", "Light that becomes --mid-out"},
    {"mid-out", "Result for light of --mid-in"},
    {"peak", "Result for the brightest light"},
    {"pedestal", "Result for black"},
    {"sharpening", "Width of the neighborhoods; larger values make them wider, mostly in dark areas"},
    {"epsilon", "How much the light may vary within a neighborhood"},
    {"scales", "Number of neighborhood sizes"},
};

// An option of curves: it takes what any of them takes.
Param curve_param(std::string_view option, std::string_view help) {
  Param param{.name = option, .help = help, .min = 1e9, .max = -1e9, .presence = Presence::optional};
  for (const Curve& curve : all_curves())
    for (const CurveParam& own : curve.params)
      if (own.option == option) {
        param.min = std::min(param.min, own.min);
        param.max = std::max(param.max, own.max);
        if (own.is_integer) param.kind = ParamKind::integer;
      }
  param.default_value = param.min;
  return param;
}

bool is_agx(const Call& call) { return curve_of(call).name.starts_with("agx"); }

std::vector<Param> params() {
  std::vector<Param> params{
      {.name = "curve",
       .help = "Tone curve; each is described below",
       .kind = ParamKind::choice,
       .choices = curve_names()},
      {.name = "key",
       .help = "Scale the light before the curve, so that its log average (geometric mean) becomes this value; "
               "default: no scaling",
       .default_value = 0.18,
       .min = 0.001,
       .max = 10,
       .presence = Presence::optional},
      {.name = "chroma",
       .help = "Color when luminance Y becomes T. keep: x and y of Yxy stay. ratio: R, G and B are multiplied by T / "
               "Y. saturate: each channel C becomes (C / Y)^S T. per-channel: the curve is applied to R, G and B. auto "
               "is keep for luminance curves, else per-channel",
       .kind = ParamKind::choice,
       .choices = {"auto", "keep", "ratio", "saturate", "per-channel"},
       .effect = {.in = [](const Call& call) { return curve_of(call).kind == CurveKind::luminance; },
                  .requirement = "a --curve that works on luminance"}},
      {.name = "saturation",
       .help = "S of --chroma saturate; 0 is gray. Without --chroma, it implies --chroma saturate",
       .default_value = 1,
       .min = 0,
       .max = 2,
       .presence = Presence::optional,
       .effect = {.in = [](const Call& call) { return chroma_of(call) == Chroma::saturate; },
                  .requirement = "--chroma saturate and a --curve of luminance"}},
      {.name = "fit",
       .help = "Mix colors above 1 with gray of the same luminance until they are at most 1; luminance and hue stay",
       .kind = ParamKind::flag},
      {.name = "look",
       .help = "Set of slope, power and saturation for the agx curves. Saturation uses the luminance before the power, "
               "as in the published code",
       .kind = ParamKind::choice,
       .choices = {"none", "punchy", "golden"},
       .effect = {.in = is_agx, .requirement = "one of the agx curves"}},
      {.name = "display-power",
       .help = "E of the agx curves: the gamma of the display that they encode for",
       .kind = ParamKind::choice,
       .choices = {"2.2", "2.4"},
       .effect = {.in = is_agx, .requirement = "one of the agx curves"}}};
  for (const auto& [option, help] : curve_options) params.push_back(curve_param(option, help));
  return params;
}

std::string note_of(const CurveParam& param) {
  const std::string def = param.measured == Measured::nothing ? fmt::format("{}", param.default_value) : "measured";
  return fmt::format("{} is --{} ({}..{}, default {})", param.letter, param.option, param.min, param.max, def);
}

std::vector<Note> notes() {
  std::vector<Note> notes;
  for (const Curve& curve : all_curves()) {
    std::vector<std::string> numbers;
    for (const CurveParam& param : curve.params) numbers.push_back(note_of(param));
    notes.push_back(
        {.name = curve.name,
         .formula = curve.formula,
         .text = fmt::format("{}{}{}", fmt::join(numbers, ", "), numbers.empty() ? "" : "; ", curve.source)});
  }
  return notes;
}

// A luminance alone goes through the curve in Yxy; all else needs R, G and B.
PointSpace space_of_call(const Call& call) {
  return chroma_of(call) == Chroma::keep && !call.flag("fit") ? PointSpace::yxy : PointSpace::rgb;
}

ShaderParam literal(std::string name, int value, std::span<const std::string_view> choices = {}) {
  return {.name = std::move(name), .value = double(value), .is_integer = true, .is_literal = true, .choices = choices};
}

// What the kernel does with the picture's measures; where they are is known when they are planned.
std::vector<ShaderParam> measured_fields(const Call& call, const Tone& tone) {
  int average_is = 0;  // the first number of the curve is 1
  for (size_t index = 0; index < tone.curve->params.size(); ++index)
    if (tone.curve->params[index].measured == Measured::average) average_is = int(index) + 1;
  const bool has_average = call.has("average"), has_key = call.has("key");
  return {literal("measures_average", needs(call, Measured::average)),
          literal("measures_maximum", needs(call, Measured::maximum)),
          literal("has_key", has_key),
          literal("average_is", average_is),
          literal("statistics_at", 0),
          {.name = "key", .value = has_key ? call.number("key") : 0, .is_literal = !has_key},
          {.name = "average", .value = has_average ? call.number("average") : 1, .is_literal = !has_average}};
}

// What a curve makes of black, in each of R, G and B: more than 0 with a pedestal. It depends on nothing that is measured.
double of_black(const Tone& tone) { return tone_mapped({0, 0, 0}, tone)[1]; }

std::vector<ShaderParam> fields(const Call& call) {
  const Tone tone = tone_of(call, {});
  std::vector<ShaderParam> fields{
      literal("curve", call.integer("curve"), call.op->param("curve")->choices),
      literal("chroma", int(tone.chroma), chroma_names),
      literal("is_fitted", tone.is_fitted),
      literal("is_yxy", space_of_call(call) == PointSpace::yxy),
      literal("look", int(tone.agx.look), call.op->param("look")->choices),
      {.name = "of_black", .value = of_black(tone), .is_literal = true},
      {.name = "power", .value = tone.agx.power, .is_literal = true},
      {.name = "scale", .value = tone.scale, .is_literal = !call.has("key")},
      {.name = "saturation", .value = tone.saturation, .is_literal = !call.has("saturation")}};
  for (const ShaderParam& field : measured_fields(call, tone)) fields.push_back(field);
  for (size_t index = 0; index < tone.numbers.size(); ++index)
    fields.push_back({.name = std::string(1, char('a' + index)),
                      .value = tone.numbers[index],
                      .is_literal = index >= tone.curve->params.size()});
  return fields;
}

// In Yxy where only the luminance changes.
Color tone_mapped_yxy(const Color& given, const Tone& tone) {
  const Color c = yxy_without_negatives(given);
  const double before = c[0] > 0 ? std::min(c[0] * tone.scale, brightest) : 0;
  const bool is_nowhere = std::isnan(c[1]) || std::isnan(c[2]);
  return {curved(before, tone), is_nowhere ? rec709.white.x : c[1], is_nowhere ? rec709.white.y : c[2], c[3]};
}

// Bounded so that the ratio of two is a float; a picture without light has the least.
Measures measures_of(const Planes& picture) {
  const auto bounded = [](double number) { return std::clamp(number, 0x1p-120, 0x1p120); };
  const Statistics statistics = statistics_of(picture);
  return {.average = bounded(statistics.log_average), .maximum = bounded(statistics.luminance.largest)};
}

bool is_measured(const Call& call) { return needs(call, Measured::average) || needs(call, Measured::maximum); }

Tone tone_on(const Call& call, const Planes& picture) {
  return tone_of(call, is_measured(call) ? measures_of(picture) : Measures());
}

std::function<Color(const Color&)> texel(const Call& call, const Planes& picture) {
  const Tone tone = tone_on(call, picture);
  const bool is_yxy = space_of_call(call) == PointSpace::yxy;
  return [tone, is_yxy, black = of_black(tone)](const Color& c) -> Color {
    const Rgb mapped = is_yxy ? Rgb{} : tone_mapped({c[0], c[1], c[2]}, tone);
    Color made = is_yxy ? tone_mapped_yxy(c, tone) : Color{mapped[0], mapped[1], mapped[2], c[3]};
    // a texel of alpha 0 does not get what the curve makes of black
    if (is_transparent(c[3]))
      for (size_t k = 0; k < (is_yxy ? 1 : 3); ++k) made[k] = std::max(0.0, made[k] - black);
    return made;
  };
}

// --- local curves ---------------------------------------------------------------------------------------------------

bool is_local(const Call& call) { return curve_of(call).local_value != nullptr; }

LocalTone local_tone_on(const Call& call, const Planes& picture) {
  return local_tone_of(call, is_measured(call) ? measures_of(picture) : Measures());
}

// A premultiplied texel where the eye is adapted to a luminance.
Color locally_mapped(const Call& call, Tone tone, const Color& c, double adaptation) {
  tone.adaptation = adaptation;
  const Color light = unpremultiply(c);
  if (space_of_call(call) == PointSpace::yxy)
    return as_floats(premultiply(rgb_of_yxy(tone_mapped_yxy(yxy_of_rgb(light), tone))));
  const Rgb mapped = tone_mapped({light[0], light[1], light[2]}, tone);
  return as_floats(premultiply({mapped[0], mapped[1], mapped[2], light[3]}));
}

// A display shows no number under 0 of straight color.
Planes without_negatives(Planes planes) {
  for (size_t index = 0; index < planes[0].values.size(); ++index) {
    const Color light = unpremultiply(color_at(planes, index));
    for (size_t c = 0; c < 3; ++c)
      if (light[c] < 0) planes[c].values[index] = 0;
  }
  return planes;
}

std::vector<Planes> reference(const Call& call, Planes base) {
  if (!is_local(call)) return {without_negatives(point_reference(call, std::move(base))[0])};
  const Tone tone = tone_on(call, base);
  const Plane adaptation = adaptations(base, local_tone_on(call, base));
  return {without_negatives(made_of_texels(size_of(base), [&](size_t index) {
    return locally_mapped(call, tone, color_at(base, index), adaptation.values[index]);
  }))};
}

// Tolerance of a local curve without the error of the measured average.
std::vector<Planes> local_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Tone tone = tone_on(call, base);
  const LocalTone local = local_tone_on(call, base);
  const Plane adaptation = adaptations(base, local), off = adaptation_tolerance(call, base, error, local);
  return {made_of_texels(size_of(base), [&](size_t index) {
    const Color c = color_at(base, index);
    const double light = adaptation.values[index];
    const auto of_texel = [&](const Color& moved) { return locally_mapped(call, tone, moved, light); };
    const auto of_light = [&](const Color& moved) { return locally_mapped(call, tone, c, std::max(0.0, moved[0])); };
    Color sum = point_error(call, c, of_texel(c), depth);
    for (const Color& more : {moved_by(of_texel, c, error_in_space(call, c, color_at(error, index))),
                              moved_by(of_light, {light, 0, 0, 0}, {off.values[index], 0, 0, 0})})
      for (size_t k = 0; k < 4; ++k) sum[k] += more[k];
    return sum;
  })};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> sum =
      is_local(call) ? local_tolerance(call, base, error, depth) : point_tolerance(call, base, error, depth);
  if (needs(call, Measured::average))
    add_error_of_average(sum[0], log_average_bounds(base, error),
                         [&](double average) { return reference(call.with("average", average), base)[0]; });
  return sum;
}

// --- passes ---------------------------------------------------------------------------------------------------------

Footprint footprint(const Call& call, Size size) {
  Footprint footprint{.kind = Footprint::Kind::texel};
  if (is_local(call)) footprint = footprint_of(gaussian_of_scale(local_tone_of(call, {}).scale_count), size);
  footprint.in_smaller_tiles.clear();  // by an option of `blur`
  if (is_measured(call)) footprint.measure = measured_by_stats();
  return footprint;
}

void plan_tonemap(const Call& call, PlanBuilder& builder) {
  if (is_local(call)) builder.flush();
  FusedPoint point = fused_point_of(call);
  MeasuredMiddle measured;
  if (is_measured(call)) {
    measured.statistics_at = plan_statistics(builder);
    std::ranges::find(point.fields, "statistics_at", &ShaderParam::name)->value = measured.statistics_at;
    point.reads_statistics = true;
  }
  if (is_local(call)) plan_local_tone(builder, local_tone_of(call, {}), measured, std::move(point));
  else builder.fuse_point(std::move(point));
  builder.fuse_point(fused_clamp(0, std::numeric_limits<float>::max()));  // no number under 0
}

}  // namespace

extern const Op tonemap_op;
const Op tonemap_op = point_op({
    .name = "tonemap",
    .doc =
        {.group = OpGroup::tone,
         .summary = "Map HDR light to the range of a display, by one of many curves",
         .description =
             "A curve maps light of any strength to 0..1, in linear light with straight alpha. The result is still "
             "linear; the output file gets its own encoding. Negative light and NaN become black. Light above 1e15 "
             "counts as 1e15. Where alpha is 0, black stays black, even with curves that lift it. hill and narkowicz "
             "approximate ACES. An option of a curve, such as --toe, works only with the curves that list "
             "it.\nLuminance curves change Y and keep the chromaticity, so colors may exceed 1; --fit brings them "
             "back. A curve without a clamp in its formula gives more than 1 for light above its white.\nSome curves "
             "have no default for --average or --white. Without the option, the device measures the log average or the "
             "maximum of the premultiplied luminance above 0. A measured white is scaled by --key and then limited to "
             "the range of --white. reinhard-local weights neighbors by their alpha, so transparent texels do not "
             "count.",
         .citation = "See each curve; Schlick, Quantization Techniques for High Dynamic Range Pictures, 1994 (--chroma "
                     "saturate)",
         .examples = {"--curve agx --look punchy",
                      "--curve hill",
                      "--curve neutral",
                      "--curve reinhard --key 0.18",
                      "--curve reinhard-local",
                      "--curve reinhard-extended --white 4 --chroma ratio --fit",
                      "--curve reinhard --key 0.18 --average 0.4",
                      "--curve day --chroma saturate --saturation 0.7",
                      "--curve hable --chroma per-channel",
                      "--curve reinhard-local --key 0.36 --white 3 --fit --scales 4",
                      "--curve reinhard-local --key 0.18 --average 0.3 --sharpening 4 --epsilon 0.2 --scales 3 "
                      "--chroma per-channel",
                      "--curve drago",
                      "--curve exponential --average 0.5",
                      "--curve exponential --key 0.18",
                      "--curve logarithmic --white 100 --chroma keep",
                      "--curve ward --average 0.25",
                      "--curve narkowicz",
                      "--curve lottes --contrast 1.4",
                      "--curve uchimura",
                      "--curve agx-exact --look golden",
                      "--curve agx-rec2020 --display-power 2.4",
                      "--curve agx-filament --fit"},
         .notes = notes},
    .params = params(),
    .check = check_tonemap,
    .needs = needs_rec709,
    .output =
        [](const Call& call, std::span<const Output> inputs) {
          // the published matrices of some curves make slight colors of gray
          return with_gray(inputs.front(), curve_of(call).color ? GrayResult::by_values : GrayResult::gray);
        },
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .point = Point{.kernel = "tonemap/tonemap.glsl",
                   .space_of = space_of_call,
                   .alpha = PointAlpha::straight,
                   .relative_error = 0x1p-16,  // devices take powers by logarithms
                   .absolute_error = 5e-6,     // AgX is a sum of terms up to 128
                   .fields = fields,
                   .texel = texel,
                   .has_passes = is_local},
    .plan = plan_tonemap,
});

}  // namespace gpupost
