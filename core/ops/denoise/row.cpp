// A filter for path-traced renders by their albedo and normals: its row, its definition and its passes.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/image/color_matrices.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/ops/shared/second_pictures.h"
#include "core/plan/builder.h"
#include "core/reference/verify.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

constexpr double least_albedo = 0.01, most_albedo = 65504;
constexpr std::array spline{1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};

bool has(const Call& call, std::string_view pictures) { return !call.word(pictures).empty(); }

void check(const Call& call) {
  if (!has(call, "albedo") && !has(call, "normals"))
    fail(Exit::usage, "denoise: neither --albedo nor --normals is given; expected --albedo, --normals or both");
}

Needs needs(const Call& call) {
  Needs made;
  if (has(call, "albedo")) made.pictures.push_back({.path = call.word("albedo")});
  if (has(call, "normals"))
    made.pictures.push_back({.path = call.word("normals"), .is_data = true, .needs_float = true});
  return made;
}

Output output(const Call& call, std::span<const Output> inputs) {
  check_lies_on_image(call, inputs);
  return by_values(call, inputs);
}

Footprint footprint(const Call& call, Size) {
  const int margin = 2 * ((1 << call.integer("passes")) - 1);
  return {.kind = Footprint::Kind::around, .margin = {.x = margin, .y = margin}};
}

// --- the definition -------------------------------------------------------------------------------------------------

struct Features {
  Planes albedo, normals;                                 // the albedo is straight
  double albedo_range = 0, normals_range = 0, range = 0;  // standard deviations; 0: it takes no part
};

Features features_of(const Call& call) {
  Features made;
  size_t index = 0;
  const auto next = [&] {
    const InputPicture& input = call.inputs[index++];
    return planes_of(*input.texels, input.picture.depth);
  };
  if (has(call, "albedo")) {
    const Planes given = next();
    made.albedo = made_of_texels(size_of(given), [&](size_t at) { return unpremultiply(color_at(given, at)); });
    made.albedo_range = call.number("albedo-range");
  }
  if (has(call, "normals")) {
    made.normals = next();
    made.normals_range = call.number("normals-range");
  }
  if (call.has("range")) made.range = call.number("range");
  return made;
}

Color divisor_at(const Features& features, size_t index) {
  if (features.albedo_range == 0) return {1, 1, 1, 1};
  Color made = color_at(features.albedo, index);
  for (double& value : made) value = value > least_albedo ? std::min(value, most_albedo) : least_albedo;
  return made;
}

