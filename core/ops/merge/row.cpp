// A second picture over, under or mixed with the picture: its row, its definition and its pass.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
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

// In the order of the choices of --mode.
enum class Mode { over, under, add, subtract, multiply, divide, screen, min, max, difference, mix, mask, stencil };

constexpr int largest_offset = 65536;

// A larger offset becomes one that check() refuses. Nothing if the word is invalid.
std::optional<Position> offset_of(std::string_view word) {
  if (word.empty()) return Position{};
  const std::optional<std::vector<double>> numbers = list_of_numbers(word);
  const auto is_whole = [](double n) { return n == std::round(n); };
  if (!numbers || numbers->size() != 2 || !std::ranges::all_of(*numbers, is_whole)) return {};
  const auto clamped = [](double n) { return int(std::clamp(n, -1.0 - largest_offset, 1.0 + largest_offset)); };
  return Position{clamped(numbers->front()), clamped(numbers->back())};
}

void check(const Call& call) {
  const Position offset = *offset_of(call.word("offset"));
  if (std::abs(offset.x) > largest_offset || std::abs(offset.y) > largest_offset)
    fail(Exit::usage, "merge: --offset {} is too far; expected X and Y in {}..{}", call.word("offset"), -largest_offset,
         largest_offset);
}

// Where texel (0, 0) of the picture, which has this size, lies in the second one.
Position corner_in(const Call& call, const InputPicture& second, Size size) {
  const Window data = windows_before(call, size).data, other = second.picture.windows.data;
  const bool has_window = size_of(other) == second.picture.size;
  const Position offset = *offset_of(call.word("offset"));
  return {data.min_x - (has_window ? other.min_x : 0) - offset.x,
          data.min_y - (has_window ? other.min_y : 0) - offset.y};
}

// --- the definition -------------------------------------------------------------------------------------------------

// A share of 0 takes nothing, of infinite light too.
double share_of(double light, double share) { return share == 0 ? 0 : as_float(light * share); }

// d / s of straight colors, times da sa: 0 where s is 0. Devices may take denormals as 0.
double quotient_of(double d, double s, double sa) { return std::abs(s) < 0x1p-126 ? 0 : as_float(d * sa * sa / s); }

// Premultiplied: `s` of the second picture, its opacity applied, `d` of the picture. Where both are there, most modes blend straight
// colors, elsewhere each stays: W3C, Compositing and Blending Level 1.
Color merged(Mode mode, double opacity, const Color& s, const Color& d) {
  const double sa = coverage_of(s[3]), da = coverage_of(d[3]);
  Color made{};
  for (size_t k = 0; k < 3; ++k) {
    const double beside = as_float(share_of(s[k], 1 - da) + share_of(d[k], 1 - sa));
    const double a = as_float(s[k] * da), b = as_float(d[k] * sa);
    switch (mode) {
      case Mode::over: made[k] = s[k] + share_of(d[k], 1 - sa); break;
      case Mode::under: made[k] = d[k] + share_of(s[k], 1 - da); break;
      case Mode::add: made[k] = s[k] + d[k]; break;
      case Mode::subtract: made[k] = d[k] - s[k]; break;
      case Mode::multiply: made[k] = beside + as_float(s[k] * d[k]); break;
      case Mode::divide: made[k] = share_of(d[k], 1 - sa) + quotient_of(d[k], s[k], sa); break;
      case Mode::screen: made[k] = as_float(s[k] + d[k]) - as_float(std::min(s[k], sa) * std::min(d[k], da)); break;
      case Mode::min: made[k] = beside + (a < b ? a : b); break;
      case Mode::max: made[k] = beside + (a < b ? b : a); break;
      case Mode::difference: made[k] = beside + as_float(std::abs(a - b)); break;
      case Mode::mix: made[k] = s[k] + share_of(d[k], 1 - opacity); break;
      case Mode::mask: made[k] = share_of(d[k], sa); break;
      case Mode::stencil: made[k] = share_of(d[k], 1 - sa); break;
    }
  }
  switch (mode) {
    case Mode::add: made[3] = std::max(sa, da); break;
    case Mode::subtract:
    case Mode::divide: made[3] = d[3]; break;
    case Mode::mix: made[3] = sa + (1 - opacity) * da; break;
    case Mode::mask: made[3] = da * sa; break;
    case Mode::stencil: made[3] = da * (1 - sa); break;
    default: made[3] = sa == 1 ? 1 : da + as_float(sa * (1 - da));  // opaque stays opaque, beside any alpha
  }
  return as_floats(made);
}

