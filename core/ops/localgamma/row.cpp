// Local gamma: encoding for display with an exponent of each texel's own. Its row, its passes, and its definition where the
// eye is adapted to a neighborhood.
#include "core/ops/blur/row.h"
#include "core/base/math.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/ops/blur/passes.h"
#include "core/ops/blur/reference.h"
#include "core/ops/localgamma/reference.h"
#include "core/plan/builder.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

bool keeps_chroma(const Call& call) { return call.choice("chroma") == "keep"; }

PointSpace space_of_call(const Call& call) { return keeps_chroma(call) ? PointSpace::yxy : PointSpace::rgb; }

Color encoded_rgb(const Color& c, double adaptation) {
  return {locally_encoded(c[0], adaptation), locally_encoded(c[1], adaptation), locally_encoded(c[2], adaptation),
          c[3]};
}

// Light of no chromaticity is white.
Color encoded_yxy(const Color& given, double adaptation) {
  const Color c = yxy_without_negatives(given);
  const bool is_nowhere = std::isnan(c[1]) || std::isnan(c[2]);
  return {locally_encoded(c[0], adaptation), is_nowhere ? rec709.white.x : c[1], is_nowhere ? rec709.white.y : c[2],
          c[3]};
}

std::function<Color(const Color&)> texel(const Call& call, const Planes&) {
  if (keeps_chroma(call)) return [](const Color& c) { return encoded_yxy(c, yxy_without_negatives(c)[0]); };
  return [](const Color& c) { return encoded_rgb(c, luminance_of(c)); };
}

// --- the adaptation to a neighborhood ------------------------------------------------------------------------------

bool is_of_neighborhood(const Call& call) { return call.integer("adapt-radius") > 0; }

// The blur that makes the neighborhood's light.
Call blur_call(const Call& call) {
  constexpr int gaussian = 2;
  return default_call(blur_op).with("radius", call.number("adapt-radius")).with("kernel", gaussian);
}

// Premultiplied texels of the picture and of its blur.
Color adapted(const Call& call, const Color& c, const Color& around) {
  const double adaptation = luminance_of(unpremultiply(around));
  if (keeps_chroma(call))
    return as_floats(premultiply(rgb_of_yxy(encoded_yxy(yxy_of_rgb(unpremultiply(c)), adaptation))));
  return as_floats(premultiply(encoded_rgb(unpremultiply(c), adaptation)));
}

std::vector<Planes> reference(const Call& call, Planes base) {
  if (!is_of_neighborhood(call)) return point_reference(call, std::move(base));
  const Planes around = blurred(base, blur_of(blur_call(call)));
  return {made_of_texels(size_of(base),
                         [&](size_t index) { return adapted(call, color_at(base, index), color_at(around, index)); })};
}

// Color that keeps its chromaticity is multiplied by Y^(exponent - 1), which has no bound as Y goes to 0. Is Y a sum with
// negative parts that may be 0 within its error?
bool is_undetermined(const Call& call, const Color& c, const Color& error) {
  if (!keeps_chroma(call)) return false;
  const bool is_difference = c[0] < 0 || c[1] < 0 || c[2] < 0;
  return is_difference && std::abs(luminance_of(c)) <= luminance_of(error);
}

// How far the result moves where R, G and B are off together, which moves Y farther than one of them.
Color moved_together(const std::function<Color(const Color&)>& texel, const Color& c, const Color& error) {
  const Color made = texel(c);
  Color most{};
  for (const double sign : {-1.0, 1.0}) {
    const Color found = texel({c[0] + sign * error[0], c[1] + sign * error[1], c[2] + sign * error[2], c[3]});
    for (size_t k = 0; k < 4; ++k)
      if (const double distance = std::abs(found[k] - made[k]); std::isfinite(distance))
        most[k] = std::max(most[k], distance);
  }
  return most;
}