double square_of(const Color& a, const Color& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

// Calls visit(index of a neighbor, its share) for the neighbors of a texel; shares add up to 1. `light` has a weight in alpha.
template <class Visit>
void each_share(const Features& features, const Planes& light, size_t index, int spacing, const Visit& visit) {
  const Size size = size_of(light);
  const int x = int(index) % size.width, y = int(index) / size.width;
  std::array<std::pair<size_t, double>, 25> shares;
  size_t count = 0;
  double sum = 0;
  for (int row = -2; row <= 2; ++row)
    for (int column = -2; column <= 2; ++column) {
      const int from_x = x + spacing * column, from_y = y + spacing * row;
      if (from_x < 0 || from_y < 0 || from_x >= size.width || from_y >= size.height) continue;
      const size_t from = size_t(from_y) * size_t(size.width) + size_t(from_x);
      double away = 0;
      const auto add = [&](const Planes& planes, double range) {
        if (range > 0 && from != index)
          away += square_of(color_at(planes, from), color_at(planes, index)) / (range * range);
      };
      add(features.albedo, features.albedo_range);
      add(features.normals, features.normals_range);
      add(light, features.range);
      if (!std::isfinite(away)) continue;
      const double share =
          spline[size_t(row + 2)] * spline[size_t(column + 2)] * light[3].values[from] * std::exp(-away / 2);
      shares[count++] = {from, share};
      sum += share;
    }
  for (const auto& [from, share] : std::span(shares).first(count)) visit(from, share / sum);
}

// Dammertz et al., equation 3: one pass of the filter.
Planes smoothed(const Features& features, const Planes& light, int spacing) {
  return made_of_texels(size_of(light), [&](size_t index) {
    Color sum{0, 0, 0, light[3].values[index]};
    if (sum[3] != 0)
      each_share(features, light, index, spacing, [&](size_t from, double share) {
        for (size_t k = 0; k < 3; ++k) sum[k] += share * light[k].values[from];
      });
    return sum;
  });
}

Planes light_of(const Features& features, const Planes& base) {
  return made_of_texels(size_of(base), [&](size_t index) {
    Color light = straight_with_weight(color_at(base, index));
    const Color divisor = divisor_at(features, index);
    for (size_t k = 0; k < 3; ++k) light[k] /= divisor[k];
    return light;
  });
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const Features features = features_of(call);
  Planes light = light_of(features, base);
  for (int pass = 0; pass < call.integer("passes"); ++pass) light = smoothed(features, light, 1 << pass);
  return {made_of_texels(size_of(base), [&](size_t index) {
    Color c = color_at(base, index);
    const Color divisor = divisor_at(features, index);
    for (size_t k = 0; k < 3 && light[3].values[index] != 0; ++k)
      c[k] = as_float(light[k].values[index] * divisor[k] * coverage_of(c[3]));
    return c;
  })};
}

// The error of one pass, if its input `light` is off by `off`. The shares of the neighbors are off too: by errors of the light, of
// the weights, and by rounding of the exponents.
Planes smoothed_error(const Features& features, const Planes& light, const Planes& made, const Planes& off,
                      int spacing) {
  const double range = features.range;
  return made_of_texels(size_of(light), [&](size_t index) -> Color {
    if (light[3].values[index] == 0) return {};
    const Color own = color_at(light, index), own_off = color_at(off, index), mean = color_at(made, index);
    Color sum{0, 0, 0, own_off[3]};
    each_share(features, light, index, spacing, [&](size_t from, double share) {
      const Color neighbor = color_at(light, from), neighbor_off = color_at(off, from);
      double moved = 0x1p-17 + neighbor_off[3];
      if (const double albedo_range = features.albedo_range; albedo_range > 0) {
        const Color a = color_at(features.albedo, index), b = color_at(features.albedo, from);
        for (size_t k = 0; k < 3; ++k) {
          const double rounded = 0x1p-21 * (std::abs(a[k]) + std::abs(b[k]));  // by the division by alpha
          moved += rounded * (std::abs(a[k] - b[k]) + rounded) / (albedo_range * albedo_range);
        }
      }
      for (size_t k = 0; k < 3 && range > 0; ++k)
        moved += (own_off[k] + neighbor_off[k]) * (std::abs(neighbor[k] - own[k]) + own_off[k] + neighbor_off[k]) /
                 (range * range);
      for (size_t k = 0; k < 3; ++k)
        sum[k] += share * (neighbor_off[k] + std::min(moved, 2.0) * std::abs(neighbor[k] - mean[k]) +
                           0x1p-21 * std::abs(neighbor[k]));
    });
    return sum;
  });
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Features features = features_of(call);
  Planes light = light_of(features, base);
  Planes off = made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color c = color_at(base, index), e = color_at(error, index), divisor = divisor_at(features, index);
    const double weight = light[3].values[index];
    if (weight == 0) return {};
    Color moved = moved_by(unpremultiply, c, e);
    for (size_t k = 0; k < 3; ++k) moved[k] = moved[k] / divisor[k] + 0x1p-20 * std::abs(light[k].values[index]);
    moved[3] = std::min(1.0, e[3] / weight);  // as a share of the weight
    return moved;
  });
  for (int pass = 0; pass < call.integer("passes"); ++pass) {
    Planes made = smoothed(features, light, 1 << pass);
    off = smoothed_error(features, light, made, off, 1 << pass);
    light = std::move(made);
  }
  return {made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Color c = color_at(base, index), e = color_at(error, index), divisor = divisor_at(features, index);
    if (light[3].values[index] == 0) return e;
    const double alpha = std::abs(coverage_of(c[3]));
    Color sum{0, 0, 0, e[3]};
    for (size_t k = 0; k < 3; ++k) {
      const double straight = std::abs(light[k].values[index] * divisor[k]);
      sum[k] = divisor[k] * off[k].values[index] * (alpha + e[3]) + straight * e[3] +
               rounding(straight * alpha, depth) + 0x1p-20 * straight * alpha;
    }
    return sum;
  })};
}

// --- the passes -----------------------------------------------------------------------------------------------------

void plan_denoise(const Call& call, PlanBuilder& builder) {
  const int picture = builder.current_image();
  const PlanImage image = builder.image(picture);
  std::vector<int> features;
  for (size_t index = 0; index < call.op->needs(call).pictures.size(); ++index)
    features.push_back(builder.add_input(second_picture(call, index, builder.whole_size(), image.depth)));
  const bool has_albedo = has(call, "albedo");
  const auto albedo = std::span(features).first(has_albedo ? 1 : 0);
  const auto pass_of = [&](std::string name, std::string_view kernel, int source) {
    return PassSpec{.name = std::move(name),
                    .kernel = kernel,
                    .defines = {{"HAS_ALBEDO", has_albedo}},
                    .values = {{"end_x", image.size.width},
                               {"end_y", image.size.height},
                               {"least_albedo", float(least_albedo)},
                               {"most_albedo", float(most_albedo)}},
                    .grid = {.count = {div_ceil(image.size.width, 64), div_ceil(image.size.height, 16)}},
                    .source = {.image = source}};
  };
  // not a color, and not converted: in the space in which kernels get the picture
  const PlanImage lit{
      .size = image.size, .depth = Depth::f32, .space = image.space == Space::rgb ? Space::rgb : Space::xyz};
  PassSpec first = pass_of("light of denoise", "denoise/light.glsl", picture);
  const std::vector<PushConstant> weights = straight_weight_values();
  first.values.insert(first.values.end(), weights.begin(), weights.end());
  first.more_sources.assign(albedo.begin(), albedo.end());
  int light = first.target.image = builder.add_image(lit);
  builder.add(std::move(first));
  for (int index = 0; index < call.integer("passes"); ++index) {
    PassSpec pass = pass_of("denoise", "denoise/smooth.glsl", light);
    const auto range_of = [&](std::string_view name) { return call.has(name) ? float(call.number(name)) : 0; };
    pass.defines.insert(pass.defines.end(), {{"HAS_NORMALS", has(call, "normals")}, {"HAS_RANGE", call.has("range")}});
    pass.values.insert(pass.values.end(), {{"spacing", 1 << index},
                                           {"albedo_range", range_of("albedo-range")},
                                           {"normals_range", range_of("normals-range")},
                                           {"range", range_of("range")}});
    pass.more_sources = features;
    pass.access.reads_per_texel = 25.0 * double(1 + features.size());
    light = pass.target.image = builder.add_image(lit);
    builder.add(std::move(pass));
  }
  PassSpec last = pass_of("denoise, result", "denoise/apply.glsl", picture);
  last.more_sources.assign(albedo.begin(), albedo.end());
  last.more_sources.push_back(light);
  builder.add_result(std::move(last), {.size = image.size, .depth = image.depth});
}

