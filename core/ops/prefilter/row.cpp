// Environments for image-based lighting: a row of six faces, filtered by the lobes of materials.
#include "core/ops/prefilter/row.h"

#include "core/op/benchmark.h"
#include "core/ops/prefilter/passes.h"
#include "core/ops/prefilter/reference.h"
#include "core/ops/shared/nearest.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace gpupost {

namespace {

constexpr int smallest_face = 8;  // of the last level, unless --levels is given

Param samples_param(int default_value) {
  return {.name = "samples",
          .help = "Samples per texel",
          .kind = ParamKind::integer,
          .default_value = double(default_value),
          .min = 16,
          .max = 65536};
}

bool is_row_of_faces(Size size) { return size.width == 6 * size.height && std::has_single_bit(unsigned(size.height)); }

// How to make a row of faces from an image of this size, for messages.
std::string way_to_row(Size size) {
  const auto [width, height] = size;
  const char* resized = std::has_single_bit(unsigned(std::gcd(width, height))) ? "" : " --size 256";
  if (3 * width == 4 * height || 4 * width == 3 * height)
    return fmt::format("put `project --from cross --to strip{}` before it", resized);
  if (width == 6 * height || 6 * width == height)
    return fmt::format("put `project --from strip --to cross{} project --from cross --to strip` before it", resized);
  if (width == height)
    return "write each face to a file (--part), and put them in a row with `sheet --columns 6 --gap 0`";
  return "make one of a panorama with `project --size 256`";
}

std::string wrong_windows(const Call& call) {
  if (call.takes_openexr_cube)
    return "the file is a cube map in OpenEXR's layout by its attribute envmap; put `project --from strip --to cross "
           "project --from cross --to strip` before it";
  const Windows& windows = call.windows;
  if (windows == Windows{}) return "";
  if (windows.data != windows.display)
    return "the data window is not the display window; put `crop --to display` before it";
  const Size size = size_of(windows.data);
  if (is_row_of_faces(size)) return "";
  return fmt::format(
      "the image is {} x {}; expected a row of six faces whose side is a power of two, such as 1536 x 256; {}",
      size.width, size.height, way_to_row(size));
}

Needs needs(const Call& call) { return {.wrong_windows = wrong_windows(call)}; }

// --- prefilter ------------------------------------------------------------------------------------------------------

int most_levels(Size size) {
  const int side = cell_levels_of(size).finest;
  return level_count_of({side, side});
}

Needs needs_of_prefilter(const Call& call) {
  Needs made = needs(call);
  const Size size = size_of(call.windows.data);
  const int wanted = call.integer("levels"), most = most_levels(size);
  if (made.wrong_windows.empty() && call.windows != Windows{} && wanted > most)
    made.wrong_windows =
        fmt::format("--levels is {}; faces of {} x {} have at most {} levels (use --levels {} or less)", wanted,
                    size.height, size.height, most, most);
  return made;
}

int level_count(const Call& call, Size size) {
  const int wanted = call.integer("levels"), most = most_levels(size);
  return wanted > 0 ? std::min(wanted, most) : std::max(1, most - level_count_of({smallest_face, smallest_face}) + 1);
}

std::vector<LobeSample> samples_of_level(const Call& call, Size size, int level) {
  const double roughness = double(level) / (level_count(call, size) - 1);
  return lobe_samples(roughness, call.integer("samples"), cell_levels_of(size));
}

Output output_of_levels(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size != Size{}) made.level_count = level_count(call, made.size);
  return made;
}

std::vector<Planes> filtered_levels(const Call& call, Planes base) {
  const Size size = size_of(base);
  const CornerPyramid pyramid(base);
  std::vector<Planes> levels{std::move(base)};
  for (int level = 1; level < level_count(call, size); ++level)
    levels.push_back(filtered_environment(pyramid, samples_of_level(call, size, level), level_size(size, level)));
  return levels;
}

std::vector<Planes> levels_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Size size = size_of(base);
  const CornerPyramid sizes(absolute(base)), errors(error);
  std::vector<Planes> levels{error};
  for (int level = 1; level < level_count(call, size); ++level)
    levels.push_back(filtered_environment_tolerance(sizes, errors, samples_of_level(call, size, level),
                                                    level_size(size, level), depth));
  return levels;
}

void plan_prefilter(const Call& call, PlanBuilder& builder) {
  const int image = builder.current_image();
  const Size size = builder.image(image).size;
  const int count = builder.image(image).level_count = level_count(call, size);
  if (count == 1) return builder.note("prefilter: the image is its only level");
  const int pyramid = plan_corner_pyramid(builder);
  for (int level = 1; level < count; ++level) {
    PassSpec pass = plan_filter_passes(builder, fmt::format("prefilter level {}", level), pyramid, cell_levels_of(size),
                                       samples_of_level(call, size, level), level_size(size, level));
    pass.target = {.image = image, .level = level};
    builder.add(std::move(pass));
  }
}

// --- irradiance -----------------------------------------------------------------------------------------------------

Size irradiance_size(const Call& call) { return {6 * call.integer("size"), call.integer("size")}; }

std::vector<LobeSample> irradiance_samples(const Call& call, Size size) {
  return lobe_samples(1, call.integer("samples"), cell_levels_of(size));
}

Output output_of_irradiance(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) return made;
  made.size = irradiance_size(call);
  made.windows = {.data = window_of(made.size), .display = window_of(made.size)};
  return made;
}

