// The mip chain of a picture: its row, its definition in double, and its passes.
#include "core/ops/mips/row.h"
#include "core/base/error.h"
#include "core/image/attributes.h"
#include "core/op/benchmark.h"
#include "core/ops/mips/coverage_passes.h"
#include "core/ops/mips/coverage_reference.h"
#include "core/ops/mips/passes.h"
#include "core/ops/shared/filter_passes.h"

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

// `first`: the level of the chain that has this size, from which the levels are counted.
static int level_count(const Call& call, Size size, int first = 0) {
  const int wanted = call.integer("levels");
  return wanted == 0 ? level_count_of(size) : std::min(wanted - first, level_count_of(size));
}

static Normals normals_of(const Call& call) {
  if (!call.flag("normal")) return Normals::none;
  return call.choice("normal-length") == "alpha" ? Normals::length_in_alpha : Normals::length_dropped;
}

static Filtering filtering_of_mips(const Call& call) {
  Filtering filtering = filtering_of(call);
  filtering.normals = normals_of(call);
  return filtering;
}

// Area means of the level above, the ordinary case, have passes of their own; all else goes through those of filters.
static bool makes_area_means(const Call& call) {
  return Filter(call.integer("filter")) == Filter::box && !call.flag("hicomp") && !call.flag("normal") &&
         !call.flag("from-base");
}

static std::vector<Planes> area_means(const Call& call, Planes base) {
  return by_component(std::move(base), [&](Plane plane) {
    const int count = level_count(call, plane.size);
    std::vector<Plane> levels;
    levels.push_back(std::move(plane));
    while (int(levels.size()) < count) levels.push_back(halve(levels.back(), Reduce(call.integer("reduce"))));
    return levels;
  });
}

// The chain before --coverage.
static std::vector<Planes> chain(const Call& call, Planes base) {
  if (makes_area_means(call)) return area_means(call, std::move(base));
  const Size size = size_of(base);
  const int count = level_count(call, size);
  std::vector<Planes> levels;
  levels.push_back(std::move(base));
  for (int level = 1; level < count; ++level)
    levels.push_back(filtered(call.flag("from-base") ? levels.front() : levels.back(), level_size(size, level),
                              filtering_of_mips(call)));
  return levels;
}

static std::vector<Planes> reference(const Call& call, Planes base) {
  std::vector<Planes> levels = chain(call, std::move(base));
  const double coverage = call.number("coverage");
  return coverage > 0 ? with_coverage(std::move(levels), coverage) : levels;
}

// Numbers that overshoot are clamped when they are stored; levels made of them inherit that.
static void add_clamping(const Planes& level, Depth depth, Planes& error) {
  for (size_t component = 0; component < 4; ++component)
    for (size_t index = 0; index < level[component].values.size(); ++index)
      if (const double size = std::abs(level[component].values[index]); std::isfinite(size))
        error[component].values[index] += std::max(0.0, size - largest(depth));
}

static std::vector<Planes> filtered_chain_tolerance(const Call& call, const std::vector<Planes>& levels,
                                                    const Planes& error, Depth depth) {
  std::vector<Planes> errors{error};
  for (size_t level = 1; level < levels.size(); ++level) {
    const size_t from = call.flag("from-base") ? 0 : level - 1;
    errors.push_back(
        filtered_tolerance(levels[from], errors[from], size_of(levels[level]), filtering_of_mips(call), depth));
    add_clamping(levels[level], depth, errors.back());
  }
  return errors;
}

static std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const double coverage = call.number("coverage");
  const bool has_means = makes_area_means(call);
  // the least number is off by no more than the one that is off most
  if (Reduce(call.integer("reduce")) == Reduce::minimum)
    return tolerance_of_means(call.with("reduce", double(Reduce::maximum)), base, error, depth);
  if (has_means && coverage == 0) return tolerance_of_means(call, base, error, depth);
  const std::vector<Planes> levels = chain(call, base);
  std::vector<Planes> errors = has_means ? tolerance_of_means(call.with("coverage", 0), base, error, depth)
                                         : filtered_chain_tolerance(call, levels, error, depth);
  return coverage > 0 ? coverage_tolerance(levels, errors, coverage, depth) : errors;
}

