// Color to a small picture of luminances: its row. The definition is in core/ops/luminance/reference.cpp, the passes in
// core/ops/luminance/passes.cpp.
#include "core/op/benchmark.h"
#include "core/op/op.h"
#include "core/ops/luminance/reference.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/ops/luminance/passes.h"

namespace gpupost {

namespace {

std::vector<Planes> reference(const Call& call, Planes base) {
  std::vector<Planes> levels(1);
  levels[0] = luminances(call, base);
  return levels;
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth) {
  std::vector<Planes> levels(1);
  levels[0] = luminances_tolerance(call, base, error);
  return levels;
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.content = Content::luminance;
  made.has_alpha = made.may_be_transparent = false;
  made.gray_result = GrayResult::gray;
  made.depth = Depth::f32;
  if (made.size == Size{}) return made;
  made.size = size_of(cells_of(call, made.size));
  made.windows = {.data = window_of(made.size), .display = window_of(made.size)};
  return made;
}

// A tile makes whole cells.
Footprint footprint(const Call& call, Size size) {
  Footprint made{.kind = Footprint::Kind::around, .reads_once = true};
  made.region = [call, size](const Region& made_cells) -> Region {
    const Cells cells = cells_of(call, size);
    const auto [corner, count] = made_cells;
    const int x = cells.x.begin(corner.x), y = cells.y.begin(corner.y);
    return {.corner = {x, y},
            .size = {cells.x.begin(corner.x + count.width) - x, cells.y.begin(corner.y + count.height) - y}};
  };
  return made;
}

void check(const Call& call) {
  if (!call.word("tile").empty() && !call.word("size").empty())
    fail(Exit::usage, "luminance: --tile {} and --size {} contradict each other; expected one of them",
         call.word("tile"), call.word("size"));
}

std::vector<std::string_view> variant_choices() {
  std::vector<std::string_view> choices{"auto"};
  for (const std::string_view name : luminance_variants()) choices.push_back(name);
  return choices;
}

std::vector<std::string> variants() {
  std::vector<std::string> all;
  for (const std::string_view choice : variant_choices()) all.push_back(fmt::format("--variant {}", choice));
  return all;
}

// --- what is measured, and what the document claims -----------------------------------------------------------------

constexpr std::string_view post = "W. Engel 2014, Radeon HD 6770";
constexpr Size full_hd{1920, 1080};
constexpr int whole = 32768;  // a tile as large as any picture

std::vector<Setting> tiles(const std::vector<int>& sides_of_tiles) {
  std::vector<Setting> made;
  for (const int side : sides_of_tiles) made.push_back({"tile", side});
  return made;
}

std::vector<Claim> claims() {
  const auto claim = [](std::string_view what, std::string_view claimed, int tile, std::string_view slower,
                        std::string_view faster) {
    return Claim{.what = what,
                 .claimed = claimed,
                 .where = post,
                 .sizes = {full_hd},
                 .depths = {Depth::f32},
                 .setting = {"tile", tile},
                 .slower = slower,
                 .faster = faster};
  };
  return {claim("interleaved; as printed reads all", "about 1 ms", 16, "", "--variant interleaved"),
          claim("sequential; as printed both read all", "0 %", 16, "--variant interleaved", "--variant sequential"),
          claim("4 texels for 2; as printed 1/4, 1/2", "nearly linear, +100 %", 16, "--variant fetch2",
                "--variant fetch4-16"),
          claim("4 texels, 256 threads; as printed 1/4", "about 0.1 ms", 64, "", "--variant fetch4-256")};
}

Benchmark benchmark() {
  return {.variants = variants,
          .floor = Floor::read,
          .sizes = {full_hd, {3840, 2160}, {4096, 4096}},
          .cpu_sizes = {{512, 512}},
          .depths = {Depth::half, Depth::f32},
          .settings = tiles({16, 32, 64, whole}),
          .cpu_settings = tiles({16, whole}),
          .claims = claims(),
          .graphs = {{.what = "time of each of the seven shaders at the tiles of 16, 32 and 64 texels that they make",
                      .where = post,
                      .settings = tiles({16, 32, 64}),
                      .variants = {"--variant interleaved", "--variant sequential", "--variant unrolled",
                                   "--variant fetch2", "--variant fetch4-16", "--variant fetch4-64",
                                   "--variant fetch4-256"}}},
          .remark =
              "As printed, fetch2 reads 1/2 of the image, and fetch4-16, fetch4-64 and fetch4-256 read 1/4 of it, "
              "because their groups skip rows. Also as printed, unrolled, fetch2 and fetch4-256 add up only 1/2 of "
              "what they read. Here every variant reads each texel once and adds up all of them, so gains from reading "
              "less do not appear."};
}

}  // namespace

static const Benchmark bench = benchmark();

extern const Op luminance_op;
const Op luminance_op{
    .name = "luminance",
    .doc = {.group = OpGroup::measure,
            .summary = "Reduce the image to a grid of luminance values",
            .description =
                "The image is divided into tiles, and each tile becomes one texel of the result. The result is a float "
                "image with the single channel Y; alpha and other channels are dropped. Luminance is computed from "
                "linear, premultiplied light. The result starts at (0, 0).\nWith --tile, tiles at the right and lower "
                "edge can be smaller; their mean counts only their own texels. With --size, tiles are equal or differ "
                "by one row or column. If a tile contains a NaN, its mean, minimum and maximum are NaN. Other tiles "
                "are not affected.\nEvery variant reads each texel once. All variants agree to within rounding, and "
                "each gives the same bits every time.",
            .citation = "W. Engel, Compute Shader Optimizations for AMD GPUs: Parallel Reduction, 2014 (all variants "
                        "but subgroup, corrected); ITU-R BT.709 (weights)",
            .examples = {"", "--size 1", "--tile 5x3 --measure minimum", "--tile 64 --measure maximum",
                         "--tile 32x4 --measure count", "--tile 100x2 --weights document"}},
    .params =
        {{.name = "tile",
          .help = "Width and height of a tile in texels; one number is for both. Tiles may be larger than the image. "
                  "Default 16x16",
          .kind = ParamKind::text,
          .form = {.syntax = "WxH or N", .matches = [](std::string_view word) { return sides(word).has_value(); }}},
         {.name = "size",
          .help = "Size of the result: the number of tiles along x and y",
          .kind = ParamKind::text,
          .form = {.syntax = "WxH or N", .matches = [](std::string_view word) { return sides(word).has_value(); }}},
         {.name = "measure",
          .help = "Value of a tile: mean, minimum or maximum of its luminances, or the number of its texels",
          .kind = ParamKind::choice,
          .choices = {std::begin(measure_names), std::end(measure_names)}},
         {.name = "weights",
          .help = "Weights of R, G and B: rec709 is 0.2126 0.7152 0.0722, document is 0.2125 0.7154 0.0721, as in the "
                  "talk of Engel (2014)",
          .kind = ParamKind::choice,
          .choices = {"rec709", "document"},
          .effect = {.in = [](const Call& call) { return cell_measure_of(call) != CellMeasure::count; },
                     .requirement = "--measure mean, minimum or maximum"}},
         {.name = "variant",
          .help = "Algorithm of the reduction; `gpupost bench luminance --list` names all",
          .kind = ParamKind::choice,
          .choices = variant_choices(),
          .is_for_measuring = true}},
    .check = check,
    .needs = needs_exact_rec709,
    .output = output,
    .footprint = footprint,
    .change_attributes =
        [](const Call& call, std::vector<Attribute>& attributes) {
          crop_frame(attributes, call.windows.display, call.windows.data);
        },
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_luminance,
    .bench = &bench,
};

}  // namespace gpupost
