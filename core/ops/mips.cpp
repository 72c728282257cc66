// The mip chain of a picture: its row, its definition in double, and its passes.
#include "core/ops/ops.h"
#include "core/passes/area_mips.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gpupost {

// --- the definition -------------------------------------------------------------------------------------------------

// Weights of the texels 2i, 2i+1, 2i+2 of a side of n in texel i of the next level. Each texel of the side counts the
// same in the whole level: the area weights of NVIDIA's report on non-power-of-two mip maps.
static std::array<double, 3> area_weights(int n, int i) {
  if (n == 1) return {1, 0, 0};
  if (n % 2 == 0) return {0.5, 0.5, 0};
  const double m = n / 2;
  return {(m - i) / n, m / n, (i + 1) / double(n)};
}

// Over all texels that a texel covers, at odd sizes three a side: usable as a depth pyramid.
enum class Reduce { mean, minimum, maximum };

static Plane halve(const Plane& from, Reduce reduce) {
  Plane to{.size = level_size(from.size, 1), .values = {}};
  to.values.reserve(texel_count(to.size));
  for (int y = 0; y < to.size.height; ++y) {
    const auto rows = area_weights(from.size.height, y);
    for (int x = 0; x < to.size.width; ++x) {
      const auto columns = area_weights(from.size.width, x);
      double sum = 0;
      std::optional<double> extreme;
      for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) {
          const double weight = rows[size_t(dy)] * columns[size_t(dx)];
          if (weight == 0) continue;
          const double texel = from.values[size_t(2 * y + dy) * size_t(from.size.width) + size_t(2 * x + dx)];
          sum += weight * texel;
          const bool is_new =
              !extreme || std::isnan(texel) || (reduce == Reduce::minimum ? texel < *extreme : texel > *extreme);
          if (is_new) extreme = texel;
        }
      to.values.push_back(reduce == Reduce::mean ? sum : *extreme);
    }
  }
  return to;
}

static int level_count(const Call& call, Size size) {
  const int wanted = call.integer("levels");
  return wanted == 0 ? level_count_of(size) : std::min(wanted, level_count_of(size));
}

static std::vector<Planes> reference(const Call& call, Planes base) {
  return by_component(std::move(base), [&](Plane plane) {
    const int count = level_count(call, plane.size);
    std::vector<Plane> levels;
    levels.push_back(std::move(plane));
    while (int(levels.size()) < count) levels.push_back(halve(levels.back(), Reduce(call.integer("reduce"))));
    return levels;
  });
}

// --- the passes -----------------------------------------------------------------------------------------------------

static void plan_mips(const Call& call, PlanBuilder& builder) {
  PlanImage& image = builder.image(builder.current_image());
  image.level_count = level_count(call, image.size);
  if (image.level_count == 1) return builder.note("mips: the picture is its own only level");
  plan_area_mips(call, builder, image.level_count);
}

// The words of --variant, `auto` first.
static std::vector<std::string_view> variant_choices() {
  std::vector<std::string_view> choices{"auto"};
  for (const std::string& name : area_mips_variants()) choices.push_back(name);
  return choices;
}

static std::vector<std::string> variants() {
  std::vector<std::string> all{"--method per-level"};
  for (const std::string& name : area_mips_variants()) all.push_back("--variant " + name);
  return all;
}

// --- what documents claim of it -------------------------------------------------------------------------------------

static constexpr std::string_view talk = "L. Kramer 2020, Radeon RX 5700 XT";

static Claim half_claim(std::string_view claimed, std::vector<Size> sizes) {
  return {.what = "half arithmetic",
          .claimed = claimed,
          .where = talk,
          .sizes = std::move(sizes),
          .depths = {Depth::u8, Depth::half},
          .slower = "--variant amd-2x2+quad+load",
          .faster = "--variant amd-2x2+quad+load",
          .faster_is_half = true};
}

