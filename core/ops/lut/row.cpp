// Colors through the table of a .cube file: row and definition. Files are read by core/ops/lut/cube_file.cpp.
#include "core/ops/lut/row.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/glsl/shader_text.h"
#include "core/image/to_working.h"
#include "core/op/benchmark.h"
#include "core/op/point.h"
#include "core/ops/lut/cube_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpupost {

double log_shaped(double light) {
  return light <= 0.0078125 ? 10.5402377416545 * light + 0.0729055341958355 : (std::log2(light) + 9.72) / 17.52;
}

double light_of_log(double number) {
  return number <= 0.155251141552511 ? (number - 0.0729055341958355) / 10.5402377416545
                                     : std::exp2(number * 17.52 - 9.72);
}

namespace {

using Rgb = std::array<double, 3>;

// Where a color lies: the entry before it on each axis, and its share of the way to the next one.
struct Place {
  std::array<size_t, 3> entry;
  Rgb share;
};

Place place_of(const ColorTable& table, const Rgb& c) {
  Place place;
  for (size_t k = 0; k < 3; ++k) {
    const double inside = std::clamp((c[k] - table.min[k]) / (table.max[k] - table.min[k]), 0.0, 1.0);
    const double at = inside * (table.size - 1);
    place.entry[k] = std::min(size_t(at), size_t(table.size - 2));
    place.share[k] = at - double(place.entry[k]);
  }
  return place;
}

Rgb through_curve(const ColorTable& curve, const Rgb& c) {
  const Place place = place_of(curve, c);
  Rgb made;
  for (size_t k = 0; k < 3; ++k)
    made[k] = (1 - place.share[k]) * double(curve.values[3 * place.entry[k] + k]) +
              place.share[k] * double(curve.values[3 * place.entry[k] + 3 + k]);
  return made;
}

// The corner of the cell that lies `offset` (0 or 1 on each axis) from its first.
Rgb corner(const ColorTable& cube, const Place& place, const std::array<size_t, 3>& offset) {
  const auto side = size_t(cube.size);
  const size_t at =
      3 * (place.entry[0] + offset[0] + side * (place.entry[1] + offset[1] + side * (place.entry[2] + offset[2])));
  return {double(cube.values[at]), double(cube.values[at + 1]), double(cube.values[at + 2])};
}

// From the first corner to the last one along the axes, that of the largest share first.
Rgb tetrahedral(const ColorTable& cube, const Place& place) {
  std::array<size_t, 3> axes{0, 1, 2}, offset{};
  std::ranges::stable_sort(axes, std::greater(), [&](size_t axis) { return place.share[axis]; });
  Rgb made = corner(cube, place, offset), before = made;
  for (const size_t axis : axes) {
    offset[axis] = 1;
    const Rgb here = corner(cube, place, offset);
    for (size_t k = 0; k < 3; ++k) made[k] += place.share[axis] * (here[k] - before[k]);
    before = here;
  }
  return made;
}

Rgb trilinear(const ColorTable& cube, const Place& place) {
  Rgb made{};
  for (size_t index = 0; index < 8; ++index) {
    const std::array<size_t, 3> offset{index & 1, index >> 1 & 1, index >> 2};
    double weight = 1;
    for (size_t axis = 0; axis < 3; ++axis) weight *= offset[axis] ? place.share[axis] : 1 - place.share[axis];
    for (size_t k = 0; k < 3; ++k) made[k] += weight * corner(cube, place, offset)[k];
  }
  return made;
}

std::shared_ptr<const CubeFile> file_of(const Call& call) {
  return std::static_pointer_cast<const CubeFile>(call.shader->origin);
}

// What a call does with a color that is not premultiplied.
struct Lookup {
  std::shared_ptr<const CubeFile> file;  // shared with call.shader
  bool is_srgb = false, is_log = false, is_tetrahedral = false;

  explicit Lookup(const Call& call)
      : file(file_of(call)),
        is_srgb(call.flag("srgb")),
        is_log(call.flag("log-shaper")),
        is_tetrahedral(call.choice("interpolation") == "tetrahedral") {}