// The tolerance if each texel adapts to its own light.
std::vector<Planes> tolerance_of_texels(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> made = point_tolerance(call, base, error, depth);
  if (!keeps_chroma(call)) return made;
  const auto of_texel = [&](const Color& moved) { return adapted(call, moved, moved); };
  const Planes sum = made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color c = color_at(base, index), off = error_in_space(call, c, color_at(error, index));
    Color most = moved_together(of_texel, c, off);
    for (size_t k = 0; k < 4; ++k) most[k] = std::max(most[k], color_at(made[0], index)[k]);
    if (is_undetermined(call, c, off)) std::fill_n(most.begin(), 3, 2 * largest(depth));
    return most;
  });
  return {sum};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  if (!is_of_neighborhood(call)) return tolerance_of_texels(call, base, error, depth);
  const Blur blur = blur_of(blur_call(call));
  const Planes around = blurred(base, blur), error_around = blurred_tolerance(base, error, blur, depth);
  return {made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color c = color_at(base, index), light = color_at(around, index);
    const Color off = error_in_space(call, c, color_at(error, index));
    const auto of_texel = [&](const Color& moved) { return adapted(call, moved, light); };
    const auto of_light = [&](const Color& moved) { return adapted(call, c, moved); };
    Color sum = point_error(call, c, of_texel(c), depth);
    const Color one = moved_by(of_texel, c, off), all = moved_together(of_texel, c, off);
    const Color by_light = moved_by(of_light, light, color_at(error_around, index));
    for (size_t k = 0; k < 4; ++k) sum[k] += std::max(one[k], all[k]) + by_light[k];
    if (is_undetermined(call, c, off)) std::fill_n(sum.begin(), 3, 2 * largest(depth));
    return sum;
  })};
}

void plan_localgamma(const Call& call, PlanBuilder& builder) {
  if (!is_of_neighborhood(call)) return builder.fuse_point(fused_point_of(call));
  builder.flush();
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  plan_blur(blur_call(call), builder);
  PassSpec pass{.name = "local gamma",
                .kernel = "localgamma/adapted.glsl",
                .defines = {{"KEEPS_CHROMA", keeps_chroma(call)}},
                .values = {{"end_x", image.size.width}, {"end_y", image.size.height}},
                .grid = {.count = {div_ceil(image.size.width, 64), div_ceil(image.size.height, 16)}}};
  pass.source.image = source;
  pass.second.image = builder.current_image();
  pass.memory.bytes_read = 2 * bytes_of_level(image, 0);
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

Output output(const Call&, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.content = Content::display;
  return made;
}

Footprint footprint(const Call& call, Size) {
  if (!is_of_neighborhood(call)) return {.kind = Footprint::Kind::texel};
  const int radius = call.integer("adapt-radius");
  return {.kind = Footprint::Kind::around, .margin = {.x = radius, .y = radius}};
}

}  // namespace

extern const Op localgamma_op;
const Op localgamma_op = point_op({
    .name = "localgamma",
    .doc =
        {.group = OpGroup::tone,
         .summary = "Encode for display with a gamma that adapts to the surrounding light",
         .description =
             "The input is light from 0 to 1, such as `tonemap` gives. Each texel c becomes c^g with g = 0.444 + 0.045 "
             "ln(L + 0.6034): 0.421 in the dark, 0.465 at white. L is the luminance that the eye is adapted to, "
             "clamped to 0..1. It is the luminance of the texel itself. With --adapt-radius it is the mean of the "
             "luminance around the texel, clamped after the mean. Its weights are alpha times a gaussian with a sigma "
             "of a third of the radius.\nThe result is encoded for display. Integer files hold it as it is, without an "
             "sRGB curve. Float files hold the linear light that an sRGB display would show. Only `stats` and ops that "
             "move texels, such as `crop` and `flip`, may follow this op. Negative light and NaN become black.",
         .citation = "Kwon et al., Tone Mapping Algorithm for Luminance Separated HDR Rendering Based on Visual "
                     "Brightness Function, 2012; W. Engel, Call for a new Post-Processing Pipeline, 2013",
         .examples = {"", "--chroma keep", "--adapt-radius 8", "--chroma keep --adapt-radius 3"}},
    .params = {{.name = "chroma",
                .help = "gamma encodes each of R, G and B; keep encodes only Y of Yxy, which makes colors stronger",
                .kind = ParamKind::choice,
                .choices = {"gamma", "keep"}},
               {.name = "adapt-radius",
                .help = "Radius of the surroundings that the eye adapts to, in texels; 0 is the texel alone",
                .kind = ParamKind::integer,
                .min = 0,
                .max = 1024,
                .unit = "texels"}},
    .needs = needs_rec709,
    .output = output,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .point = Point{.kernel = "localgamma/localgamma.glsl",
                   .space_of = space_of_call,
                   .alpha = PointAlpha::straight,
                   .relative_error = 0x1p-16,  // devices take powers by logarithms
                   .fields =
                       [](const Call& call) {
                         return std::vector<ShaderParam>{{.name = "is_yxy",
                                                          .value = double(keeps_chroma(call)),
                                                          .is_integer = true,
                                                          .is_literal = true}};
                       },
                   .texel = texel,
                   .has_passes = is_of_neighborhood},
    .plan = plan_localgamma,
});

}  // namespace gpupost