static std::vector<Claim> claims() {
  const std::vector<Depth> both{Depth::u8, Depth::half};
  return {{.what = "texels in Morton-like order",
           .claimed = "about +8 %",
           .where = talk,
           .sizes = {{4096, 4096}},
           .depths = {Depth::half},
           .slower = "--variant rows-2x2+shared+load",
           .faster = "--variant amd-2x2+shared+load"},
          {.what = "working threads packed at the front",
           .claimed = "about +7 %",
           .where = talk,
           .sizes = {{3840, 2160}},
           .depths = {Depth::half},
           .slower = "--variant amd-2x2+shared-every-4th+load",
           .faster = "--variant amd-2x2+shared-packed+load"},
          {.what = "quads in the place of shared memory",
           .claimed = "+5 %",
           .where = talk,
           .sizes = {{1920, 1080}, {2560, 1440}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+quad+load"},
          {.what = "quads in the place of shared memory",
           .claimed = "+1 %",
           .where = talk,
           .sizes = {{3840, 2160}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+quad+load"},
          {.what = "shuffles in the place of shared memory",
           .claimed = "-10 to +2 %",
           .where = talk,
           .sizes = {{1920, 1080}, {2560, 1440}, {3840, 2160}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+shuffle+load"},
          half_claim("about +40 %", {{256, 256}}),
          half_claim("+15 %", {{1024, 1024}}),
          half_claim("0 to 2 %", {{1920, 1080}, {2560, 1440}})};
}

// --- the row --------------------------------------------------------------------------------------------------------

const Op mips_op{
    .name = "mips",
    .help = "the whole mip chain, in one dispatch on a GPU",
    .description =
        "W x H texels become 1 + floor(log2(max(W, H))) levels, each max(1, floor(side / 2)) of the one above. Even "
        "sides "
        "average two texels, odd ones three by area, so that every texel counts the same at every level. Pictures are "
        "averaged in linear light with premultiplied alpha; all channels of the file get their levels (uint channels "
        "take "
        "the nearest texel). Level 0 is the input, bit for bit where the depth stays. With --fp16 even levels are "
        "summed in "
        "half, without overflow and without loss near zero; odd ones in float.",
    .source =
        "L. Kramer, Optimizing for the Radeon RDNA Architecture, 2020 (single pass); NVIDIA, Non-Power-of-Two Mipmap "
        "Creation, 2005 (area weights)",
    .params = {{.name = "method",
                .help = "one dispatch for all levels, or one a level",
                .kind = ParamKind::choice,
                .choices = {"auto", "single-pass", "per-level"}},
               {.name = "variant",
                .help = "how the single pass works, ACCESS+EXCHANGE+FETCH; `bench mips --list` names all",
                .kind = ParamKind::choice,
                .choices = variant_choices(),
                .is_for_measuring = true},
               {.name = "reduce",
                .help = "what a texel is of those it covers; min and max make a depth pyramid (Hi-Z)",
                .kind = ParamKind::choice,
                .choices = {"mean", "min", "max"}},
               {.name = "levels",
                .help = "levels with the base, 0 for all down to 1 x 1; a part of the chain goes to a file a level",
                .kind = ParamKind::integer,
                .def = 0,
                .min = 0,
                .max = 16}},
    .makes_levels = true,
    .every_channel = true,
    .examples = {"", "--method single-pass", "--method per-level", "--levels 3", "--levels 1", "--reduce min",
                 "--reduce max --method single-pass", "--method single-pass --levels 2",
                 "--method single-pass --levels 6"},
    .variants = variants,
    .benchmark = {.floor = Floor::third,
                  .sizes = {{256, 256},
                            {1024, 1024},
                            {1920, 1080},
                            {2560, 1440},
                            {3840, 2160},
                            {4096, 4096},
                            {8192, 8192},
                            {16384, 16384}},
                  .cpu_sizes = {{256, 256}, {1024, 1024}, {1920, 1080}},
                  .depths = {Depth::u8, Depth::half, Depth::f32},
                  .claims = claims()},
    .level_count = level_count,
    .reference = reference,
    .plan = plan_mips,
};

}  // namespace gpupost