// --- the passes -----------------------------------------------------------------------------------------------------

static void check_coverage(const Call& call) {
  if (call.number("coverage") == 0) return;
  if (call.flag("normal"))
    fail(Exit::usage, "mips: --coverage is for color with alpha, and --normal is for directions; leave one out");
  if (call.choice("reduce") != "mean")
    fail(Exit::usage, "mips: --coverage needs --reduce mean; with --reduce {} leave --coverage out",
         call.choice("reduce"));
}

static void check(const Call& call) {
  check_coverage(call);
  if (call.flag("normal") && call.flag("hicomp"))
    fail(Exit::usage, "mips: --hicomp is for color, and --normal is for directions; leave one out");
  if (makes_area_means(call)) return;
  std::string filter = call.choice("filter") == "box" ? "" : fmt::format(" --filter {}", call.choice("filter"));
  for (const std::string_view flag : {"hicomp", "normal", "from-base"})
    if (call.flag(flag)) filter += fmt::format(" --{}", flag);
  for (const auto& [name, free] : {std::pair{"reduce", "mean"}, {"variant", "auto"}})
    if (call.choice(name) != free)
      fail(Exit::usage, "mips: --{0} {1} works only with the plain box filter; leave out{2}, or use --{0} {3}", name,
           call.choice(name), filter, free);
  if (call.choice("method") == "single-pass")
    fail(Exit::usage,
         "mips: --method single-pass works only with the plain box filter; leave out{}, or use --method per-level",
         filter);
}

// Rows come before columns at every level, so that tiles, which do not know the size of level 0, take the same order.
static void plan_steps(const Call& call, PlanBuilder& builder, const std::vector<FilterStep>& steps) {
  plan_filter(builder, steps, filtering_of_mips(call), true);
  builder.note("mips: per-level, because a filter needs two passes per level");
}

static void plan_filtered_mips(const Call& call, PlanBuilder& builder, int levels) {
  const int image = builder.current_image();
  const Size base = builder.image(image).size;
  const int first = first_level(builder);
  std::vector<FilterStep> steps;
  for (int level = 1; level < levels; ++level) {
    const int from = call.flag("from-base") ? 0 : level - 1;
    steps.push_back({.name = fmt::format("mips level {}", first + level),
                     .source_image = image,
                     .source_level = from,
                     .from = level_size(base, from),
                     .target_image = image,
                     .target_level = level,
                     .to = level_size(base, level)});
  }
  plan_steps(call, builder, steps);
}

// Makes a region of a level as an image of its own, from a tile of the level above.
static void plan_filtered_tile(const Call& call, PlanBuilder& builder, int level) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size from = builder.whole_size(), to = level_size(from, 1);
  const Region made = builder.made_of(to);
  const int target = builder.add_image({.size = made.size, .depth = image.depth});
  plan_steps(call, builder,
             {{.name = fmt::format("mips level {}", level),
               .source_image = source,
               .from = from,
               .target_image = target,
               .to = to,
               .source = {.corner = builder.input().corner, .size = image.size},
               .target = made}});
  builder.set_current_image(target);
}

static void plan_mips(const Call& call, PlanBuilder& builder) {
  const std::optional<LevelRange>& range = builder.input().levels;
  using Part = LevelRange::Part;
  if (range && range->part == Part::count)
    return plan_coverage_count(builder, range->from == 0, call.number("coverage"));
  if (range && range->part == Part::scale) return plan_coverage_scale(builder);
  const bool makes_one = range && range->part == Part::next;
  if (makes_one && !makes_area_means(call)) return plan_filtered_tile(call, builder, range->from + 1);
  PlanImage& image = builder.image(builder.current_image());
  const int levels = image.level_count = makes_one ? 2 : level_count(call, image.size, first_level(builder));
  if (levels == 1) return builder.note("mips: the image is its only level");
  if (makes_area_means(call)) plan_area_mips(call, builder, levels);
  else plan_filtered_mips(call, builder, levels);
  if (const double coverage = call.number("coverage"); coverage > 0 && !range) plan_coverage(builder, coverage);
}

