#include "core/ops/mips/row.h"
#include "core/base/error.h"
#include "core/image/attributes.h"
#include "core/ops/mips/bench.h"
#include "core/ops/mips/coverage_reference.h"
#include "core/ops/mips/passes.h"
#include "core/ops/mips/reference.h"
#include "core/ops/mips/variants.h"
#include "core/ops/shared/filter_passes.h"

#include <algorithm>

namespace gpupost {

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
  if (call.flag("bleed") && call.flag("normal"))
    fail(Exit::usage, "mips: --bleed is for color with alpha, and --normal is for directions; leave one out");
  if (call.flag("bleed") && call.choice("reduce") == "min")
    fail(Exit::usage,
         "mips: --bleed takes color from texels with alpha, and --reduce min makes levels without them; leave one out");
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
  for (const std::string& name : mips_variant_names()) choices.push_back(name);
  return choices;
}

static SeamValue seam_of(const Call& call) {
  if (call.flag("normal"))
    return mips_normals(call) == Normals::length_in_alpha ? SeamValue::weighted_direction : SeamValue::direction;
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
  if (mips_normals(call) == Normals::length_in_alpha) made.has_alpha = true;
  if (call.flag("bleed")) made.colors_transparent = true;
  if (made.size != Size{}) made.level_count = mip_level_count(call, made.size);
  return made;
}

// Region of a level of this size that area means of a region of the next level read.
static Region area_under(const Region& made, Size size) {
  // with an odd side a texel depends on three texels, and shares one with its neighbor
  const auto side = [](int count, int n) { return n == 1 ? 1 : 2 * count + n % 2; };
  return {.corner = {2 * made.corner.x, 2 * made.corner.y},
          .size = {side(made.size.width, size.width), side(made.size.height, size.height)}};
}

// With --from-base, the last levels read all of level 0. With --bleed, color comes from any distance.
static Footprint footprint(const Call& call, Size) {
  const bool is_free = call.choice("method") != "single-pass" && call.choice("variant") == "auto";
  if (call.flag("from-base") || call.flag("bleed") || !is_free) return {};
  Footprint made{.kind = Footprint::Kind::levels};
  if (call.number("coverage") > 0) made.scales_of = scales_of_counts;
  if (makes_area_means(call))
    made.of_level = [](Size from, Size) {
      return Footprint{.region = [from](const Region& region) { return area_under(region, from); }};
    };
  else
    made.of_level = [filtering = mips_filtering(call)](Size from, Size to) {
      return filter_footprint(filtering, from, to);
    };
  return made;
}

static const Benchmark bench = mips_benchmark();

const Op mips_op{
    .name = "mips",
    .doc =
        {.group = OpGroup::size,
         .summary = "Make a mip chain",
         .description =
             "A W x H image gets 1 + floor(log2(max(W, H))) levels. If a side has s texels, it has max(1, floor(s / "
             "2)) in the next level. If s is even, each texel averages two texels along that axis. If s is odd, it "
             "averages three with weights by area, so that every texel of level 0 counts the same. Level 0 is the "
             "input, bit for bit if the pixel type does not change.\nLevels are averaged in linear light with "
             "premultiplied alpha. All channels of the file get levels; uint channels and Cryptomattes take "
             "the nearest texel. With --fp16, levels with even sides are summed in half, without overflow and without "
             "loss near 0; others are "
             "summed in float.\nkaiser, mitchell and lanczos3 keep more detail than box and overshoot at edges; "
             "`gpupost help resize` describes the filters. Filters other than box run one pass per level, in float. "
             "Each level is made from the level above, or with --from-base from level 0. --from-base is slower and "
             "slightly sharper.\n--normal treats R, G and B as data. Integers are not decoded from sRGB, not "
             "multiplied by alpha, and written as they are. Values below 0 are an error, and those above 1 count as 1. "
             "Level 1 does not normalize the image first, so a longer vector counts more. Every level is normalized, "
             "so "
             "later levels "
             "average vectors of length 1. "
             "With --normal-length alpha, the alpha of a level is the length of the mean, and directions are "
             "multiplied by alpha before they are averaged. A mean of length 0 becomes (0.5, 0.5, 1).\n--coverage is "
             "for textures that are drawn with an alpha test, such as leaves. Without it, leaves get thinner in each "
             "level. With it, every level passes the test on the same share of its area. The share is measured "
             "between the centers of the texels, by 4 x 4 bilinear samples of alpha in each square of four texels. "
             "The outer half of the border texels does not count, as in NVIDIA Texture Tools; in levels of less than "
             "about 16 texels a side, a drawn texture can differ by that. Alpha is multiplied by a factor from 0 to "
             "4, found in ten bisection steps, and clamped to 0..1. Premultiplied color gets the same factor. Level 0 "
             "and images without alpha do not change.\n--bleed fills every level as the op `bleed` does, level 0 too. "
             "It needs the whole image, so it cannot run in tiles. --fp16 and --storage fp16 can make the last levels "
             "black, because half rounds a very small alpha to 0. Levels of --reduce min may have no visible texel, "
             "so --bleed does not take it.",
         .citation =
             "L. Kramer, Optimizing for the Radeon RDNA Architecture, 2020 (single pass); NVIDIA, Non-Power-of-Two "
             "Mipmap Creation, 2005 (area weights); NVIDIA Texture Tools, scaleAlphaToCoverage (--coverage)",
         .examples = {"",
                      "--levels 3",
                      "--filter kaiser",
                      "--reduce min",
                      "--normal",
                      "--coverage 0.5 --bleed",
                      "--coverage 0.5",
                      "--method single-pass",
                      "--method per-level",
                      "--levels 1",
                      "--reduce max --method single-pass",
                      "--method single-pass --levels 2",
                      "--method single-pass --levels 6",
                      "--filter lanczos3 --hicomp --border repeat",
                      "--filter mitchell --from-base --border mirror",
                      "--filter triangle",
                      "--hicomp",
                      "--normal --normal-length alpha --filter mitchell",
                      "--coverage 0.3 --filter kaiser",
                      "--filter lanczos3 --ringing keep"}},
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
          .help =
              "Number of levels, level 0 included; 0, or more than the image has, makes all levels down to 1 x 1. "
              "One EXR holds one level or all. For another number, each level gets its own EXR, and -o needs {level}",
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
          .is_for_color = true},
         {.name = "bleed",
          .help = "Give texels with alpha 0 the color around them in every level, as the op `bleed` does",
          .kind = ParamKind::flag,
          .is_for_color = true}},
    .check = check,
    .makes = Makes::levels,
    .channels = Channels::all,
    .needs =
        [](const Call& call) {
          const bool covers = call.number("coverage") > 0;
          return Needs{.floats = call.flag("bleed") ? FloatStorage::always
                                 : covers           ? FloatStorage::of_bytes
                                                    : FloatStorage::never,
                       .alpha_option = covers               ? "--coverage"
                                       : call.flag("bleed") ? "--bleed"
                                                            : ""};
        },
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = mip_levels, .tolerance = mip_levels_tolerance},
    .plan = plan_mips,
    .bench = &bench,
};

}  // namespace gpupost