Param picture_param(std::string_view name, std::string_view help) {
  return {.name = name,
          .help = help,
          .kind = ParamKind::text,
          .form = {.syntax = "FILE", .matches = [](std::string_view text) { return !text.empty(); }}};
}

}  // namespace

static const Benchmark bench = {.sizes = {{1920, 1080}},
                                .cpu_sizes = {{512, 512}},
                                .depths = {Depth::half, Depth::f32},
                                .arguments = "--albedo albedo.exr --normals normals.exr"};

extern const Op denoise_op;
const Op denoise_op{
    .name = "denoise",
    .doc =
        {.group = OpGroup::filter,
         .summary = "Smooth a path-traced render where its albedo and normals are smooth",
         .description =
             "Needs --albedo, --normals or both. Divides the image by its albedo, smooths the remaining light, and "
             "multiplies by the albedo again, so that textures stay sharp. Each pass of the a-trous filter weights 5x5 "
             "texels by a B3 spline. In the first pass they are neighbors. Each later pass doubles the distance "
             "between them. "
             "The weight of each neighbor is multiplied by exp(-d^2 / (2 V^2)), once for albedo and once for normals. "
             "d is the distance of the two albedos or normals, and V is --albedo-range or --normals-range. --range "
             "does the same for the light.\nWithout --range, the filter does not see edges that are neither in the "
             "albedo nor in the normals. So it smooths shadows, reflections and what is behind glass. Fireflies are "
             "spread, not removed; put `median` before `denoise`. It is no match for trained denoisers.\nThe images of "
             "albedo and normals must have the size of the image, and no noise. Give normals as vectors of length 1 in "
             "float R, G and B. The albedo is unpremultiplied first. In the division, an albedo below 0.01 counts as "
             "0.01, and one above 65504 as 65504. Means are weighted by alpha, and alpha does not change. Texels that "
             "are transparent, NaN, infinite or above 1e15 stay as they are.",
         .citation =
             "H. Dammertz, D. Sewtz, J. Hanika, H. Lensch, Edge-Avoiding A-Trous Wavelet Transform for fast Global "
             "Illumination Filtering, 2010; division by albedo as in C. Schied et al., Spatiotemporal Variance-Guided "
             "Filtering, 2017",
         .examples = {"--albedo albedo.exr --normals normals.exr", "--normals normals.exr --passes 2 --range 0.5",
                      "--albedo albedo.exr --albedo-range 0.3 --passes 4"}},
    .params = {picture_param("albedo",
                             "Image of the albedo of each texel; {frame} in its name is the frame number of the input"),
               picture_param("normals", "Image of the surface normal of each texel; {frame} as in --albedo"),
               {.name = "passes",
                .help = "Number of passes; N passes reach 2^(N+1) - 2 texels to each side",
                .kind = ParamKind::integer,
                .default_value = 3,
                .min = 1,
                .max = 6},
               {.name = "albedo-range",
                .help = "Standard deviation in albedo: texels that differ by much more do not mix",
                .default_value = 0.1,
                .min = 0.001,
                .max = 100,
                .effect = {.in = [](const Call& call) { return has(call, "albedo"); }, .requirement = "--albedo"}},
               {.name = "normals-range",
                .help = "Standard deviation in normals: texels that differ by much more do not mix",
                .default_value = 0.2,
                .min = 0.001,
                .max = 100,
                .effect = {.in = [](const Call& call) { return has(call, "normals"); }, .requirement = "--normals"}},
               {.name = "range",
                .help = "Standard deviation in light, after the division by albedo. Keeps shadows, but also noise that "
                        "is stronger. Default: light is not compared",
                .default_value = 1,
                .min = 0.001,
                .max = 65504,
                .presence = Presence::optional}},
    .check = check,
    .needs = needs,
    .output = output,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_denoise,
    .bench = &bench,
};

}  // namespace gpupost