// Calls made(index, c, s, merge) for each texel: c of the picture, s of the second one, `merge` the function of c. Outside the second
// picture `otherwise(index, c)` is made; a mask is transparent there.
template <class Made, class Otherwise>
Planes each_texel(const Call& call, const Planes& base, const Made& made, const Otherwise& otherwise) {
  const Size size = size_of(base);
  const InputPicture& second = call.inputs[0];
  const Planes other = planes_of(*second.texels, second.picture.depth);
  const Position corner = corner_in(call, second, size);
  const auto mode = Mode(call.integer("mode"));
  return made_of_texels(size, [&](size_t index) -> Color {
    const Color c = color_at(base, index);
    const int x = int(index) % size.width + corner.x, y = int(index) / size.width + corner.y;
    const Size limits = size_of(other);
    if (x < 0 || y < 0 || x >= limits.width || y >= limits.height)
      return mode == Mode::mask ? Color{} : otherwise(index, c);
    Color s = color_at(other, size_t(y) * size_t(limits.width) + size_t(x));
    for (double& number : s) number = share_of(number, call.number("opacity"));
    return made(index, c, s, [&](const Color& d) { return merged(mode, call.number("opacity"), s, d); });
  });
}

std::vector<Planes> reference(const Call& call, Planes base) {
  return {each_texel(
      call, base, [](size_t, const Color& c, const Color&, const auto& merge) { return merge(c); },
      [](size_t, const Color& c) { return c; })};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  return {each_texel(
      call, base,
      [&](size_t index, const Color& c, const Color& s, const auto& merge) {
        const Color made = merge(c);
        Color sum = moved_by(merge, c, color_at(error, index));
        for (size_t k = 0; k < 4; ++k) {
          // that of each product and sum of the formulas
          const double size =
              (std::abs(s[k]) + std::abs(c[k])) * (1 + std::abs(coverage_of(s[3])) + std::abs(coverage_of(c[3]))) +
              std::abs(s[k] * c[k]) + std::abs(made[k]);
          sum[k] += rounding(std::abs(made[k]), depth) + (std::isfinite(size) ? 0x1p-21 * size : 0);
        }
        return sum;
      },
      [&](size_t index, const Color& c) {
        Color sum = color_at(error, index);
        for (size_t k = 0; k < 4; ++k) sum[k] += rounding(std::abs(c[k]), depth);
        return sum;
      })};
}

// --- the pass -------------------------------------------------------------------------------------------------------

// The part of the second image below a tile of this size, whose texel (0, 0) lies at `corner` of it. At least one texel.
Region part_below(Size tile, Position corner, Size second) {
  const auto range = [](int first, int count, int limit) {
    const int from = std::clamp(first, 0, limit - 1);
    return std::pair{from, std::clamp(first + count, from + 1, limit) - from};
  };
  const auto [x, width] = range(corner.x, tile.width, second.width);
  const auto [y, height] = range(corner.y, tile.height, second.height);
  return {{x, y}, {width, height}};
}

void plan_merge(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const InputPicture second = second_picture(call, 0, builder.whole_size(), builder.input().storage);
  Position corner = corner_in(call, second, builder.whole_size());
  corner = {corner.x + builder.input().corner.x, corner.y + builder.input().corner.y};
  const Region below = part_below(image.size, corner, second.picture.size);
  const int other = builder.add_region(second, below);
  builder.add_result({.name = "merge",
                      .kernel = "merge/merge.glsl",
                      .defines = {{"MODE", call.integer("mode"), call.op->param("mode")->choices}},
                      .values = {{"end_x", image.size.width},
                                 {"end_y", image.size.height},
                                 {"corner_x", corner.x - below.corner.x},
                                 {"corner_y", corner.y - below.corner.y},
                                 {"other_width", below.size.width},
                                 {"other_height", below.size.height},
                                 {"opacity", float(call.number("opacity"))}},
                      .grid = {.count = {div_ceil(image.size.width, 64), div_ceil(image.size.height, 16)}},
                      .source = {.image = source},
                      .more_sources = {other},
                      .access = {.can_be_in_place = builder.writes_in_place()},
                      .memory = {.bytes_read = 2 * bytes_of_level(image, 0)}},
                     {.size = image.size, .depth = image.depth});
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = by_values(call, inputs);
  const auto mode = Mode(call.integer("mode"));
  if (mode == Mode::mask || mode == Mode::stencil) made.has_alpha = true;
  if (mode == Mode::mix && inputs.size() > 1) made.has_alpha |= inputs[1].has_alpha;
  if (mode == Mode::add && inputs.size() > 1) made.may_be_transparent |= inputs[1].has_alpha;  // alpha above 1 stays
  return made;
}

