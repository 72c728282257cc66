// Bloom: the light above a threshold glows around what it comes from. Its row, its definition and its passes.
#include "core/ops/brightpass/row.h"
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/op/point.h"
#include "core/ops/bloom/reference.h"
#include "core/plan/builder.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpupost {

namespace {

std::optional<std::array<double, 3>> tint_of(std::string_view word) {
  const std::optional<std::vector<double>> tint = list_of_numbers(word);
  const bool fits = tint && tint->size() == 3 &&
                    std::ranges::all_of(*tint, [](double number) { return number >= 0 && number <= 65504; });
  return fits ? std::optional(std::array{tint->at(0), tint->at(1), tint->at(2)}) : std::nullopt;
}

// What the glow's R, G and B are multiplied by.
std::array<double, 3> factors_of(const Call& call) {
  std::array<double, 3> factors{1, 1, 1};
  if (const std::string& word = call.word("tint"); !word.empty()) factors = *tint_of(word);
  for (double& factor : factors) factor *= call.number("intensity");
  return factors;
}

Call bright_call(const Call& call) {
  const Call bright = default_call(brightpass_op);
  return bright.with("threshold", call.number("threshold")).with("knee", call.number("knee"));
}

void check(const Call& call) {
  if (const double knee = call.number("knee"); knee > call.number("threshold"))
    fail(Exit::usage, "bloom: --knee {} is above --threshold; expected at most {}", knee, call.number("threshold"));
}

// --- the definition -------------------------------------------------------------------------------------------------

// Light that is no number does not glow.
Planes without_nonfinite(Planes planes) {
  for (size_t index = 0; index < planes[0].values.size(); ++index)
    for (size_t c = 0; c < 3; ++c)
      if (!std::isfinite(planes[c].values[index])) {
        for (size_t k = 0; k < 3; ++k) planes[k].values[index] = 0;
        break;
      }
  return planes;
}

Planes light_of(const Call& call, const Planes& base) {
  const Call bright = bright_call(call);
  return bright.op->reference.levels(bright, without_nonfinite(base))[0];
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const std::vector<double> weights = glow_weights(call.number("radius"), size_of(base));
  const Planes glow = glow_of(light_levels(light_of(call, base), weights.size()), weights);
  const std::array<double, 3> factors = factors_of(call);
  for (size_t c = 0; c < 3; ++c)
    for (size_t index = 0; index < base[c].values.size(); ++index)
      base[c].values[index] += factors[c] * glow[c].values[index];
  return {std::move(base)};
}

// Each of R, G and B off by what it may be where X, Y and Z are stored: as much of the largest of the three.
void add_rounding(const Planes& magnitudes, Depth depth, Planes& error) {
  for (size_t index = 0; index < magnitudes[0].values.size(); ++index) {
    double largest = 0;
    for (size_t c = 0; c < 3; ++c)
      if (std::isfinite(magnitudes[c].values[index])) largest = std::max(largest, magnitudes[c].values[index]);
    for (size_t c = 0; c < 3; ++c) error[c].values[index] += rounding(largest, depth);
  }
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const std::vector<double> weights = glow_weights(call.number("radius"), size_of(base));
  const std::array<double, 3> factors = factors_of(call);
  Planes sum = error;
  add_rounding(absolute(base), depth, sum);
  for (size_t index = 0; index < sum[3].values.size(); ++index)
    sum[3].values[index] += rounding(std::abs(base[3].values[index]), depth);
  const Call bright = bright_call(call);
  const Planes light = without_nonfinite(base);
  const std::vector<Planes> magnitudes = light_levels(absolute(light_of(call, base)), weights.size());
  std::vector<Planes> errors{bright.op->reference.tolerance(bright, light, without_nonfinite(error), depth)[0]};
  // a level is made of the one above, stored, made of others and stored once more
  for (size_t level = 1; level < magnitudes.size(); ++level) {
    errors.push_back(lowered(errors.back()));
    for (int time = 0; time < 3; ++time) add_rounding(magnitudes[level], depth, errors[level]);
  }
  const Planes glow_error = glow_of(errors, weights), glow = glow_of(magnitudes, weights);
  for (size_t c = 0; c < 3; ++c)
    for (size_t index = 0; index < sum[c].values.size(); ++index)
      sum[c].values[index] +=
          factors[c] * (glow_error[c].values[index] + rounding(glow[c].values[index], depth) * double(weights.size()));
  return {sum};
}

// --- the passes -----------------------------------------------------------------------------------------------------

FusedPoint light_point(const Call& call) {
  return {.name = "bloom_light",
          .kernel = "bloom/light.glsl",
          .fields = {{.name = "threshold", .value = call.number("threshold")},
                     {.name = "knee", .value = call.number("knee")}},
          .space = PointSpace::yxy,
          .alpha = PointAlpha::straight};
}

// The levels of an image, which may be a tile. A tile begins at a multiple of the size of a texel of the last level, so that
// its levels are parts of those of the whole image.
struct Pyramid {
  Size tile, whole;
  Position corner;

