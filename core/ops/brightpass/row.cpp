// The light above a threshold, on the luminance of Yxy.
#include "core/ops/brightpass/row.h"
#include "core/base/error.h"
#include "core/op/point.h"
#include "core/ops/brightpass/reference.h"
#include "core/ops/stats/passes.h"

#include <cmath>

namespace gpupost {

namespace {

enum Form { plain, mapped };

Form form_of(const Call& call) { return Form(call.integer("form")); }
bool is_mapped(const Call& call) { return form_of(call) == mapped; }
bool is_measured(const Call& call) { return is_mapped(call) && !call.has("log-average"); }

double threshold_of(const Call& call) {
  return call.has("threshold") ? call.number("threshold") : is_mapped(call) ? 5 : 1;
}

void check(const Call& call) {
  if (const double knee = call.number("knee"); knee > threshold_of(call))
    fail(Exit::usage, "brightpass: --knee {} is above --threshold; expected at most {}", knee, threshold_of(call));
}

double value_or_default(const Call& call, std::string_view name) {
  return call.has(name) ? call.number(name) : call.op->param(name)->default_value;
}

// `log_average`: of the picture, where the call asks for the form that needs it.
BrightPass bright_pass_of(const Call& call, double log_average) {
  BrightPass pass{.threshold = on_device(threshold_of(call)), .knee = on_device(call.number("knee"))};
  if (form_of(call) == plain) return pass;
  pass.scale = log_average > 0 ? value_or_default(call, "key") / log_average : 0;
  pass.limit = value_or_default(call, "limit");
  return pass;
}

double log_average_of(const Call& call, const Planes& picture) {
  return is_measured(call)         ? statistics_of(picture).log_average
         : call.has("log-average") ? call.number("log-average")
                                   : 0;
}

// The log average that a device measures may be off by so much of itself.
constexpr double error_of_average = 0x1p-17;

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> sum = point_tolerance(call, base, error, depth);
  if (!is_measured(call)) return sum;
  const auto with_average = [&](double log_average) {
    return point_reference(call.with("log-average", log_average), base)[0];
  };
  LogAverageBounds bounds = log_average_bounds(base, error);
  bounds.low *= 1 - error_of_average;
  add_error_of_average(sum[0], bounds, with_average);
  return sum;
}

Footprint footprint(const Call& call, Size) {
  Footprint footprint{.kind = Footprint::Kind::texel};
  if (is_measured(call)) footprint.measure = measured_by_stats();
  return footprint;
}

void plan_brightpass(const Call& call, PlanBuilder& builder) {
  FusedPoint point = fused_point_of(call);
  if (is_measured(call)) {
    const BrightPass pass = bright_pass_of(call, 0);
    point.name = "brightpass_measured";
    point.kernel = "brightpass/brightpass_measured.glsl";
    point.fields = {{.name = "threshold", .value = pass.threshold},
                    {.name = "knee", .value = pass.knee},
                    {.name = "key", .value = value_or_default(call, "key")},
                    {.name = "limit", .value = pass.limit},
                    {.name = "measured_at", .value = double(plan_log_average(builder, 0, 100)), .is_integer = true}};
    point.reads_statistics = true;
  }
  builder.fuse_point(std::move(point));
}

}  // namespace

const Op brightpass_op = point_op({
    .name = "brightpass",
    .doc = {.group = OpGroup::blur,
            .summary = "Keep the light above a threshold and make the rest black",
            .description =
                "Changes the luminance Y of each texel. The chromaticity and alpha do not change. The op works on "
                "straight color in CIE Yxy. A NaN becomes black. Infinite light becomes white. "
                "Light with infinities of both signs counts as NaN. Converting an image with one infinite channel from "
                "other primaries than Rec. 709 can create such light.\nWith --form plain, Y "
                "becomes max(Y - threshold, 0). "
                "With --knee K, the transition is soft: Y from threshold - K to threshold + K becomes (Y - threshold + "
                "K)^2 / (4 K).\nWith --form mapped, Y is first multiplied by key / log average. The light v above the "
                "threshold then becomes v / (limit + v), which is in 0..1. Without --log-average, the device measures "
                "the log average of the input.",
            .citation = "W. Engel, Call for a new Post-Processing Pipeline, 2013 (one channel, on Y); Microsoft, "
                        "DirectX SDK, HDRLighting (--form mapped)",
            .examples = {"", "--threshold 0.5 --knee 0.25", "--form mapped --threshold 0.2 --log-average 0.3",
                         "--form mapped --threshold 0.1 --knee 0.05"}},
    .params = {{.name = "form",
                .help = "plain subtracts the threshold; mapped scales by --key and maps the result to 0..1",
                .kind = ParamKind::choice,
                .choices = {"plain", "mapped"}},
               {.name = "threshold",
                .help = "Luminance above which light passes; default 1, or 5 with --form mapped",
                .default_value = 1,
                .min = 0,
                .max = 65504,
                .presence = Presence::optional},
               {.name = "knee",
                .help = "Half-width of the soft transition around --threshold, in luminance; 0 is a hard edge",
                .min = 0,
                .max = 65504},
               {.name = "key",
                .help = "Value that the log average (geometric mean) becomes, with --form mapped; default 0.18",
                .default_value = 0.18,
                .min = 0.0001,
                .max = 10000,
                .presence = Presence::optional,
                .effect = {.in = is_mapped, .requirement = "--form mapped"}},
               {.name = "log-average",
                .help = "Log average of the luminance, with --form mapped; default: measured",
                .default_value = 1,
                .min = 0.0001,
                .max = 65504,
                .presence = Presence::optional,
                .effect = {.in = is_mapped, .requirement = "--form mapped"}},
               {.name = "limit",
                .help = "Light above the threshold that becomes 0.5, with --form mapped; default 10",
                .default_value = 10,
                .min = 0.0001,
                .max = 65504,
                .presence = Presence::optional,
                .effect = {.in = is_mapped, .requirement = "--form mapped"}}},
    .check = check,
    .needs = needs_rec709,
    .footprint = footprint,
    .reference = {.tolerance = tolerance},
    .point = Point{.kernel = "brightpass/brightpass.glsl",
                   .space = PointSpace::yxy,
                   .alpha = PointAlpha::straight,
                   .fields =
                       [](const Call& call) {
                         const BrightPass pass = bright_pass_of(call, is_measured(call) ? 1 : log_average_of(call, {}));
                         return std::vector<ShaderParam>{{.name = "threshold", .value = pass.threshold},
                                                         {.name = "knee", .value = pass.knee},
                                                         {.name = "scale", .value = pass.scale},
                                                         {.name = "limit", .value = pass.limit}};
                       },
                   .texel =
                       [](const Call& call, const Planes& picture) {
                         return std::function(
                             [pass = bright_pass_of(call, log_average_of(call, picture))](const Color& c) -> Color {
                               const bool is_nowhere = std::isnan(c[1]) || std::isnan(c[2]);
                               return {bright(c[0], pass), is_nowhere ? rec709.white.x : c[1],
                                       is_nowhere ? rec709.white.y : c[2], c[3]};
                             });
                       }},
    .plan = plan_brightpass,
});

}  // namespace gpupost
