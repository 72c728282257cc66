// Exposure in stops, or automatic.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/op/point.h"
#include "core/ops/small/row.h"
#include "core/ops/stats/passes.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpupost {

namespace {

constexpr double most_stops = 32;
constexpr double most_auto_stops = 126;  // so that the factor is a float

// Two percentiles, the lower one first.
struct Percentiles {
  double low = 0, high = 100;
};

std::optional<Percentiles> percentiles_of(std::string_view word) {
  const std::optional<std::vector<double>> numbers = list_of_numbers(word);
  if (!numbers || numbers->size() != 2) return {};
  const Percentiles read{.low = numbers->front(), .high = numbers->back()};
  return read.low >= 0 && read.low < read.high && read.high <= 100 ? std::optional(read) : std::nullopt;
}

// All of them where none are given.
Percentiles percentiles_of(const Call& call) {
  return call.word("percentile").empty() ? Percentiles{} : *percentiles_of(call.word("percentile"));
}

bool is_auto(const Call& call) { return call.flag("auto"); }

void check(const Call& call) {
  if (!call.has("stops") && !is_auto(call))
    fail(Exit::usage, "exposure: no exposure is given; expected --stops or --auto");
  if (call.has("stops") && is_auto(call))
    fail(Exit::usage, "exposure: --stops and --auto are both given; expected one of them");
}

double key_of(const Call& call) { return call.has("key") ? call.number("key") : call.op->param("key")->default_value; }

bool is_of_all(const Percentiles& between) { return between.low == 0 && between.high == 100; }

double measured_luminance(const Call& call, const Planes& picture) {
  const Statistics statistics = statistics_of(picture);
  const Percentiles between = percentiles_of(call);
  return is_of_all(between) ? statistics.log_average : statistics.histogram.log_average(between.low, between.high);
}

double factor_of(const Call& call, const Planes& picture) {
  if (!is_auto(call)) return std::exp2(call.number("stops"));
  const double measured = measured_luminance(call, picture);
  if (!(measured > 0)) return 1;
  return std::clamp(key_of(call) / measured, std::exp2(-most_auto_stops), std::exp2(most_auto_stops));
}

Planes scaled(Planes picture, double factor) {
  for (size_t component = 0; component < 3; ++component)
    for (double& value : picture[component].values) value *= factor;
  return picture;
}

// How far the device's factor may be off the definition's. Between percentiles a luminance next to the edge of a bin may be
// counted on either side.
double error_of_factor(const Call& call, const Planes& base) {
  const double factor = factor_of(call, base), measured = measured_luminance(call, base);
  if (!(measured > 0)) return 0;
  const double slack = 0x1p-19 * (1 + std::abs(std::log2(measured)));  // of a logarithm, as exact as Vulkan asks
  double off = factor * (std::exp2(slack) - 1);
  if (is_of_all(percentiles_of(call))) return off;
  for (const double sign : {-16.0, 16.0})  // luminances may be that much further from 1 than their average
    off = std::max(off, std::abs(factor_of(call, scaled(base, std::exp2(sign * slack))) - factor));
  return off;
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> sum = point_tolerance(call, base, error, depth);
  const double off = is_auto(call) ? error_of_factor(call, base) : 0;
  if (off == 0) return sum;
  for (size_t component = 0; component < 3; ++component)
    for (size_t index = 0; index < sum[0][component].values.size(); ++index)
      if (const double light = std::abs(base[component].values[index]); std::isfinite(light))
        sum[0][component].values[index] += off * light;
  return sum;
}

Needs needs(const Call& call) { return is_auto(call) ? needs_rec709(call) : Needs{}; }

Footprint footprint(const Call& call, Size) {
  return {.kind = is_auto(call) ? Footprint::Kind::whole : Footprint::Kind::texel};
}

void plan_exposure(const Call& call, PlanBuilder& builder) {
  FusedPoint point = fused_point_of(call);
  if (is_auto(call)) {
    const Percentiles between = percentiles_of(call);
    const int measured_at = plan_log_average(builder, between.low, between.high);
    point.name = "exposure_auto";
    point.kernel = "small/exposure_auto.glsl";
    point.fields = {{.name = "key", .value = key_of(call)},
                    {.name = "measured_at", .value = double(measured_at), .is_integer = true}};
    point.reads_statistics = true;
  }
  builder.fuse_point(std::move(point));
}

}  // namespace

const Op exposure_op = point_op({
    .name = "exposure",
    .doc =
        {.group = OpGroup::tone,
         .summary = "Brighten or darken by stops, or automatically",
         .description =
             "R, G and B are multiplied by 2^stops, in linear light. Alpha does not change.\nWith --auto the factor is "
             "key / log average. The log average is that of `stats`: of luminances that are finite and above 0. With "
             "--percentile, only luminances between the two percentiles count. The percentiles come from a histogram "
             "with bins of 1/8 stop. The factor is at most 126 stops up or down, and 1 if the image is black. The "
             "result does not depend on the brightness of the input; with --percentile it may differ by 1/16 stop.",
         .citation = "The photographic stop; E. Reinhard et al., Photographic Tone Reproduction for Digital Images, "
                     "2002, eq. 1 and 2 (--auto)",
         .examples = {"--stops 1", "--stops -2.5", "--auto", "--auto --key 0.36 --percentile 10,90"}},
    .params = {{.name = "stops",
                .help = "Change of exposure; +1 doubles the light",
                .min = -most_stops,
                .max = most_stops,
                .unit = "stops",
                .presence = Presence::optional},
               {.name = "auto", .help = "Choose the exposure from the luminance of the image", .kind = ParamKind::flag},
               {.name = "key",
                .help = "Value that the log average (geometric mean) becomes, with --auto; default 0.18",
                .default_value = 0.18,
                .min = 0.0001,
                .max = 10000,
                .presence = Presence::optional,
                .effect = {.in = is_auto, .requirement = "--auto"}},
               {.name = "percentile",
                .help = "Ignore luminances below the LOW and above the HIGH percentile, with --auto; for example 10,90",
                .kind = ParamKind::text,
                .form = {.syntax = "LOW,HIGH",
                         .matches = [](std::string_view text) { return percentiles_of(text).has_value(); }},
                .effect = {.in = is_auto, .requirement = "--auto"}}},
    .check = check,
    .needs = needs,
    .footprint = footprint,
    .reference = {.tolerance = tolerance},
    .point = Point{.kernel = "small/exposure.glsl",
                   .alpha = PointAlpha::any,
                   .relative_error = 0x1p-17,  // of a mean of logarithms as exact as Vulkan asks
                   .fields =
                       [](const Call& call) {
                         return std::vector<ShaderParam>{{.name = "factor", .value = std::exp2(call.number("stops"))}};
                       },
                   .texel =
                       [](const Call& call, const Planes& picture) {
                         return std::function([factor = factor_of(call, picture)](const Color& c) -> Color {
                           return {factor * c[0], factor * c[1], factor * c[2], c[3]};
                         });
                       },
                   .is_identity = [](const Call& call) { return call.number("stops") == 0; }},
    .plan = plan_exposure,
});

}  // namespace gpupost