// Channels other than color take the nearest texel.
Footprint footprint_of_irradiance(const Call& call, Size size) {
  return {.nearest = [size, made = irradiance_size(call)](Position at) {
    return Position{under_middle(at.x, size.width, made.width), under_middle(at.y, size.height, made.height)};
  }};
}

std::vector<Planes> irradiance(const Call& call, Planes base) {
  return {filtered_environment(CornerPyramid(base), irradiance_samples(call, size_of(base)), irradiance_size(call))};
}

std::vector<Planes> irradiance_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  return {filtered_environment_tolerance(CornerPyramid(absolute(base)), CornerPyramid(error),
                                         irradiance_samples(call, size_of(base)), irradiance_size(call), depth)};
}

void plan_irradiance(const Call& call, PlanBuilder& builder) {
  const PlanImage image = builder.image(builder.current_image());
  const int pyramid = plan_corner_pyramid(builder);
  builder.add_result(plan_filter_passes(builder, "irradiance", pyramid, cell_levels_of(image.size),
                                        irradiance_samples(call, image.size), irradiance_size(call)),
                     {.size = irradiance_size(call), .depth = image.depth});
}

const Benchmark bench = {.floor = Floor::bytes,
                         .sizes = {{1536, 256}, {6144, 1024}},
                         .cpu_sizes = {{384, 64}},
                         .depths = {Depth::half, Depth::f32}};

}  // namespace

bool filters_cube(const Call& call) { return call.op == &prefilter_op || call.op == &irradiance_op; }

const Op prefilter_op{
    .name = "prefilter",
    .doc =
        {.group = OpGroup::size,
         .summary = "Make the levels of a cube map for glossy reflections",
         .description =
             "For image-based lighting. The input is a row of the six faces of a cube, as `project --to strip` makes "
             "it; the side of a face is a power of two. Level 0 is the input, for a mirror. In level k of n levels, "
             "the "
             "roughness is k / (n - 1), and alpha is roughness^2. Each texel is the mean of the environment around "
             "its direction, with the weights D(h) (n.l). D is the GGX distribution, h is halfway between n and l, "
             "and n = v = r: the first sum of Karis' split sum. A constant environment stays constant.\nWithout "
             "--levels, the faces of the last level have 8 x 8 texels, so that faces of 256 x 256 get six levels.\n"
             "Samples lie on a spiral around each direction, more densely where the weights are larger. Each reads a "
             "mean over about the area that it stands for, so that small bright lights make little noise. Errors are "
             "largest near a corner of the cube, and more --samples make them smaller. "
             "docs/formats.md has the errors.\nAlpha and other float and half channels are filtered in the same way; "
             "uint channels take the nearest texel. NaN counts as 0, and infinity as 65504. The op needs the whole "
             "image, so it cannot run in tiles.\nTo write "
             "a cube in one file, add --assemble cube-from-strip: `gpupost sky.exr project --size 256 prefilter "
             "--assemble cube-from-strip -o specular.ktx2`. A row of faces in EXR needs a file per level.",
         .citation = "B. Karis, Real Shading in Unreal Engine 4, 2013; J. Krivanek, M. Colbert, Real-time Shading "
                     "with Filtered Importance Sampling, 2008",
         .examples = {"", "--levels 3", "--samples 256"}},
    .params = {{.name = "levels",
                .help = "Number of levels, level 0 included, down to faces of one texel at most; 0 makes levels down "
                        "to faces of 8 x 8",
                .kind = ParamKind::integer,
                .default_value = 0,
                .min = 0,
                .max = 16},
               samples_param(1024)},
    .makes = Makes::levels,
    .channels = Channels::all,
    .needs = needs_of_prefilter,
    .output = output_of_levels,
    .reference = {.levels = filtered_levels, .tolerance = levels_tolerance, .sums_xyz = false},
    .plan = plan_prefilter,
    .bench = &bench,
};

const Op irradiance_op{
    .name = "irradiance",
    .doc =
        {.group = OpGroup::size,
         .summary = "Make a cube map of diffuse light from a cube map of an environment",
         .description =
             "For image-based lighting. The input is a row of the six faces of a cube, as `project --to strip` makes "
             "it; the side of a face is a power of two. Each texel of the result is the irradiance of a surface that "
             "faces its direction, divided by pi. It is the mean of the environment with the weight n.l. So an "
             "environment of 1 gives 1, and a shader multiplies by the albedo alone. The result is the same as "
             "roughness 1 of `prefilter`, whose help describes the samples.\nAlpha is filtered in the same way, and "
             "channels other than color take the nearest texel. NaN counts as 0, and infinity as 65504. The op needs "
             "the whole image, so it cannot run in tiles.\nTo write a cube in one file, add --assemble "
             "cube-from-strip: `gpupost sky.exr project --size 256 irradiance --assemble cube-from-strip -o "
             "diffuse.ktx2`.",
         .citation = "J. Krivanek, M. Colbert, Real-time Shading with Filtered Importance Sampling, 2008",
         .examples = {"", "--size 8 --samples 256"}},
    .params = {{.name = "size",
                .help = "Side of a face",
                .kind = ParamKind::integer,
                .default_value = 32,
                .min = 1,
                .max = 1024,
                .unit = "texels"},
               samples_param(4096)},
    .channels = Channels::all,
    .needs = needs,
    .output = output_of_irradiance,
    .footprint = footprint_of_irradiance,
    .reference = {.levels = irradiance, .tolerance = irradiance_tolerance, .sums_xyz = false},
    .plan = plan_irradiance,
    .bench = &bench,
};

}  // namespace gpupost