  Size size(int level) const { return level_size(tile, level); }
  Size whole_size(int level) const { return level_size(whole, level); }
};

// A pass of 16 columns of 16 threads a workgroup that makes level `to`, `tall` texels a thread, of level `from`.
PassSpec level_pass(std::string name, std::string_view kernel, const Pyramid& pyramid, int from_level, int to_level,
                    int tall = 1) {
  const Size from = pyramid.size(from_level), to = pyramid.size(to_level);
  const Size whole_from = pyramid.whole_size(from_level), whole_to = pyramid.whole_size(to_level);
  return {.name = std::move(name),
          .kernel = kernel,
          .values = {{"from_x", from.width},
                     {"from_y", from.height},
                     {"end_x", to.width},
                     {"end_y", to.height},
                     {"whole_from_x", whole_from.width},
                     {"whole_from_y", whole_from.height},
                     {"whole_end_x", whole_to.width},
                     {"whole_end_y", whole_to.height},
                     {"begin_x", pyramid.corner.x >> to_level},
                     {"begin_y", pyramid.corner.y >> to_level}},
          .grid = {.count = {div_ceil(to.width, 16), div_ceil(to.height, 16 * tall)}}};
}

// Texels that count along a side of the larger level.
int taps_down(int side) { return side == 1 ? 2 : side % 2 == 0 ? 4 : 5; }
int taps_up(int side) { return side == 1 || side % 2 == 0 ? 2 : 3; }

// Appends the passes that make the levels of `light` from the picture.
void plan_light(const Call& call, PlanBuilder& builder, const Pyramid& pyramid, int light) {
  constexpr int tall = 4;  // texels of a thread
  const int source = builder.current_image();
  for (int level = 1; level <= builder.image(light).level_count; ++level) {
    const Size from = pyramid.whole_size(level - 1);
    PassSpec pass =
        level_pass(fmt::format("bloom light {}", level), "bloom/down.glsl", pyramid, level - 1, level, tall);
    pass.defines = {{"TAPS_X", taps_down(from.width)},
                    {"TAPS_Y", taps_down(from.height)},
                    {"TALL", tall},
                    {"UNROLLS", builder.traits().type != DeviceType::cpu}};
    if (level == 1) pass.points.on_load = {light_point(call)};
    pass.source.image = level == 1 ? source : light;
    pass.source.level = level == 1 ? 0 : level - 2;
    pass.target.image = light;
    pass.target.level = level - 1;
    builder.add(std::move(pass));
  }
}

// A pass that spreads a level of the glow over the level above, which is `to`, or over the image.
PassSpec spread_pass(std::string name, std::string_view kernel, const Pyramid& pyramid, int to_level) {
  PassSpec pass = level_pass(std::move(name), kernel, pyramid, to_level + 1, to_level);
  const Size to = pyramid.whole_size(to_level);
  pass.defines = {{"TAPS_X", taps_up(to.width)}, {"TAPS_Y", taps_up(to.height)}};
  return pass;
}

void plan_bloom(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Pyramid pyramid{.tile = image.size, .whole = builder.whole_size(), .corner = builder.input().corner};
  const std::vector<double> weights = glow_weights(call.number("radius"), pyramid.whole);
  const int count = int(weights.size());
  const Size half = level_size(image.size, 1);
  const Depth depth = builder.depth_of_light();
  const int light = builder.add_image({.size = half, .depth = depth, .level_count = count});
  plan_light(call, builder, pyramid, light);

  int glow = light;
  if (count > 1) glow = builder.add_image({.size = half, .depth = depth, .level_count = count - 1});
  for (int level = count - 2; level >= 0; --level) {
    const bool is_first = level == count - 2;
    PassSpec pass = spread_pass(fmt::format("bloom level {}", level + 1), "bloom/up.glsl", pyramid, level + 1);
    pass.source.image = light;
    pass.source.level = level;
    pass.second.image = is_first ? light : glow;
    pass.second.level = level + 1;
    pass.target.image = glow;
    pass.target.level = level;
    pass.table = {float(weights[size_t(level)]), is_first ? float(weights.back()) : 1.0f};
    pass.memory.bytes_read =
        bytes_of_level(builder.image(light), level) + bytes_of_level(builder.image(light), level + 1);
    builder.add(std::move(pass));
  }

  PassSpec pass = spread_pass("bloom", "bloom/add.glsl", pyramid, 0);
  pass.access.tile_alignment = {1 << count, 1 << count};
  pass.access.can_be_in_place = builder.writes_in_place();
  pass.defines.push_back({"GLOW_IS_XYZ", builder.input().between == Space::yxy});
  for (const double factor : factors_of(call)) pass.table.push_back(float(factor));
  pass.source.image = source;
  pass.second.image = glow;
  pass.memory.bytes_read = bytes_of_level(image, 0) + bytes_of_level(builder.image(glow), 0);
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

// A texel of a level reads two texels to the left and three to the right of its place in the level above. Added up over all
// levels that is less than four texels of the last level.
Footprint footprint(const Call& call, Size size) {
  const int margin = 4 << glow_weights(call.number("radius"), size).size();
  return {.kind = Footprint::Kind::around, .margin = {.x = margin, .y = margin}};
}

}  // namespace

static const Benchmark bench = {.floor = Floor::bytes,
                                .sizes = {{1920, 1080}, {3840, 2160}},
                                .cpu_sizes = {{1024, 1024}},
                                .depths = {Depth::half, Depth::f32},
                                .settings = {{"radius", 16}, {"radius", 64}, {"radius", 512}},
                                .cpu_settings = {{"radius", 64}}};

extern const Op bloom_op;
const Op bloom_op{
    .name = "bloom",
    .doc = {.group = OpGroup::blur,
            .summary = "Add a glow around bright light",
            .description =
                "Extracts the light above --threshold, as `brightpass` does. Blurs that light, multiplies it by "
                "--intensity and adds it to the image. Alpha does not change.\nThe blur is a pyramid. Each level has "
                "half the size of the level above. Along each axis the weights are 1/8, 3/8, 3/8, 1/8. If the side is "
                "odd, they are by area: the tent that is 1 at the center of a texel of the smaller level and 0 at "
                "those of its neighbors, averaged over each texel of the larger level. Beyond the outermost centers it "
                "stays 1. Each level is enlarged with the same tents, which is linear interpolation, averaged over "
                "each texel of the larger level. The levels are added up. Levels 1 to log2(radius) have the same "
                "weight. If log2(radius) is not a whole number, one more level is added, and its weight is the part "
                "after the point. There are at most floor(log2(longer side)) levels, at least one; further ones are "
                "dropped, and the weights are divided by their sum. A larger radius adds only small levels, so the "
                "cost hardly grows.\nThe sum of the glow is --intensity times the light above the threshold, at any "
                "image size. The glow is centered on its light, except where the image border cuts it off. Constant "
                "light glows evenly. NaN and infinities stay as they are, and texels with them do not glow.",
            .citation = "J. Jimenez, Next Generation Post Processing in Call of Duty: Advanced Warfare, 2014 "
                        "(pyramid); W. Engel, Call for a new Post-Processing Pipeline, 2013 (bright pass on Y)",
            .examples = {"", "--threshold 0.25 --knee 0.2 --radius 12",
                         "--threshold 0.1 --radius 2 --intensity 1 --tint 1,0.7,0.25",
                         "--threshold 0 --radius 400 --intensity 2"}},
    .params =
        {{.name = "threshold", .help = "Luminance above which light glows", .default_value = 1, .min = 0, .max = 65504},
         {.name = "knee",
          .help = "Half-width of the soft transition around --threshold, in luminance; 0 is a hard edge",
          .min = 0,
          .max = 65504},
         {.name = "radius",
          .help = "Reach of the glow in texels",
          .default_value = 64,
          .min = 2,
          .max = 16384,
          .unit = "texels"},
         {.name = "intensity",
          .help = "Strength of the glow, as a fraction of the light above --threshold",
          .default_value = 0.25,
          .min = 0,
          .max = 65504},
         {.name = "tint",
          .help = "Factors for R, G and B of the glow, for example 1,0.8,0.6; default 1,1,1",
          .kind = ParamKind::text,
          .form = {.syntax = "R,G,B", .matches = [](std::string_view text) { return tint_of(text).has_value(); }}}},
    .check = check,
    .needs = needs_rec709,
    .output =
        [](const Call& call, std::span<const Output> inputs) {
          const auto [r, g, b] = factors_of(call);
          return with_gray(inputs.front(), r == g && r == b ? GrayResult::gray : GrayResult::color);
        },
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_bloom,
    .bench = &bench,
};

}  // namespace gpupost