  Rgb operator()(Rgb c) const {
    if (is_srgb) std::ranges::transform(c, c.begin(), srgb_encode);
    if (is_log) std::ranges::transform(c, c.begin(), log_shaped);
    if (file->curve.size > 0) c = through_curve(file->curve, c);
    if (file->cube.size > 0) {
      const Place place = place_of(file->cube, c);
      c = is_tetrahedral ? tetrahedral(file->cube, place) : trilinear(file->cube, place);
    }
    if (is_srgb) std::ranges::transform(c, c.begin(), srgb_decode);
    return c;
  }
};

std::function<Color(const Color&)> texel(const Call& call, const Planes&) {
  return [look_up = Lookup(call)](const Color& c) -> Color {
    const Rgb rgb{c[0], c[1], c[2]};
    if (std::ranges::any_of(rgb, [](double number) { return std::isnan(number); })) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      return {nan, nan, nan, c[3]};
    }
    Rgb made = look_up(rgb);
    if (is_transparent(c[3])) {  // black stays black
      const Rgb of_black = look_up({});
      for (size_t k = 0; k < 3; ++k) made[k] -= of_black[k];
    }
    return {made[0], made[1], made[2], c[3]};
  };
}

// The place in a table is rounded, so the input counts as off by that; shapers add the error of logarithms and powers. The
// sum of the corners is rounded by a share of the largest entry.
std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const CubeFile& file = *file_of(call);
  const bool has_shaper = call.flag("srgb") || call.flag("log-shaper");
  double largest = 0, domain = 0;
  for (const float value : (file.cube.size > 0 ? file.cube : file.curve).values)
    largest = std::max(largest, std::abs(double(value)));
  if (call.flag("srgb")) largest = std::max(largest, srgb_decode(largest));
  for (const ColorTable* table : {&file.curve, &file.cube})
    for (size_t k = 0; k < 3; ++k) domain = std::max({domain, std::abs(table->min[k]), std::abs(table->max[k])});
  Planes off = error;
  for (size_t c = 0; c < 3; ++c)
    for (size_t index = 0; index < off[c].values.size(); ++index) {
      const double number = std::abs(base[c].values[index]), alpha = std::abs(base[3].values[index]);
      const double place = 0x1p-20 * domain * (std::isfinite(alpha) && !is_transparent(alpha) ? alpha : 1);
      if (std::isfinite(number)) off[c].values[index] += (has_shaper ? 0x1p-15 : 0x1p-21) * number + place;
    }
  std::vector<Planes> made = point_tolerance(call, base, off, depth);
  for (size_t c = 0; c < 3; ++c)
    for (size_t index = 0; index < off[c].values.size(); ++index) {
      const double alpha = std::abs(base[3].values[index]);
      made[0][c].values[index] += 0x1p-19 * largest * (std::isfinite(alpha) ? std::max(1.0, alpha) : 1);
    }
  return made;
}

std::string constants_of(const Call& call, const CubeFile& file) {
  std::string text = fmt::format("const bool @is_srgb = {}, @is_log = {}, @is_trilinear = {};\n", call.flag("srgb"),
                                 call.flag("log-shaper"), call.choice("interpolation") == "trilinear");
  for (const auto& [name, table] : {std::pair("curve", &file.curve), {"cube", &file.cube}}) {
    const auto vector = [](const Rgb& c) {
      return fmt::format("vec3({:#.9g}, {:#.9g}, {:#.9g})", float(c[0]), float(c[1]), float(c[2]));
    };
    text += fmt::format("const int @{0}_size = {1};\nconst vec3 @{0}_min = {2}, @{0}_max = {3};\n", name, table->size,
                        vector(table->min), vector(table->max));
  }
  return text;
}

// The entries of a table, or of one that the file lacks a number that nothing reads.
PointTable numbers_of(std::string name, const std::shared_ptr<const CubeFile>& file, const ColorTable& table) {
  if (table.size == 0) return {std::move(name), std::make_shared<const std::vector<float>>(1, 0.0f)};
  return {std::move(name), std::shared_ptr<const std::vector<float>>(file, &table.values)};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = by_values(call, inputs);
  const bool makes_light = call.flag("srgb") || call.flag("linear");
  if (!makes_light) made.content = Content::numbers;
  else if (made.content == Content::numbers) made.content = Content::color;
  made.encoding.reset();
  return made;
}

