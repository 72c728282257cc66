// Exposure in stops, or automatic.
#include "core/ops/small/exposure.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/op/point.h"
#include "core/ops/small/row.h"
#include "core/ops/stats/passes.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

bool is_from_file(const Call& call) { return !call.word("auto-from").empty(); }
bool is_auto(const Call& call) { return call.flag("auto") || is_from_file(call); }

// Whether the image itself is measured, on the device.
bool measures_image(const Call& call) { return is_auto(call) && !needs_series(call); }

void check(const Call& call) {
  const int given_count = int(call.has("stops")) + int(call.flag("auto")) + int(is_from_file(call));
  if (given_count == 0) fail(Exit::usage, "exposure: no exposure is given; expected --stops, --auto or --auto-from");
  if (given_count > 1)
    fail(Exit::usage, "exposure: {} are both given; expected one of them",
         !call.flag("auto")   ? "--stops and --auto-from"
         : !call.has("stops") ? "--auto and --auto-from"
                              : "--stops and --auto");
  if (call.has("smooth") && call.integer("smooth") % 2 == 0)
    fail(Exit::usage, "exposure: --smooth {} is even; expected an odd number of frames, like {}",
         call.integer("smooth"), call.integer("smooth") + 1);
}

double key_of(const Call& call) { return call.has("key") ? call.number("key") : call.op->param("key")->default_value; }

bool is_of_all(const Percentiles& between) { return between.low == 0 && between.high == 100; }

double measured_luminance(const Call& call, const Statistics& statistics) {
  const Percentiles between = percentiles_of(call);
  return is_of_all(between) ? statistics.log_average : statistics.histogram.log_average(between.low, between.high);
}

double auto_factor(const Call& call, double measured) {
  if (!(measured > 0)) return 1;
  return std::clamp(key_of(call) / measured, std::exp2(-most_auto_stops), std::exp2(most_auto_stops));
}

// The factor of --stops. Before the pipeline has replaced a call that needs a series, its factor is not known.
double given_factor(const Call& call) { return call.has("stops") ? std::exp2(call.number("stops")) : 1; }

double factor_of(const Call& call, const Planes& picture) {
  if (!measures_image(call)) return given_factor(call);
  return auto_factor(call, measured_luminance(call, statistics_of(picture)));
}

Planes scaled(Planes picture, double factor) {
  for (size_t component = 0; component < 3; ++component)
    for (double& value : picture[component].values) value *= factor;
  return picture;
}

// How far the device's factor may be off the definition's. Between percentiles a luminance next to the edge of a bin may be
// counted on either side.
double error_of_factor(const Call& call, const Planes& base, const Planes& error) {
  const double factor = factor_of(call, base), measured = measured_luminance(call, statistics_of(base));
  if (!(measured > 0)) return 0;
  const double slack = 0x1p-19 * (1 + std::abs(std::log2(measured)));  // of a logarithm, as exact as Vulkan asks
  double off = factor * (std::exp2(slack) - 1);
  if (is_of_all(percentiles_of(call))) {
    const LogAverageBounds bounds = log_average_bounds(base, error);
    for (const double average : {bounds.low, bounds.high})
      if (average > 0) off = std::max(off, std::abs(auto_factor(call, average) - factor));
    return off;
  }
  for (const double sign : {-16.0, 16.0})  // luminances may be that much further from 1 than their average
    off = std::max(off, std::abs(factor_of(call, scaled(base, std::exp2(sign * slack))) - factor));
  return off;
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> sum = point_tolerance(call, base, error, depth);
  const double off = measures_image(call) ? error_of_factor(call, base, error) : 0;
  if (off == 0) return sum;
  for (size_t component = 0; component < 3; ++component)
    for (size_t index = 0; index < sum[0][component].values.size(); ++index)
      if (const double light = std::abs(base[component].values[index]); std::isfinite(light))
        sum[0][component].values[index] += off * light;
  return sum;
}

Needs needs(const Call& call) {
  Needs needed = measures_image(call) ? needs_rec709(call) : Needs{.luminance = is_auto(call)};
  if (!is_from_file(call)) return needed;
  needed.file = "auto-from";
  needed.most_file_bytes = size_t(256) << 20;
  return needed;
}

Footprint footprint(const Call& call, Size) {
  Footprint footprint{.kind = Footprint::Kind::texel};
  if (measures_image(call)) footprint.measure = measured_by_stats();
  return footprint;
}