// Textures repeat beyond their border as the filter took them to. A border that nobody chose replaces no other.
static void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  if (Filter(call.integer("filter")) == Filter::box) return;
  const bool is_chosen = !call.is_default(*call.op->param("border"));
  if (!is_chosen && std::ranges::find(attributes, "wrapmodes", &Attribute::name) != attributes.end()) return;
  constexpr std::string_view modes[] = {"clamp,clamp", "periodic,periodic", "mirror,mirror"};  // of OpenImageIO
  set_text(attributes, "wrapmodes", modes[call.integer("border")]);
}

// The words of --variant, `auto` first.
static std::vector<std::string_view> variant_choices() {
  std::vector<std::string_view> choices{"auto"};
  for (const std::string& name : area_mips_variants()) choices.push_back(name);
  return choices;
}

static SeamValue seam_of(const Call& call) {
  if (call.flag("normal"))
    return normals_of(call) == Normals::length_in_alpha ? SeamValue::weighted_direction : SeamValue::direction;
  switch (Reduce(call.integer("reduce"))) {
    case Reduce::minimum: return SeamValue::minimum;
    case Reduce::maximum: return SeamValue::maximum;
    default: return SeamValue::mean;
  }
}

static Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.seam = seam_of(call);
  if (call.flag("normal")) made.content = Content::data;
  if (normals_of(call) == Normals::length_in_alpha) made.has_alpha = true;
  if (made.size != Size{}) made.level_count = level_count(call, made.size);
  return made;
}

// Region of a level of this size that area means of a region of the next level read.
static Region area_under(const Region& made, Size size) {
  // with an odd side a texel depends on three texels, and shares one with its neighbor
  const auto side = [](int count, int n) { return n == 1 ? 1 : 2 * count + n % 2; };
  return {.corner = {2 * made.corner.x, 2 * made.corner.y},
          .size = {side(made.size.width, size.width), side(made.size.height, size.height)}};
}

