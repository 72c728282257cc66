// Depth of field: its row and its passes.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/ops/dof/reference.h"
#include "core/plan/builder.h"
#include "core/plan/kernel_choices.h"

#include <cmath>
#include <limits>
#include <optional>

namespace gpupost {

namespace {

// "X,Y"
std::optional<Position> texel_of(std::string_view word) {
  const std::optional<std::vector<int>> texel = whole_numbers(word, ",");
  return texel ? std::optional(Position{texel->at(0), texel->at(1)}) : std::nullopt;
}

bool is_a_name(std::string_view word) { return !word.empty(); }

bool is_polygon(const Call& call) { return call.integer("blades") > 0; }

// Meters to what is sharp: given, or those of a texel.
double focus_of(const Call& call) {
  const std::string& at = call.word("focus-at");
  if (at.empty()) return call.has("focus") ? call.number("focus") : call.op->param("focus")->default_value;
  if (!call.depth) return call.op->param("focus")->default_value;  // not read yet: the plan is only shown
  const Position texel = *texel_of(at);
  const Size size = call.depth->size;
  if (texel.x >= size.width || texel.y >= size.height)
    fail(Exit::usage, "dof: --focus-at {} is outside the image, which is {} x {}", at, size.width, size.height);
  const double depth = call.depth->values[size_t(texel.y) * size_t(size.width) + size_t(texel.x)];
  if (!(depth > 0)) return std::numeric_limits<double>::infinity();
  const double scale = call.number("depth-scale"), focus = call.flag("depth-invert") ? scale / depth : scale * depth;
  if (!(focus > call.number("focal-length") / 1000))
    fail(Exit::usage, "dof: --focus-at {} is {} m away; expected more than the focal length, {} mm", at, focus,
         call.number("focal-length"));
  return focus;
}

DepthOfField field_of(const Call& call) {
  return {.lens = {.f_stop = call.number("f-stop"),
                   .focal_length = call.number("focal-length") / 1000,
                   .focus = focus_of(call),
                   .sensor_width = call.number("sensor-width") / 1000},
          .aperture = {.blades = call.integer("blades"),
                       .rotation = call.number("rotation"),
                       .roundness = call.number("roundness"),
                       .max_radius = call.integer("max-radius")},
          .is_inverse = call.flag("depth-invert"),
          .scale = call.number("depth-scale"),
          .show = Show(call.integer("show")),
          .frame_width = size_of(call.windows.display).width,
          .is_half = call.choice("resolution") == "half"};
}

void check(const Call& call) {
  if (const int blades = call.integer("blades"); blades == 1 || blades == 2)
    fail(Exit::usage, "dof: --blades {} gives no polygon; expected 0 for a disk, or at least 3", blades);
  if (call.has("focus") && !call.word("focus-at").empty())
    fail(Exit::usage, "dof: --focus and --focus-at are both given; expected one of them");
  if (!call.word("focus-at").empty()) return;
  if (const double focus = focus_of(call); focus <= call.number("focal-length") / 1000)
    fail(Exit::usage, "dof: --focus {} m is not farther than the focal length, {} mm", focus,
         call.number("focal-length"));
}

std::vector<Planes> reference(const Call& call, Planes base) {
  return {through_lens(base, *call.depth, field_of(call))};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  return {through_lens_tolerance(base, error, *call.depth, field_of(call), depth)};
}

// --- the passes -----------------------------------------------------------------------------------------------------

constexpr int tile_side = 16;

std::array<int, 2> tiles_of(Size size) { return {div_ceil(size.width, tile_side), div_ceil(size.height, tile_side)}; }

int reserve_tiles(PlanBuilder& builder, std::array<int, 2> tiles) {
  return builder.reserve_statistics(2 * sizeof(uint32_t) * size_t(tiles[0]) * size_t(tiles[1]), false);
}

void add_areas(const Aperture& aperture, PassSpec& pass) {
  const std::vector<double> areas = areas_of(aperture);
  pass.defines.insert(
      pass.defines.end(),
      {{"AREAS_AT", int(pass.table.size())}, {"AREAS", int(areas.size())}, {"AREAS_A_TEXEL", areas_a_texel}});
  for (const double area : areas) pass.table.push_back(float(area));
}

// An image of circles, its texels, and the largest ones of its tiles.
struct Circles {
  int image = 0;
  Size size;
  std::array<int, 2> tiles{};
  int tiles_at = 0;
};

Circles add_circles(PlanBuilder& builder, Size size) {
  const std::array<int, 2> tiles = tiles_of(size);
  return {.image = builder.add_image({.size = size, .components = 2}),
          .size = size,
          .tiles = tiles,
          .tiles_at = reserve_tiles(builder, tiles)};
}

Circles plan_circles(const DepthOfField& field, const Call& call, PlanBuilder& builder) {
  const Size size = builder.image(builder.current_image()).size;
  const Lens& lens = field.lens;
  const double nearest = 1 / lens.focal_length, focus = 1 / lens.focus;
  const int width = frame_width(field, builder.whole_size().width);
  const double at_nearest = circle_of_confusion(lens, nearest) / lens.sensor_width * width / 2;
  const int depth = builder.add_source(call.depth);
  const Circles circles = add_circles(builder, size);
  PassSpec pass{.name = "dof circles",
                .kernel = "dof/circles.glsl",
                .defines = {{"TILE", tile_side}, {"IS_INVERSE", field.is_inverse}},
                .values = {{"end_x", size.width}, {"end_y", size.height}, {"tiles_at", circles.tiles_at}},
                .table = {float(at_nearest / (nearest - focus)), float(focus), float(nearest), float(field.scale),
                          float(field.aperture.max_radius)},
                .grid = {.count = circles.tiles},
                .source = {.image = depth},
                .target = {.image = circles.image},
                .memory = {.has_statistics = true}};
  add_areas(field.aperture, pass);
  builder.add(std::move(pass));
  return circles;
}

// What all passes that make layers of a picture, or a picture of layers, have in common.
PassSpec layers_pass(const PlanBuilder& builder, const DepthOfField& field, std::string name, std::string_view kernel,
                     Size size) {
  return {.name = std::move(name),
          .kernel = kernel,
          .defines = {{"TILE", tile_side},
                      {"LAYERS_ARE_XYZ", builder.input().between == Space::yxy},
                      {"SHOW", int(field.show), show_names},
                      {"LARGEST", field.aperture.max_radius}},
          .values = {{"end_x", size.width}, {"end_y", size.height}}};
}

// The pass that makes the fields of `source`, its target still to be named.
PassSpec fields_pass(PlanBuilder& builder, const DepthOfField& field, int source, const Circles& circles) {
  const int reach = (field.is_half ? div_ceil(field.aperture.max_radius, 2) : field.aperture.max_radius) + 1;
  PassSpec pass = layers_pass(builder, field, "dof", "dof/fields.glsl", circles.size);
  pass.defines.insert(pass.defines.end(), {{"ORDER", along_z, order_names},
                                           {"GROUP_X", tile_side},
                                           {"GROUP_Y", tile_side},
                                           {"IS_HALF", field.is_half},
                                           {"IS_DISK", field.aperture.blades == 0},
                                           {"EDGE_REACH", reach},
                                           {"TILE_REACH", div_ceil(reach, tile_side)}});
  pass.values.insert(pass.values.end(),
                     {{"tiles_x", circles.tiles[0]}, {"tiles_y", circles.tiles[1]}, {"tiles_at", circles.tiles_at}});
  pass.grid.count = circles.tiles;
  pass.source.image = source;
  pass.more_sources = {circles.image};
  pass.access.tile_alignment.fill(field.is_half ? 2 * tile_side : tile_side);
  pass.access.reads_per_texel = 4.0 * reach * reach;
  pass.memory.has_statistics = true;
  if (field.aperture.blades > 0)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) pass.table.push_back(float(edge_of(field.aperture, x, y)));
  pass.memory.bytes_read = bytes_of_level(builder.image(source), 0) + bytes_of_level(builder.image(circles.image), 0);
  return pass;
}

void add_result(PlanBuilder& builder, PassSpec pass) {
  const PlanImage image = builder.image(pass.source.image);
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

size_t bytes_of_images(PlanBuilder& builder, std::initializer_list<int> images) {
  size_t bytes = 0;
  for (const int image : images) bytes += bytes_of_level(builder.image(image), 0);
  return bytes;
}

void plan_half(const DepthOfField& field, PlanBuilder& builder, const Circles& circles) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size size = image.size, half{div_ceil(size.width, 2), div_ceil(size.height, 2)};
  const PlanImage layer{.size = half, .depth = builder.depth_of_light()};
  const Circles half_circles = add_circles(builder, half);
  const int half_picture = builder.add_image(layer);

  PassSpec halve = layers_pass(builder, field, "dof half the sides", "dof/halve.glsl", size);
  halve.values.push_back({"tiles_at", half_circles.tiles_at});
  halve.grid.count = half_circles.tiles;
  halve.source.image = source;
  halve.more_sources = {circles.image};
  halve.target.image = half_circles.image;
  halve.more_targets = {half_picture};
  halve.memory.has_statistics = true;
  add_areas(field.aperture, halve);
  halve.memory.bytes_read = bytes_of_images(builder, {source, circles.image});
  halve.memory.bytes_written = bytes_of_images(builder, {half_circles.image, half_picture});
  builder.add(std::move(halve));

  const int near_light = builder.add_image(layer), behind = builder.add_image(layer);
  const int coverage = builder.add_image({.size = half, .components = 2});
  PassSpec fields = fields_pass(builder, field, half_picture, half_circles);
  fields.name = "dof fields";
  fields.target.image = coverage;
  fields.more_targets = {near_light, behind};
  fields.memory.bytes_written = bytes_of_images(builder, {coverage, near_light, behind});
  builder.add(std::move(fields));

  PassSpec combine = layers_pass(builder, field, "dof", "dof/combine.glsl", size);
  combine.grid.count = circles.tiles;
  combine.source.image = source;
  combine.second.image = behind;
  combine.more_sources = {circles.image, coverage, near_light};
  combine.memory.bytes_read = bytes_of_images(builder, {source, circles.image, coverage, near_light, behind});
  add_result(builder, std::move(combine));
}

void plan_dof(const Call& call, PlanBuilder& builder) {
  const DepthOfField field = field_of(call);
  const Circles circles = plan_circles(field, call, builder);
  if (field.is_half) return plan_half(field, builder, circles);
  add_result(builder, fields_pass(builder, field, builder.current_image(), circles));
}

Needs needs(const Call&) { return {.depth = true}; }

Footprint footprint(const Call& call, Size) {
  // fields of half the sides reach as far in texels of their own, and are interpolated
  const int texels = call.integer("max-radius") + (call.choice("resolution") == "half" ? 8 : 2);
  return {.kind = Footprint::Kind::around, .margin = {.x = texels, .y = texels}};
}

}  // namespace