Needs needs(const Call& call) {
  Needs made = needs_rec709(call);
  const auto mode = Mode(call.integer("mode"));
  made.pictures.push_back({.path = call.word("with"),
                           .alpha_option = mode == Mode::mask      ? "--mode mask"
                                           : mode == Mode::stencil ? "--mode stencil"
                                                                   : ""});
  return made;
}

}  // namespace

static const Benchmark bench = {.sizes = {{1920, 1080}, {3840, 2160}},
                                .cpu_sizes = {{1024, 1024}},
                                .depths = {Depth::half, Depth::f32},
                                .arguments = "--with second.exr"};

extern const Op merge_op;
const Op merge_op{
    .name = "merge",
    .doc =
        {.group = OpGroup::combine,
         .summary = "Combine the image with a second image: over, under, add, multiply and more",
         .description =
             "--with names the second image. {frame} in its name is replaced by the frame number of the input. The "
             "second image lies at its data window, moved by --offset. The result has the windows of the input: parts "
             "of the second image outside of them are cut off. Where there is no second image, the input does not "
             "change; with mask it becomes transparent.\nmultiply, screen, min, max and difference blend straight "
             "colors where both images have alpha, as CSS blend modes do. screen is a + b - min(a, 1) min(b, 1), where "
             "a and b are the two colors. divide mixes the input with the quotient of the straight colors, by the "
             "alpha of the second image; a division by 0 gives 0. It keeps the alpha of the input, so the second image "
             "does not show where the input is transparent. add adds premultiplied light and keeps the larger alpha. "
             "subtract subtracts the premultiplied light of the second image and keeps the alpha of the input; results "
             "may be negative. mix is --opacity times the second image plus (1 - opacity) times the input. mask keeps "
             "the input where the second image is opaque, and stencil where it is transparent. Images with other "
             "primaries are first converted to Rec. 709.",
         .citation = "Porter and Duff, Compositing Digital Images, 1984; W3C, Compositing and Blending Level 1",
         .examples = {"--with testdata/alpha.png", "--with testdata/alpha.png --mode under --opacity 0.5",
                      "--with testdata/alpha.png --mode add --offset 3,-2", "--with testdata/alpha.png --mode multiply",
                      "--with testdata/alpha.png --mode screen", "--with testdata/alpha.png --mode min",
                      "--with testdata/alpha.png --mode max --offset -5,4",
                      "--with testdata/alpha.png --mode difference",
                      "--with testdata/alpha.png --mode mix --opacity 0.25",
                      "--with testdata/alpha.png --mode subtract", "--with testdata/alpha.png --mode divide",
                      "--with testdata/alpha.png --mode mask", "--with testdata/alpha.png --mode stencil"}},
    .params = {{.name = "with",
                .help = "Second image",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE", .matches = [](std::string_view text) { return !text.empty(); }},
                .presence = Presence::required},
               {.name = "mode",
                .help = "How to combine the images; over puts the second image above the input, under below it",
                .kind = ParamKind::choice,
                .choices = {"over", "under", "add", "subtract", "multiply", "divide", "screen", "min", "max",
                            "difference", "mix", "mask", "stencil"}},
               {.name = "offset",
                .help = "Texels to move the second image right (X) and down (Y); default 0,0",
                .kind = ParamKind::text,
                .form = {.syntax = "X,Y",
                         .matches = [](std::string_view text) { return offset_of(text).has_value(); }}},
               {.name = "opacity",
                .help = "Factor for color and alpha of the second image",
                .default_value = 1,
                .min = 0,
                .max = 1}},
    .check = check,
    .needs = needs,
    .output = output,
    .footprint = [](const Call&, Size) { return Footprint{.kind = Footprint::Kind::around}; },
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_merge,
    .bench = &bench,
};

}  // namespace gpupost