void prepare(Call& call) {
  const std::string& name = call.word("file");
  const auto file = std::make_shared<const CubeFile>(parse_cube(call.source, name));
  call.source.clear();
  call.shader = std::make_shared<const FusedPoint>(
      FusedPoint{.name = "lut",
                 .text = constants_of(call, *file) + std::string(kernel_text("lut/lut.glsl")),
                 .author = Author::gpupost,
                 .file = name,
                 .tables = {numbers_of("curve", file, file->curve), numbers_of("cube", file, file->cube)},
                 .origin = file,
                 .alpha = PointAlpha::straight});
}

// --- the benchmark ----------------------------------------------------------------------------------------------------

// A 3-D table of the usual size that brightens middle values.
std::string usual_file() {
  ColorTable cube{.size = 33, .values = {}};
  for (int blue = 0; blue < cube.size; ++blue)
    for (int green = 0; green < cube.size; ++green)
      for (int red = 0; red < cube.size; ++red)
        for (const int entry : {red, green, blue})
          cube.values.push_back(std::sqrt(float(entry) / float(cube.size - 1)));
  return cube_text(cube, "bench");
}

const Benchmark bench = {.sizes = {{1920, 1080}},
                         .cpu_sizes = {{1024, 1024}},
                         .depths = {Depth::half, Depth::f32},
                         .arguments = "bench.cube",
                         .file = usual_file};

}  // namespace

const Op lut_op = point_op({
    .name = "lut",
    .doc = {.group = OpGroup::color,
            .summary = "Look up colors in a table (a .cube file)",
            .description =
                "Reads 1-D tables, 3-D tables of up to 256 entries per side, and files with a 1-D table before a 3-D "
                "table. The table gets straight color, in the input's own primaries unless an earlier op converts "
                "them: after `stats`, they are Rec. 709. A color outside the table's domain "
                "takes the nearest color inside.\nThe table gets linear light, unless --srgb or --log-shaper encodes "
                "it. ACEScct of x is (log2(x) + 9.72) / 17.52, or 10.5402377416545 x + 0.0729055341958355 up to x = "
                "0.0078125. With --srgb or --linear, the result is linear light, and any op may follow. Otherwise the "
                "result is encoded values, which are written as they are. Then only these ops may follow: `stats`, ops "
                "that move texels, such as `crop`, and ops that compute each texel alone, such as `clamp`. Not allowed "
                "are ops that need luminance or known primaries, such as `saturation`, and the op `point`. A NaN in R, "
                "G or B makes the texel NaN. `ocio --file` reads other formats.",
            .citation = "Adobe, Cube LUT Specification 1.0; S-2016-001 (ACEScct); IEC 61966-2-1 (sRGB)",
            .examples = {"testdata/look.cube", "testdata/look.cube --interpolation trilinear --srgb",
                         "testdata/look.cube --log-shaper --linear"}},
    .params = {{.name = "file",
                .help = "Table to read",
                .kind = ParamKind::text,
                .form = {.syntax = "FILE.cube",
                         .matches = [](std::string_view text) { return lower_case(text).ends_with(".cube"); }},
                .presence = Presence::required,
                .is_positional = true},
               {.name = "interpolation",
                .help = "Interpolation between the entries of a 3-D table",
                .kind = ParamKind::choice,
                .choices = {"tetrahedral", "trilinear"}},
               {.name = "srgb",
                .help = "Encode light as sRGB before the table and decode its result; for tables made for 8-bit images",
                .kind = ParamKind::flag},
               {.name = "log-shaper",
                .help = "Encode light as ACEScct before the table; light from -0.007 to 223 becomes 0 to 1",
                .kind = ParamKind::flag,
                .effect = {[](const Call& call) { return !call.flag("srgb"); }, "with --srgb; leave one of them out"}},
               {.name = "linear",
                .help = "Treat the table's result as linear light, so that any op may follow",
                .kind = ParamKind::flag,
                .effect = {[](const Call& call) { return !call.flag("srgb"); }, "with --srgb; leave one of them out"}}},
    .prepare = prepare,
    .needs = [](const Call&) { return Needs{.file = "file", .most_file_bytes = size_t(640) << 20}; },
    .output = output,
    .reference = {.tolerance = tolerance},
    .point = Point{.alpha = PointAlpha::straight, .texel = texel},
    .bench = &bench,
});

}  // namespace gpupost
