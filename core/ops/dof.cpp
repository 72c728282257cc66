// Depth of field: its row and its passes.
#include "core/depth_of_field.h"
#include "core/error.h"
#include "core/ops/ops.h"
#include "core/plan.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace gpupost {

namespace {

// "X,Y"
std::optional<Texel> texel_of(std::string_view word) {
  Texel texel;
  const char* const end = word.data() + word.size();
  const auto x = std::from_chars(word.data(), end, texel.x);
  if (x.ec != std::errc() || x.ptr == end || *x.ptr != ',') return {};
  const auto y = std::from_chars(x.ptr + 1, end, texel.y);
  if (y.ec != std::errc() || y.ptr != end || texel.x < 0 || texel.y < 0) return {};
  return texel;
}

bool is_a_name(std::string_view word) { return !word.empty(); }

// Metres to what is sharp: given, or those of a texel.
double focus_of(const Call& call) {
  const std::string& at = call.word("focus-at");
  if (at.empty()) return call.has("focus") ? call.number("focus") : call.op->param("focus")->def;
  if (!call.depth) return call.op->param("focus")->def;  // not read yet: the plan is only shown
  const Texel texel = *texel_of(at);
  const Size size = call.depth->size;
  if (texel.x >= size.width || texel.y >= size.height)
    fail(Exit::usage, "dof: --focus-at {} lies outside the picture of {} x {}", at, size.width, size.height);
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
          .show = Show(call.integer("show"))};
}

void check(const Call& call) {
  if (const int blades = call.integer("blades"); blades == 1 || blades == 2)
    fail(Exit::usage, "dof: --blades {} encloses nothing; expected 0 for a disk, or 3 and more", blades);
  if (call.has("focus") && !call.word("focus-at").empty())
    fail(Exit::usage, "dof: --focus and --focus-at are both given; expected one of them");
  if (const double focus = call.number("focus"); focus <= call.number("focal-length") / 1000)
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
constexpr int values_before_areas = 5;

int tiles_of(int side) { return (side + tile_side - 1) / tile_side; }

std::vector<float> circle_table(const DepthOfField& field, int width) {
  const Lens& lens = field.lens;
  const double nearest = 1 / lens.focal_length, focus = 1 / lens.focus;
  const double at_nearest = circle_of_confusion(lens, nearest) / lens.sensor_width * width / 2;
  std::vector<float> table{float(at_nearest / (nearest - focus)), float(focus), float(nearest), float(field.scale),
                           float(field.aperture.max_radius)};
  for (const double area : areas_of(field.aperture)) table.push_back(float(area));
  return table;
}

std::vector<float> edge_table(const Aperture& aperture, int reach) {
  std::vector<float> table;
  if (aperture.blades == 0) return table;
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x) table.push_back(float(edge_of(aperture, x, y)));
  return table;
}

void plan_dof(const Call& call, PlanBuilder& builder) {
  const DepthOfField field = field_of(call);
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const std::array<int, 2> tiles{tiles_of(image.size.width), tiles_of(image.size.height)};
  const int tiles_at = builder.reserve_statistics(2 * sizeof(uint32_t) * size_t(tiles[0]) * size_t(tiles[1]), false);
  const int depth = builder.add_source(call.depth);
  const int circles = builder.add_image({.size = image.size, .components = 2});

  Pass measure{.name = "dof circles",
               .kernel = "dof_circles.glsl",
               .literals = {{"IS_INVERSE", field.is_inverse},
                            {"AREAS_AT", values_before_areas},
                            {"AREAS", areas_a_texel * field.aperture.max_radius + 2}},
               .values = {{"end_x", image.size.width}, {"end_y", image.size.height}, {"tiles_at", tiles_at}},
               .group_count = tiles,
               .has_statistics = true,
               .table = circle_table(field, image.size.width)};
  measure.source_image = depth;
  measure.target_image = circles;
  builder.add(std::move(measure));

  const int reach = field.aperture.max_radius + 1;
  Pass pass{.name = "dof",
            .kernel = "dof_fields.glsl",
            .literals = {{"ORDER", 1},
                         {"GROUP_X", tile_side},
                         {"GROUP_Y", tile_side},
                         {"HOLDS_HALF", holds_half(builder.input())},
                         {"IS_DISK", field.aperture.blades == 0},
                         {"EDGE_REACH", reach},
                         {"TILE_REACH", tiles_of(reach)},
                         {"SHOW", int(field.show)}},
            .values = {{"end_x", image.size.width},
                       {"end_y", image.size.height},
                       {"tiles_x", tiles[0]},
                       {"tiles_y", tiles[1]},
                       {"tiles_at", tiles_at}},
            .group_count = tiles,
            .more_sources = {circles},
            .has_statistics = true,
            .table = edge_table(field.aperture, reach)};
  pass.source_image = source;
  pass.bytes_read = bytes_of_level(image, 0) + bytes_of_level(builder.image(circles), 0);
  pass.target_image = builder.add_image({.size = image.size, .depth = image.depth});
  builder.set_current_image(pass.target_image);
  builder.add(std::move(pass));
}

}  // namespace