// With --from-base, the last levels read all of level 0.
static Footprint footprint(const Call& call, Size) {
  const bool is_free = call.choice("method") != "single-pass" && call.choice("variant") == "auto";
  if (call.flag("from-base") || !is_free) return {};
  Footprint made{.kind = Footprint::Kind::levels};
  if (call.number("coverage") > 0) made.scales_of = scales_of_counts;
  if (makes_area_means(call))
    made.of_level = [](Size from, Size) {
      return Footprint{.region = [from](const Region& region) { return area_under(region, from); }};
    };
  else
    made.of_level = [filtering = filtering_of_mips(call)](Size from, Size to) {
      return filter_footprint(filtering, from, to);
    };
  return made;
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
          {.what = "quads instead of shared memory",
           .claimed = "+5 %",
           .where = talk,
           .sizes = {{1920, 1080}, {2560, 1440}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+quad+load"},
          {.what = "quads instead of shared memory",
           .claimed = "+1 %",
           .where = talk,
           .sizes = {{3840, 2160}},
           .depths = both,
           .slower = "--variant amd-2x2+shared-packed+load",
           .faster = "--variant amd-2x2+quad+load"},
          {.what = "shuffles instead of shared memory",
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

static const Benchmark bench = {.variants = variants,
                                .floor = Floor::third,
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
                                .claims = claims()};

const Op mips_op{
    .name = "mips",
    .doc =
        {.group = OpGroup::size,
         .summary = "Make a mip chain, in one dispatch on a GPU",
         .description =
             "A W x H image gets 1 + floor(log2(max(W, H))) levels. If a side has s texels, it has max(1, floor(s / "
             "2)) in the next level. If s is even, each texel averages two texels along that axis. If s is odd, it "
             "averages three with weights by area, so that every texel of level 0 counts the same. Level 0 is the "
             "input, bit for bit if the pixel type does not change.\nLevels are averaged in linear light with "
             "premultiplied alpha. All channels of the file get levels; uint channels take the nearest texel. With "
             "--fp16, levels with even sides are summed in half, without overflow and without loss near 0; others are "
             "summed in float.\nkaiser, mitchell and lanczos3 keep more detail than box and overshoot at edges; "
             "`gpupost help resize` describes the filters. Filters other than box run one pass per level, in float. "
             "Each level is made from the level above, or with --from-base from level 0. --from-base is slower and "
             "slightly sharper.\n--normal treats R, G and B as data. Integers are not decoded from sRGB, not "
             "multiplied by alpha, and written as they are. Level 1 averages the directions of the image with the "
             "lengths that they have. Every level is normalized, so the next one averages directions of length 1. "
             "With --normal-length alpha, the alpha of a level is the length of the mean, and directions are "
             "multiplied by alpha before they are averaged. A mean of length 0 becomes (0.5, 0.5, 1).\n--coverage is "
             "for textures that are drawn with an alpha test, such as leaves. Without it, leaves get thinner in each "
             "level. With it, the share of the area that passes the test is the same in every level. Coverage is "
             "measured with bilinear samples of alpha, 4 x 4 for each texel. Alpha is multiplied by a factor from 0 "
             "to 4, found in ten bisection steps, and clamped to 0..1. Premultiplied color gets the same factor. "
             "Level 0 and images without alpha do not change.",
         .citation =
             "L. Kramer, Optimizing for the Radeon RDNA Architecture, 2020 (single pass); NVIDIA, Non-Power-of-Two "
             "Mipmap Creation, 2005 (area weights); NVIDIA Texture Tools, scaleAlphaToCoverage (--coverage)",
         .examples = {"", "--levels 3", "--filter kaiser", "--reduce min", "--normal", "--coverage 0.5",
                      "--method single-pass", "--method per-level", "--levels 1", "--reduce max --method single-pass",
                      "--method single-pass --levels 2", "--method single-pass --levels 6",
                      "--filter lanczos3 --hicomp --border repeat", "--filter mitchell --from-base --border mirror",
                      "--filter triangle", "--hicomp", "--normal --normal-length alpha --filter mitchell",
                      "--coverage 0.3 --filter kaiser", "--filter lanczos3 --ringing keep"}},
    .params =
        {{.name = "method",
          .help = "single-pass makes all levels in one dispatch, per-level takes one dispatch per level; auto takes "
                  "the fastest, which on a GPU may be two dispatches, or one for the last levels",
          .kind = ParamKind::choice,
          .choices = {"auto", "single-pass", "per-level"}},
         {.name = "variant",
          .help = "Algorithm of the single pass, as ACCESS+EXCHANGE+FETCH; `gpupost bench mips --list` names all",
          .kind = ParamKind::choice,
          .choices = variant_choices(),
          .is_for_measuring = true},
         {.name = "reduce",
          .help = "Value of a texel: the mean, minimum or maximum of the texels it covers; min and max make a depth "
                  "pyramid (Hi-Z)",
          .kind = ParamKind::choice,
          .choices = {"mean", "min", "max"}},
         {.name = "levels",
          .help = "Number of levels, level 0 included; 0 makes all levels down to 1 x 1. One EXR holds one level "
                  "or all. For another number, each level gets its own EXR, and -o needs {level}",
          .kind = ParamKind::integer,
          .default_value = 0,
          .min = 0,
          .max = 16},
         filter_param(Filter::box),
         border_param(),
         hicomp_param(),
         ringing_param(),
         {.name = "normal",
          .help = "Treat the image as a normal map: average the directions 2 c - 1 and normalize each mean to length 1",
          .kind = ParamKind::flag,
          .is_for_color = true},
         {.name = "normal-length",
          .help = "Length of the mean direction before it is normalized: drop it, or store it in alpha (for roughness)",
          .kind = ParamKind::choice,
          .choices = {"drop", "alpha"},
          .is_for_color = true,
          .effect = {.in = [](const Call& call) { return call.flag("normal"); }, .requirement = "--normal"}},
         {.name = "from-base",
          .help = "Filter every level from level 0 instead of from the level above",
          .kind = ParamKind::flag},
         {.name = "coverage",
          .help = "Threshold of the alpha test; every level keeps the coverage of level 0. 0 is off",
          .kind = ParamKind::number,
          .default_value = 0,
          .min = 0,
          .max = 0.999,
          .is_for_color = true}},
    .check = check,
    .makes = Makes::levels,
    .channels = Channels::all,
    .needs = [](const Call& call) { return Needs{.alpha_option = call.number("coverage") > 0 ? "--coverage" : ""}; },
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_mips,
    .bench = &bench,
};

}  // namespace gpupost