void plan_exposure(const Call& call, PlanBuilder& builder) {
  FusedPoint point = fused_point_of(call);
  if (measures_image(call)) {
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

bool needs_series(const Call& call) { return call.op == &exposure_op && (is_from_file(call) || call.has("smooth")); }

double auto_stops(const Call& call, const Statistics& statistics) {
  const double measured = measured_luminance(call, statistics);
  return measured > 0 ? std::log2(auto_factor(call, measured)) : std::numeric_limits<double>::quiet_NaN();
}

Call exposure_of_stops(double stops) { return default_call(exposure_op).with("stops", std::isnan(stops) ? 0 : stops); }

const Op exposure_op = point_op({
    .name = "exposure",
    .doc =
        {.group = OpGroup::tone,
         .summary = "Brighten or darken by stops, or automatically",
         .description =
             "R, G and B are multiplied by 2^stops, in linear light. Alpha does not change.\nWith --auto "
             "the factor is key / log average. The log average is measured on the device as `stats` "
             "does, from luminances that are finite and above 0. With --percentile only luminances "
             "between the two percentiles count. The percentiles are those of a histogram with bins of 1/8 stop. The "
             "factor is at most 126 stops up or down, and 1 if the image is black. An input that is "
             "brighter by a factor gives the same result; with --percentile it may differ by 1/16 "
             "stop.\nWith --auto-from each image gets the exposure that --auto would choose from the "
             "statistics of a file, apart from rounding. The file is the output of `stats -o "
             "FILE.json`. An image is found in it by its name without folders, so that machines may "
             "have different folders.\n--smooth works on the exposures of a sequence, in stops, in the "
             "order of the frame numbers. First, each exposure is replaced by the median of the window "
             "of frames around it. Then each median is replaced by the mean of the medians in its "
             "window. At the ends of the sequence the window is shorter. A missing frame is skipped: the window takes "
             "the next one. A black image stays in the window, but is ignored. With --auto, a "
             "first pass measures all images of the run. If one cannot be measured, the frames whose exposure depends "
             "on it fail too: FRAMES - 1 on each side.",
         .citation = "The photographic stop; E. Reinhard et al., Photographic Tone Reproduction for Digital Images, "
                     "2002, eq. 1 and 2 (--auto)",
         .examples = {"--stops 1", "--stops -2.5", "--auto", "--auto --key 0.36 --percentile 10,90"}},
    .params =
        {{.name = "stops",
          .help = "Change of exposure; +1 doubles the light",
          .min = -most_stops,
          .max = most_stops,
          .unit = "stops",
          .presence = Presence::optional},
         {.name = "auto", .help = "Choose the exposure from the luminance of the image", .kind = ParamKind::flag},
         {.name = "auto-from",
          .help = "Choose the exposure from statistics that `stats -o FILE.json` has written",
          .kind = ParamKind::text,
          .form = {.syntax = "FILE", .matches = [](std::string_view text) { return !text.empty(); }}},
         {.name = "smooth",
          .help = "Smooth the exposures of a sequence over this odd number of frames",
          .kind = ParamKind::integer,
          .default_value = 1,
          .min = 1,
          .max = 999,
          .unit = "frames",
          .presence = Presence::optional,
          .effect = {.in = is_auto, .requirement = "--auto or --auto-from"}},
         {.name = "key",
          .help = "Value that the log average (geometric mean) becomes, with --auto or --auto-from; default 0.18",
          .default_value = 0.18,
          .min = 0.0001,
          .max = 10000,
          .presence = Presence::optional,
          .effect = {.in = is_auto, .requirement = "--auto or --auto-from"}},
         {.name = "percentile",
          .help = "Measure only luminances between two percentiles; 10,90 ignores the darkest and the brightest tenth",
          .kind = ParamKind::text,
          .form = {.syntax = "LOW,HIGH",
                   .range = "LOW below HIGH, both in 0..100",
                   .matches = [](std::string_view text) { return percentiles_of(text).has_value(); }},
          .effect = {.in = is_auto, .requirement = "--auto or --auto-from"}}},
    .check = check,
    .needs = needs,
    .footprint = footprint,
    .reference = {.tolerance = tolerance},
    .point = Point{
        .kernel = "small/exposure.glsl",
        .alpha = PointAlpha::any,
        .relative_error = 0x1p-17,  // of a mean of logarithms as exact as Vulkan asks
        .fields =
            [](const Call& call) { return std::vector<ShaderParam>{{.name = "factor", .value = given_factor(call)}}; },
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
