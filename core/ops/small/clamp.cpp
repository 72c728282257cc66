// Numbers brought into a range, and what is no number replaced.
#include "core/ops/small/clamp.h"

#include "core/base/error.h"
#include "core/op/point.h"
#include "core/ops/small/row.h"
#include "core/plan/builder.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

const Op clamp_op = point_op({
    .name = "clamp",
    .doc = {.group = OpGroup::channels,
            .summary = "Clamp R, G and B to a range",
            .description = "Values below --min become --min, and values above --max become --max, in linear light with "
                           "straight alpha. A NaN stays NaN; `nan` replaces it. Where alpha is 0, the range is widened "
                           "to include 0, so that transparent black stays black.",
            .citation = "min(max(c, MIN), MAX)",
            .examples = {"", "--min 0.1 --max 16"}},
    .params = {{.name = "min", .help = "Lowest value", .default_value = 0, .min = -65504, .max = 65504},
               {.name = "max", .help = "Highest value", .default_value = 1, .min = -65504, .max = 65504}},
    .check =
        [](const Call& call) {
          if (call.number("min") <= call.number("max")) return;
          fail(Exit::usage, "clamp: --min {} is above --max {}; the defaults are 0 and 1", call.number("min"),
               call.number("max"));
        },
    .point = Point{.kernel = "small/clamp.glsl",
                   .alpha = PointAlpha::straight,
                   .texel =
                       [](const Call& call, const Planes&) {
                         return std::function([min = call.number("min"), max = call.number("max")](const Color& c) {
                           const bool has_alpha = !is_transparent(c[3]);
                           const double least = has_alpha ? min : std::min(min, 0.0);
                           const double most = has_alpha ? max : std::max(max, 0.0);
                           Color made = c;
                           for (size_t k = 0; k < 3; ++k) made[k] = c[k] < least ? least : c[k] > most ? most : c[k];
                           return made;
                         });
                       }},
});

FusedPoint fused_clamp(double min, double max) {
  FusedPoint point = fused_point_of(default_call(clamp_op).with("min", min).with("max", max));
  for (ShaderParam& field : point.fields) field.is_literal = true;
  return point;
}

static Footprint footprint(const Call& call, Size) {
  return {.kind = Footprint::Kind::texel, .counts_texels = call.choice("policy") == "error"};
}

static void plan_nan(const Call& call, PlanBuilder& builder) {
  FusedPoint point = fused_point_of(call);
  if (call.choice("policy") == "error") {
    point.name = "nan_error";
    point.kernel = "small/nan_error.glsl";
    point.fields = {{.name = "counted_at",
                     .value = double(builder.guard(Exit::input,
                                                   "nan: number of texels with NaN or infinite values: {}; replace "
                                                   "them with --policy zero or --policy clamp")),
                     .is_integer = true}};
    point.reads_statistics = true;
  }
  builder.fuse_point(std::move(point));
}

const Op nan_op = point_op({
    .name = "nan",
    .doc = {.group = OpGroup::channels,
            .summary = "Replace NaN and infinite values",
            .description =
                "Works on every channel of type half or float, including depth and other layers. NaN becomes 0. "
                "Infinities become 0, or with --policy clamp 65504 or -65504, the largest half values. With --policy "
                "error, an image with NaN or infinite values is an error, with exit code 2.",
            .citation = "IEEE 754",
            .examples = {"", "--policy clamp", "--policy error"}},
    .params =
        {{.name = "policy",
          .help = "zero replaces infinities by 0; clamp replaces them by 65504 or -65504; error ends with exit code 2",
          .kind = ParamKind::choice,
          .choices = {"zero", "clamp", "error"}}},
    .channels = Channels::all,
    .footprint = footprint,
    .point = Point{.kernel = "small/nan.glsl",
                   .texel =
                       [](const Call& call, const Planes&) {
                         const double largest_half = call.choice("policy") == "zero" ? 0 : 65504;
                         return std::function([largest_half, stays = call.choice("policy") == "error"](const Color& c) {
                           Color made = c;
                           if (stays) return made;
                           for (double& value : made)
                             if (std::isnan(value)) value = 0;
                             else if (std::isinf(value)) value = std::copysign(largest_half, value);
                           return made;
                         });
                       }},
    .plan = plan_nan,
});

}  // namespace gpupost