const Op dof_op{
    .name = "dof",
    .help = "depth of field of a lens, from the depth of each texel",
    .description =
        "A texel at U metres makes a circle of F^2 (P - U) / (N U (P - F)) on the sensor: F the focal length, N the "
        "f-stop, P the focus. Nearer than the focus its light is spread over its circle, and what the circles around a "
        "place leave uncovered shows what is behind it, so that near things run over sharp edges. Beyond the focus a "
        "texel is the mean of those beyond it whose circles, no larger than its own, reach it: what is in focus does "
        "not bleed into it. What is in focus stays. Depth is that of a channel of the picture or of a file of its "
        "size, "
        "in metres along the axis, or with --depth-invert 1 / metres; what is 0, negative or no number is infinitely "
        "far. Ops before it that move texels move depth along. Circles have at most --max-radius texels of radius, of "
        "which the time grows with the square. A circle keeps its energy: the sum of its light. Light that is no "
        "number or "
        "infinite stays where it is.",
    .source =
        "M. Potmesil and I. Chakravarty, A Lens and Aperture Camera Model for Synthetic Image Generation, 1981; "
        "W. Engel, Call for a new Post-Processing Pipeline, 2013 (near and far fields, coverage); T. Sousa, "
        "Graphics Gems from CryENGINE 3, 2013 (polygons)",
    .params = {{.name = "focus",
                .help = "distance to what is sharp; without it 2",
                .def = 2,
                .min = 0.001,
                .max = 1e6,
                .unit = "m",
                .is_optional = true},
               {.name = "focus-at",
                .help = "the texel that is sharp, in the place of --focus",
                .kind = ParamKind::text,
                .form = "X,Y",
                .has_form = [](std::string_view text) { return texel_of(text).has_value(); }},
               {.name = "f-stop", .help = "focal length / aperture", .def = 2.8, .min = 0.1, .max = 1000},
               {.name = "focal-length", .help = "of the lens", .def = 50, .min = 0.1, .max = 10000, .unit = "mm"},
               {.name = "sensor-width",
                .help = "what the picture's width is on the sensor",
                .def = 36,
                .min = 0.1,
                .max = 10000,
                .unit = "mm"},
               {.name = "depth",
                .help = "channel that holds the depth; without it Z, and of a depth file its only one",
                .kind = ParamKind::text,
                .form = "CHANNEL",
                .has_form = is_a_name},
               {.name = "depth-file",
                .help = "picture of the same size that holds the depth",
                .kind = ParamKind::text,
                .form = "FILE",
                .has_form = is_a_name},
               {.name = "depth-scale", .help = "metres a unit of depth", .def = 1, .min = 1e-9, .max = 1e9},
               {.name = "depth-invert",
                .help = "depth is 1 / distance: metres are the scale / it",
                .kind = ParamKind::flag},
               {.name = "max-radius",
                .help = "of the largest circle",
                .kind = ParamKind::integer,
                .def = 32,
                .min = 1,
                .max = 128,
                .unit = "texels"},
               {.name = "blades",
                .help = "of the aperture: its corners; 0 for a disk",
                .kind = ParamKind::integer,
                .min = 0,
                .max = 16},
               {.name = "rotation", .help = "of the aperture", .min = -360, .max = 360, .unit = "degrees"},
               {.name = "roundness", .help = "of the aperture: from a polygon, 0, to a disk, 1", .min = 0, .max = 1},
               {.name = "show",
                .help = "the picture, its circles (red near, green far), a field, or what the near one covers",
                .kind = ParamKind::choice,
                .choices = {"result", "coc", "near", "far", "coverage"}}},
    .reads_depth = true,
    .examples = {"--max-radius 6", "--focus 3 --f-stop 1.4 --max-radius 5 --blades 6 --rotation 15",
                 "--focus 5 --sensor-width 2 --max-radius 3 --blades 5 --roundness 0.5",
                 "--focus-at 0,0 --depth-invert --depth-scale 20 --max-radius 4", "--show coc",
                 "--max-radius 4 --show near", "--max-radius 4 --show far", "--max-radius 4 --show coverage"},
    .benchmark = {.floor = Floor::bytes,
                  .sizes = {{1920, 1080}, {3840, 2160}},
                  .cpu_sizes = {{512, 512}},
                  .depths = {Depth::half},
                  .settings = {{"max-radius", 8}, {"max-radius", 16}, {"max-radius", 32}},
                  .cpu_settings = {{"max-radius", 8}}},
    .reference = reference,
    .tolerance = tolerance,
    .check = check,
    .plan = plan_dof,
};

}  // namespace gpupost