static const Benchmark bench = {.floor = Floor::bytes,
                                .sizes = {{1920, 1080}, {3840, 2160}},
                                .cpu_sizes = {{512, 512}},
                                .depths = {Depth::half},
                                .settings = {{"max-radius", 8}, {"max-radius", 16}, {"max-radius", 32}},
                                .cpu_settings = {{"max-radius", 8}}};

extern const Op dof_op;
const Op dof_op{
    .name = "dof",
    .doc = {.group = OpGroup::blur,
            .summary = "Simulate the depth of field of a lens",
            .description =
                "A texel at depth U becomes a circle of confusion. Its diameter on the sensor is F^2 |P - U| / (N U (P "
                "- F)). F is the focal length, N the f-stop, and P the focus distance. A depth below F counts as F. "
                "Texels in focus, with a radius of at most half a texel, stay sharp.\nIn front of the focus, a texel "
                "spreads its light over its circle. So this blur also covers sharp edges behind it. Where its circles "
                "cover a texel only partly, the background shows through.\nBehind the focus, the result of a texel is "
                "the mean of the texels whose circles reach it. Only texels behind the focus count. Circles that are "
                "larger than the circle of the texel itself are reduced to the size of that circle. So light in focus "
                "does not bleed into the blur.\nA circle of radius R has the weight clamp(E + 0.5 - D, 0, 1) at a "
                "texel whose center is D texels away. For a disk, E is R. --blades makes a regular polygon with its "
                "corners at R. Then E is R (P / R)^(1 - S): P is the distance to the side of the polygon in the "
                "direction of the texel, and S is --roundness. In front of the focus, the weights of a circle are "
                "divided by their sum. Where circles add up to more than 1, their light is divided by that. The "
                "background of a texel in front is the mean of the other texels in its circle; the mean of those in "
                "front joins it with a weight of 1/1024. Behind the focus, weights are divided by (R + 0.5)^2.\nIf all "
                "depths are the same, the blur keeps the sum of the light, except near the border.\nDepth comes from a "
                "channel of the input, or from --depth-file, an image of the same size. Depth is in meters along the "
                "optical axis; with --depth-invert it is 1 / meters. A depth of 0, a negative one and NaN mean "
                "infinitely far. Ops before `dof` that move texels also move their depth. Ops that mix texels take the "
                "nearest texel's depth.\n--max-radius limits the circles; the time grows with its square. NaN and "
                "infinite texels do not spread.",
            .citation = "M. Potmesil and I. Chakravarty, A Lens and Aperture Camera Model for Synthetic Image "
                        "Generation, 1981; W. Engel, Call for a new Post-Processing Pipeline, 2013 (near and far "
                        "fields, coverage); T. Sousa, Graphics Gems from CryENGINE 3, 2013 (polygons)",
            .examples = {"--max-radius 6", "--focus 3 --f-stop 1.4 --max-radius 5 --blades 6 --rotation 15",
                         "--focus 5 --sensor-width 2 --max-radius 3 --blades 5 --roundness 0.5",
                         "--focus-at 0,0 --depth-invert --depth-scale 20 --max-radius 4", "--show coc",
                         "--max-radius 4 --show near", "--max-radius 4 --show far", "--max-radius 4 --show coverage",
                         "--resolution half --max-radius 9",
                         "--resolution half --focus 3 --f-stop 1.4 --max-radius 6 --blades 6"}},
    .params =
        {{.name = "focus",
          .help = "Focus distance in meters; default 2",
          .default_value = 2,
          .min = 0.001,
          .max = 1e6,
          .unit = "m",
          .presence = Presence::optional},
         {.name = "focus-at",
          .help = "Texel to focus on, counted from the top left of the data window; instead of --focus",
          .kind = ParamKind::text,
          .form = {.syntax = "X,Y", .matches = [](std::string_view text) { return texel_of(text).has_value(); }}},
         {.name = "f-stop",
          .help = "F-number: focal length / diameter of the aperture",
          .default_value = 2.8,
          .min = 0.1,
          .max = 1000},
         {.name = "focal-length",
          .help = "Focal length of the lens in mm",
          .default_value = 50,
          .min = 0.1,
          .max = 10000,
          .unit = "mm"},
         {.name = "sensor-width",
          .help = "Width of the sensor in mm; it corresponds to the width of the display window",
          .default_value = 36,
          .min = 0.1,
          .max = 10000,
          .unit = "mm"},
         {.name = "depth",
          .help = "Channel that holds depth; default Z, or the only channel of --depth-file",
          .kind = ParamKind::text,
          .form = {.syntax = "CHANNEL", .matches = is_a_name}},
         {.name = "depth-file",
          .help = "Image of the same size and data window that holds depth; {frame} in its name is the frame number of "
                  "the input",
          .kind = ParamKind::text,
          .form = {.syntax = "FILE", .matches = is_a_name}},
         {.name = "depth-part",
          .help = "Part of a multi-part --depth-file, by number or name; default: the first",
          .kind = ParamKind::text,
          .form = {.syntax = "WHICH", .matches = is_a_name},
          .effect = {.in = [](const Call& call) { return !call.word("depth-file").empty(); },
                     .requirement = "--depth-file"}},
         {.name = "depth-scale", .help = "Meters per unit of depth", .default_value = 1, .min = 1e-9, .max = 1e9},
         {.name = "depth-invert",
          .help = "Depth is 1 / distance: meters are --depth-scale / depth",
          .kind = ParamKind::flag},
         {.name = "max-radius",
          .help = "Radius of the largest circle of confusion in texels",
          .kind = ParamKind::integer,
          .default_value = 32,
          .min = 1,
          .max = 128,
          .unit = "texels"},
         {.name = "blades",
          .help = "Blades of the aperture, which are the sides of its polygon; 0 is a disk",
          .kind = ParamKind::integer,
          .min = 0,
          .max = 16},
         {.name = "rotation",
          .help = "Clockwise rotation of the aperture in degrees; at 0 the middle of a side is at the right",
          .min = -360,
          .max = 360,
          .unit = "degrees",
          .effect = {.in = is_polygon, .requirement = "--blades"}},
         {.name = "roundness",
          .help = "Shape of the aperture, from a polygon (0) to a disk (1)",
          .min = 0,
          .max = 1,
          .effect = {.in = is_polygon, .requirement = "--blades"}},
         {.name = "resolution",
          .help = "Resolution of the blur; half takes about a twelfth of the time at radius 32 and softens the edges "
                  "of blurred objects",
          .kind = ParamKind::choice,
          .choices = {"full", "half"}},
         {.name = "show",
          .help = "What to output: the result, the circles of confusion (radius / --max-radius, in red in front of the "
                  "focus and in green behind it), the near or far blur, or the coverage of the near blur",
          .kind = ParamKind::choice,
          .choices = {std::begin(show_names), std::end(show_names)}}},
    .check = check,
    .needs = needs,
    .output =
        [](const Call& call, std::span<const Output> inputs) {
          return with_gray(inputs.front(), call.choice("show") == "coc" ? GrayResult::color : GrayResult::gray);
        },
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_dof,
    .bench = &bench,
};

}  // namespace gpupost
