// An environment in another form, such as a lat-long as the faces of a cube: row, definition and pass.
#include "core/ops/project/row.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/image/attributes.h"
#include "core/op/benchmark.h"
#include "core/ops/project/mapping.h"
#include "core/plan/builder.h"

#include <algorithm>

namespace gpupost {

namespace {

void check(const Call& call) {
  if (call.integer("from") == call.integer("to"))
    fail(Exit::usage, "project: --from and --to are both {}; expected two of latlong, strip and cross",
         call.choice("to"));
}

std::string wrong_windows(const Call& call) {
  const Windows& windows = call.windows;
  const Size size = size_of(windows.data);
  if (call.takes_openexr_cube && Form(call.integer("from")) != Form::strip)
    return fmt::format("--from {}: the file is a cube map by its attribute envmap; give --from strip",
                       call.choice("from"));
  if (windows == Windows{}) return "";
  if (windows.data != windows.display)
    return "the data window is not the display window; put `crop --to display` before it";
  const Form from = Form(call.integer("from"));
  if (has_shape(from, size)) return "";
  return fmt::format("--from {}: the image is {} x {}; expected {} squares", form_names[size_t(from)], size.width,
                     size.height, from == Form::strip ? "6 x 1 or 1 x 6" : "4 x 3 or 3 x 4");
}

std::string warning(const Call& call) {
  if (call.windows == Windows{} || !projection_of(call, size_of(call.windows.data)).skips_texels) return "";
  return "the input is sampled too coarsely, so small lights may be lost; use a larger --size, then `mips` or `resize`";
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (Form(call.integer("to")) == Form::cross) made.may_be_transparent = true;
  if (made.size == Size{}) return made;
  made.size = projection_of(call, made.size).to.size;
  made.windows = {.data = window_of(made.size), .display = window_of(made.size)};
  return made;
}

Footprint footprint(const Call& call, Size size) {
  Projection projection = projection_of(call, size);
  projection.samples = 1;  // a texel that is copied is the one at the center
  const auto mapping = std::make_shared<const Mapping>(projection);
  return {.kind = Footprint::Kind::around,
          .region = [size](const Region&) { return whole_region(size); },
          .copied =
              [mapping](Position at) {
                const Taps taps = mapping->taps_at(at, {0, 0});
                const auto used = std::span(taps.taps).first(taps.count);
                return used.empty() ? Position{-1, -1} : std::ranges::max_element(used, {}, &Tap::weight)->at;
              }};
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  remove_camera(attributes);
  remove_attributes(attributes, {"pixelAspectRatio", "wrapmodes"});
  if (!makes_faces(call)) attributes.push_back({"envmap", "envmap", {0}});
}

// --- the definition -------------------------------------------------------------------------------------------------

// Each number of the result is value(component, taps), where the weights of all taps add up to 1.
template <class Value>
Planes each_texel(const Mapping& mapping, const Value& value) {
  const auto& [from, to, samples, skips] = mapping.projection();
  Planes made;
  for (Plane& plane : made) plane = {.size = to.size, .values = std::vector<double>(texel_count(to.size))};
  parallel_ranges(to.size.height, 4, [&, size = to.size, count = samples](int begin, int end) {
    std::vector<Tap> taps;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < size.width; ++x) {
        taps.clear();
        for (int row = 0; row < count; ++row)
          for (int column = 0; column < count; ++column) {
            const Taps sample = mapping.taps_at({x, y}, {column, row});
            for (Tap tap : std::span(sample.taps).first(sample.count)) {
              tap.weight /= double(count) * count;
              taps.push_back(tap);
            }
          }
        for (size_t c = 0; c < 4; ++c) made[c].values[size_t(y) * size_t(size.width) + size_t(x)] = value(c, taps);
      }
  });
  return made;
}

double sum_of(const Plane& plane, const std::vector<Tap>& taps) {
  double sum = 0;
  for (const Tap& tap : taps)
    sum += tap.weight * plane.values[size_t(tap.at.y) * size_t(plane.size.width) + size_t(tap.at.x)];
  return sum;
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const Mapping mapping(projection_of(call, size_of(base)));
  return {each_texel(mapping, [&](size_t c, const std::vector<Tap>& taps) { return sum_of(base[c], taps); })};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Mapping mapping(projection_of(call, size_of(base)));
  const Planes sizes = absolute(base);
  const double sums = 2 + mapping.projection().samples / 4.0;  // longer sums round more often
  return {each_texel(mapping, [&](size_t c, const std::vector<Tap>& taps) {
    return sum_of(error[c], taps) + sums * rounding(sum_of(sizes[c], taps), Depth::f32) +
           rounding(std::abs(sum_of(base[c], taps)), depth);
  })};
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_project(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Projection projection = projection_of(call, builder.whole_size());
  const Mapping mapping(projection);
  const auto& [from, to, samples, skips] = projection;
  const Region made = builder.made_of(to.size);
  builder.add_result({.name = "project",
                      .kernel = "project/project.glsl",
                      .defines = {{"FROM", int(from.form), call.op->param("from")->choices},
                                  {"TO", int(to.form), call.op->param("to")->choices},
                                  {"POSITION_BITS", environment_position_bits},
                                  {"FACES_AT", int(Mapping::faces_at)},
                                  {"CORNERS_AT", int(Mapping::corners_at)},
                                  {"CELLS_AT", int(Mapping::cells_at)},
                                  {"COLUMNS_AT", int(Mapping::columns_at)}},
                      .values = {{"end_x", made.size.width},
                                 {"end_y", made.size.height},
                                 {"made_x", made.corner.x},
                                 {"made_y", made.corner.y},
                                 {"source_width", from.size.width},
                                 {"source_height", from.size.height},
                                 {"face_width", from.face.width},
                                 {"face_height", from.face.height},
                                 {"made_side", to.face.width},
                                 {"cells_per_row", to.grid.width},
                                 {"rows_at", mapping.rows_at()},
                                 {"samples", samples},
                                 // a quarter, so that sums of the largest values do not overflow
                                 {"sample_scale", 0.25F / float(samples * samples)}},
                      .table = mapping.table(),
                      .grid = {.count = {div_ceil(made.size.width, 64), div_ceil(made.size.height, 16)}},
                      .source = {.image = source},
                      .access = {.is_bounded = true, .reads_per_texel = 4.0 * samples * samples}},
                     {.size = made.size, .depth = image.depth});
}

const Benchmark bench = {.sizes = {{4096, 2048}}, .cpu_sizes = {{512, 256}}, .depths = {Depth::half, Depth::f32}};

}  // namespace

bool makes_faces(const Call& call) { return call.op == &project_op && Form(call.integer("to")) != Form::latlong; }

const Op project_op{
    .name = "project",
    .doc = {.group = OpGroup::size,
            .summary = "Convert between panoramas and cube maps",
            .description =
                "latlong is a panorama with longitude along x and latitude along y, usually twice as wide as high. "
                "strip is a row of the six faces of a cube: +X -X +Y -Y +Z -Z. cross is the cube unfolded to 4 x 3 "
                "squares. --from also takes 1 x 6 and 3 x 4 squares. docs/formats.md shows the orientation of the "
                "faces.\nThe middle of a panorama is +Z, the middle of its right half is +X, and its upper edge is +Y. "
                "Panoramas and faces both look as seen from inside, so nothing is mirrored. OpenEXR calls the middle "
                "of the right half -X, because its axes are right-handed. A strip whose attribute envmap says cube has "
                "OpenEXR's layout and is read as such.\nTexels of a panorama cover equal angles. OpenEXR's own tools "
                "place the centers of the outer texels on the poles and on 180 degrees.\nThe default sizes keep the "
                "number of texels around the horizon: a face has a quarter of the panorama's width, and a panorama is "
                "four faces wide "
                "and two faces high.\nEach texel is the mean of up to 16 x 16 bilinear samples: the coarser the "
                "result, the more samples. They continue across the edges of faces, the sides of a panorama and its "
                "poles. Near a pole, samples skip some of the narrow texels of a panorama. A cross is transparent "
                "black outside of its faces, or black without alpha. Channels other than color take the nearest "
                "texel.\nThe data window must be the display window. An EXR of a panorama gets the attribute envmap. "
                "To write a cube in one file, add `mips` and --assemble cube-from-strip.",
            .citation = "OpenEXR, ImfEnvmap.h (lat-long); Vulkan 1.3, \"Cube Map Face Selection\"",
            .examples = {"--to strip", "--to cross --size 64", "--from strip --to latlong",
                         "--from cross --to latlong --size 128", "--from cross --to strip"}},
    .params = {{.name = "to",
                .help = "Form of the result",
                .kind = ParamKind::choice,
                .default_value = double(Form::strip),
                .choices = {std::begin(form_names), std::end(form_names)}},
               {.name = "from",
                .help = "Form of the input",
                .kind = ParamKind::choice,
                .choices = {std::begin(form_names), std::end(form_names)}},
               {.name = "size",
                .help = "Side of a face, or height of a panorama, which is twice as wide. Default: as many texels "
                        "around the horizon as the input",
                .kind = ParamKind::integer,
                .default_value = 1024,
                .min = 1,
                .max = 16384,
                .unit = "texels",
                .presence = Presence::optional}},
    .check = check,
    .channels = Channels::all,
    .needs = [](const Call& call) { return Needs{.wrong_windows = wrong_windows(call), .warning = warning(call)}; },
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_project,
    .bench = &bench,
};

}  // namespace gpupost
