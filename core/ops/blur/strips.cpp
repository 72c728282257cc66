#include "core/ops/blur/strips.h"

#include "core/base/math.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpupost {

namespace {

constexpr int most_taps_radius = 12;
constexpr int many_groups = 256;  // enough workgroups for a large GPU
constexpr int most_blocks = 7;    // of the core of sliding sums: they lie in registers

int largest_radius(const Blur& blur) { return std::max(blur.radius_x, blur.radius_y); }

// What results are kept as before they are stored: X and Z may be larger than a half where their Y is not.
Depth results_of(const PlanInput& input) { return stays_rgb(input) ? input.storage : Depth::f32; }

// Numbers that sliding sums are added up in: floats, of float or of half texels, 32-bit integers down a column, or pairs of 16-bit integers.
enum class Sums { floats, halves, integers, pairs };

// How a stream is cut: a thread a column, as many as a workgroup has, and rows that it goes down, a few in a step. What was
// measured on an H100: few columns leave room for many workgroups, many columns are few for the neighbors' sake; a segment
// is some times as long as the kernel, since the rows above it are summed for it alone.
struct StripShape {
  int columns = 128, rows = 128, step = 4;
  bool has_blocks = false, has_wide_blocks = false;  // sums of 4 and of 16 columns, of sliding sums
  Sums sums = Sums::floats;                          // numbers of sliding sums
  int log_results = 2;                               // 2^n results of a row by a thread, from as many windows
  bool turns = true;                                 // every other segment goes upward
  bool is_padded = false;      // values in shared memory: fewer registers for places, but more memory
  bool is_in_place = false;    // results take the place of sums in shared memory
  bool of_half_cells = false;  // their sums of columns are kept as halves

  int sum_bytes() const { return sums == Sums::pairs || of_half_cells ? 8 : 16; }
  bool has_exact_sums() const { return sums == Sums::pairs || sums == Sums::integers; }
};

// Bytes of shared memory of a workgroup: a step's sums and results, and the sums of blocks.
int shared_bytes(const StripShape& cut, Depth depth) {
  const int of_blocks = cut.columns / 4 * int(cut.has_blocks) + cut.columns / 16 * int(cut.has_wide_blocks);
  const int padding = cut.is_padded ? cut.columns >> cut.log_results : 0;
  const int of_result = cut.is_in_place ? 0 : 4 * int(bytes_of(depth));
  return cut.step * ((cut.columns + padding) * (cut.sum_bytes() + of_result) + 16 * of_blocks);
}

bool fits(const StripShape& cut, Depth depth, const DeviceTraits& traits) {
  return cut.columns <= traits.max_group_invocations && shared_bytes(cut, depth) <= traits.shared_bytes;
}

// Do the sums of 8-bit texels fit into 16 bits?
bool fits_pairs(const Blur& blur, Depth depth) {
  return depth == Depth::u8 && blur.border != Border::renormalize && largest_radius(blur) < 16 &&
         255 * (2 * blur.radius_x + 1) * (2 * blur.radius_y + 1) < 1 << 16;
}

// What was the fastest for sums of integers, which halves and 8 bits can be: they take the same registers at any radius.
// Where workgroups are large, those of a picture of 4096 x 4096 are just as many as run at once.
StripShape integers_cut(int radius) {
  StripShape cut{.columns = 640,
                 .rows = 256,
                 .step = 2,
                 .has_blocks = true,
                 .has_wide_blocks = radius >= 24,
                 .sums = Sums::integers};
  if (radius < 32) cut.columns = 320;
  if (radius >= 24) return cut;
  cut.rows = 128;
  cut.columns = radius < 12 ? 128 : 256;
  return cut;
}

// The same of floats, which of a column take the more registers the larger the radius.
StripShape floats_cut(int radius, Depth depth) {
  if (depth == Depth::half)
    return {.columns = radius < 16 ? 128 : 256,
            .rows = radius < 12   ? 48
                    : radius < 16 ? 72
                    : radius < 24 ? 64
                    : radius < 32 ? 96
                                  : 128,
            .sums = Sums::halves,
            .log_results = 3};
  if (radius >= 24) return {.columns = 320, .rows = 256, .has_blocks = true, .has_wide_blocks = true};
  return {.rows = radius >= 16 ? 64 : 32, .has_blocks = radius >= 8};
}

StripShape sums_cut(int radius, Depth depth) {
  const bool in_integers = depth == Depth::u8 || (depth == Depth::half && radius >= 40);
  return in_integers ? integers_cut(radius) : floats_cut(radius, depth);
}

// Returns whether the threads that make a row of results, `columns` / 2^n of them, are in one subgroup.
bool has_row_in_subgroup(const DeviceTraits& traits, int columns, int log_results) {
  const int size = traits.subgroup.size, threads = columns >> log_results;
  return traits.subgroup.has_shuffle && size % threads == 0 && columns % size == 0;
}

// Returns whether results can take the place of sums, and are faster so. For a gaussian of radius 4 or 5 of halves they are not.
bool is_in_place(const Blur& blur, Stream stream, const StripShape& cut, Depth depth, const DeviceTraits& traits) {
  const int radius = largest_radius(blur);
  const bool is_slow = stream == Stream::taps && depth == Depth::half && (radius == 4 || radius == 5);
  return depth != Depth::u8 && cut.columns <= 128 && !cut.has_exact_sums() && !is_slow &&
         has_row_in_subgroup(traits, cut.columns, cut.log_results);
}

StripShape cut_of(const Blur& blur, Stream stream, Depth depth, const DeviceTraits& traits) {
  const int radius = largest_radius(blur);
  StripShape cut = stream == Stream::sums ? sums_cut(radius, depth) : StripShape{};
  if (cut.sums == Sums::halves && cut.columns == 128 && has_row_in_subgroup(traits, cut.columns, 2))
    cut.log_results = 2;
  if (stream == Stream::sums && fits_pairs(blur, depth)) cut = {.rows = 64, .sums = Sums::pairs};
  if (stream == Stream::taps && radius <= 3) cut = {.columns = 64, .rows = radius == 1 ? 24 : 32};
  // An H100 gives all workgroups of a processor 48 KiB of shared memory. Where this limits how many run at once, padding costs
  // more than it saves.
  cut.is_padded = stream == Stream::taps ? radius > 3 && depth != Depth::f32 : cut.has_exact_sums();
  const auto decide_place = [&] { cut.is_in_place = is_in_place(blur, stream, cut, depth, traits); };
  decide_place();
  while (cut.columns > 64 && !fits(cut, depth, traits)) {
    cut.columns -= 64;
    decide_place();
  }
  return cut;
}

// Of a strip's columns those whose results it makes.
int strip_width(const Blur& blur, Stream stream, const StripShape& cut) {
  const int width = cut.columns - 2 * blur.radius_x - (stream == Stream::sums ? 1 : 0);
  return width >> cut.log_results << cut.log_results;
}

int group_count(const StripShape& cut, const Blur& blur, Stream stream, Size whole) {
  return div_ceil(whole.width, strip_width(blur, stream, cut)) * div_ceil(whole.height, cut.rows);
}

// Uses larger workgroups with longer segments, which sum fewer columns and rows twice. They are the fastest at these radii if
// the image has enough of them for a large GPU.
void enlarge(StripShape& cut, const Blur& blur, Stream stream, Depth depth, Size whole, const DeviceTraits& traits) {
  const int radius = largest_radius(blur);
  if (stream != Stream::taps || radius < 9 || radius > 10 || depth == Depth::f32) return;
  StripShape large = cut;
  large.columns = 192;
  large.rows = 384;
  large.is_in_place = false;
  if (group_count(large, blur, stream, whole) >= many_groups && fits(large, depth, traits)) cut = large;
}

// Threads that run at once on a large GPU, where registers limit them: 132 processors of an H100.
int threads_at_once(const StripShape& cut) {
  return 132 * (cut.has_exact_sums() ? 640 : cut.sums == Sums::halves ? 512 : 384);
}

// Rows that a sum down a column adds as a group: as few as keep the blocks of a core few. Halves use groups of 8 rows from radius 24
// on, where groups of 4 need too many registers, and for radii from 7 on whose core then has at most 2 rows beside its blocks.
int group_rows(int radius, Sums sums) {
  if (sums == Sums::halves) return radius < 7 || (radius < 24 && (2 * radius + 2) % 8 > 2) ? 4 : 8;
  int group = 4;
  while ((2 * radius + 2) / group - 1 > most_blocks) group *= 2;
  return group;
}

// Shortens segments, and makes workgroups of many columns smaller, where an image has too few workgroups for a large GPU.
// Segments get as many rows as make at most the workgroups that run at once: one more costs a second turn.
void shorten(StripShape& cut, const Blur& blur, Stream stream, Depth depth, Size whole) {
  constexpr int few_groups = 100;
  const int radius = largest_radius(blur), least_columns = depth == Depth::f32 ? 192 : 256;
  if (group_count(cut, blur, stream, whole) < few_groups)
    cut.columns = std::min(cut.columns, std::max(least_columns, round_up(4 * radius, 64)));
  const int strips = div_ceil(whole.width, strip_width(blur, stream, cut));
  const int segments = std::max(1, threads_at_once(cut) / cut.columns / strips);
  const int rows = std::max({div_ceil(whole.height, segments), 2 * blur.radius_y + 1, 32});
  const int group = cut.sums == Sums::floats ? group_rows(blur.radius_y, cut.sums) : 1;  // a segment has whole ones
  cut.rows = std::min(cut.rows, round_up(rows, std::max(16, group)));
}

// What scales sums of a box, so that those of the largest numbers do not overflow: each texel, each sum of a column, and the
// sum of those to half of the mean; of halves and bytes to the mean. Powers of two, and the quotients that they leave.
std::vector<float> scales_of(const Blur& blur, Depth depth, Sums sums) {
  const auto power_of = [](int count) { return std::ldexp(1.0, -int(std::bit_width(unsigned(2 * count - 1)))); };
  const double rows = 2 * blur.radius_y + 1, columns = 2 * blur.radius_x + 1;
  const double of_texel = depth == Depth::f32 ? power_of(int(rows)) : 1, of_column = power_of(int(columns));
  if (sums == Sums::halves) return {1, 1, float(1 / (rows * columns))};
  if (depth != Depth::f32) return {1, float(of_column / rows), float(1 / (columns * of_column))};
  return {float(of_texel), float(of_column / (rows * of_texel)), float(0.5 / (columns * of_column))};
}

// Columns whose sums threads exchange directly; only where full subgroups make up a workgroup of so many columns.
int exchanged_columns(const DeviceTraits& traits, int columns) {
  if (!traits.subgroup.has_shuffle || traits.subgroup.size < 8 || columns % traits.subgroup.size != 0) return 1;
  return traits.subgroup.size < 16 ? 4 : 16;
}

// The groups of rows of sums of floats. A thread keeps its window, or else the rows that leave, as long as registers hold them.
void add_groups(PassSpec& pass, int radius, Sums sums) {
  const int group = group_rows(radius, sums), window = 2 * radius + 2;
  const int most_kept = sums == Sums::halves ? 8 : 9;  // radius
  if (sums == Sums::floats && group > 8) pass.kernel = "blur/strip_long_sums.glsl";
  pass.defines.insert(pass.defines.end(), {{"GROUP", group},
                                           {"BLOCKS", window / group - 1},
                                           {"REST_ROWS", window % group},
                                           {"KEEPS_WINDOW", radius <= most_kept}});
}

// Returns whether threads can exchange sums of halves by shuffles.
bool shares_blocks(const DeviceTraits& traits, const StripShape& cut) {
  return cut.sums == Sums::halves && has_row_in_subgroup(traits, cut.columns, cut.log_results);
}

}  // namespace

PlanInput input_of_blur(PlanBuilder& builder) {
  PlanInput input = builder.input();
  // also where the source is the chain's input, which is not packed: tiles of packed images are stored like it
  if (builder.image(builder.current_image()).depth == Depth::f32 || input.is_r11g11b10_between)
    input.storage = Depth::f32;
  return input;
}

std::string stream_obstacle(const Blur& blur, Stream stream, const PlanInput& input, const DeviceTraits& traits) {
  const StripShape cut = cut_of(blur, stream, results_of(input), traits);
  if (!fits(cut, results_of(input), traits))
    return fmt::format("it needs workgroups of {} threads and {} bytes of shared memory; the device has {} and {}",
                       cut.columns, shared_bytes(cut, results_of(input)), traits.max_group_invocations,
                       traits.shared_bytes);
  if (8 * strip_width(blur, stream, cut) < cut.columns || 2 * blur.radius_y >= cut.rows)
    return fmt::format("{} columns and {} rows per workgroup are too few for radius {}", cut.columns, cut.rows,
                       largest_radius(blur));
  if (stream == Stream::taps && largest_radius(blur) > most_taps_radius)
    return fmt::format("its registers hold sums up to radius {}", most_taps_radius);
  if (stream == Stream::sums && std::min(blur.radius_x, blur.radius_y) < 3) return "it needs a radius of at least 3";
  return "";
}

namespace {

void add_taps(PassSpec& pass, const Blur& blur, bool cells_are_halves, std::vector<float> weights) {
  pass.defines.insert(
      pass.defines.end(),
      {{"RADIUS_X", blur.radius_x}, {"RADIUS_Y", blur.radius_y}, {"CELLS_ARE_HALVES", cells_are_halves}});
  pass.table = std::move(weights);
}

// The pass without what depends on the kernel's numbers.
PassSpec strip_pass(const Blur& blur, Stream stream, const StripShape& cut, Depth results, Size size, int source) {
  const bool has_sums = stream == Stream::sums;
  const int width = strip_width(blur, stream, cut);
  // Storing several rows at a time is faster for floats and for sums of halves. For other halves and bytes it is faster only if
  // the pass needs so many registers that few workgroups run at once.
  const bool is_slow = results == Depth::f32 || (stream == Stream::taps && largest_radius(blur) > 11);
  const bool is_short = stream == Stream::taps && cut.is_in_place && largest_radius(blur) <= 3;
  const int store_rows = cut.sums == Sums::halves ? 4 : is_slow || is_short ? 2 : 1;
  return {.name = has_sums ? "blur sliding" : "blur shared",
          .kernel = !has_sums                    ? "blur/strip_taps.glsl"
                    : cut.sums == Sums::pairs    ? "blur/strip_pairs.glsl"
                    : cut.sums == Sums::halves   ? "blur/strip_halves.glsl"
                    : cut.sums == Sums::integers ? "blur/strip_integers.glsl"
                                                 : "blur/strip_sums.glsl",
          .defines = {{"BORDER", int(blur.border), border_names},
                      {"TEXEL_BYTES", 4 * int(bytes_of(results))},
                      {"COLUMNS", cut.columns},
                      {"ROWS", cut.step},
                      {"FIRST_PLACE", has_sums},
                      {"LOG_RESULTS", cut.log_results},
                      {"MADE_COLUMNS", width},
                      {"LOG_SUM_BYTES", cut.sum_bytes() == 8 ? 3 : 4},
                      {"IS_PADDED", cut.is_padded},
                      {"IN_PLACE", cut.is_in_place},
                      {"TURNS", cut.turns},
                      {"SUMS_ARE_EXACT", cut.has_exact_sums()},
                      {"STORE_ROWS", store_rows}},
          .values = {{"width", size.width},
                     {"height", size.height},
                     {"radius_x", blur.radius_x},
                     {"radius_y", blur.radius_y},
                     {"strip_width", width},
                     {"segment_rows", cut.rows}},
          .grid = {.group = {cut.columns, 1}, .count = {div_ceil(size.width, width), div_ceil(size.height, cut.rows)}},
          .arithmetic = {.subgroup_size = cut.is_in_place ? std::max(8, cut.columns >> cut.log_results) : 0},
          .source = {.image = source},
          .access = {.reads_words = cut.sums == Sums::halves || cut.sums == Sums::pairs, .is_bounded = true}};
}

}  // namespace

void plan_stream(PlanBuilder& builder, const Blur& blur, Stream stream) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Depth results = results_of(input_of_blur(builder));
  StripShape cut = cut_of(blur, stream, results, builder.traits());
  enlarge(cut, blur, stream, results, builder.whole_size(), builder.traits());
  shorten(cut, blur, stream, results, builder.whole_size());
  PassSpec pass = strip_pass(blur, stream, cut, results, image.size, source);
  pass.access.tile_alignment = {strip_width(blur, stream, cut), 2 * cut.rows};
  if (stream == Stream::sums) {
    const int window = 2 * blur.radius_x + 2;  // and what enters or leaves
    const int block = 1 << cut.log_results;
    pass.defines.insert(pass.defines.end(), {{"CORE_BLOCKS", window / block - 1}, {"CORE_REST", window % block}});
  }
  if (cut.sums == Sums::pairs) {
    pass.defines.push_back({"WINDOW", 2 * blur.radius_y + 1});
    pass.table = {std::round(0x1p24F / float((2 * blur.radius_x + 1) * (2 * blur.radius_y + 1)))};
  } else if (stream == Stream::sums) {
    const int exchanged = exchanged_columns(builder.traits(), cut.columns);
    const bool shares = shares_blocks(builder.traits(), cut);
    pass.defines.insert(pass.defines.end(), {{"HAS_BLOCKS", cut.has_blocks},
                                             {"HAS_WIDE_BLOCKS", cut.has_wide_blocks},
                                             {"EXCHANGED", exchanged},
                                             {"SHARES_BLOCKS", shares}});
    int& subgroup_size = pass.arithmetic.subgroup_size;
    if (cut.has_blocks && exchanged > 1) subgroup_size = std::max({8, exchanged, subgroup_size});
    if (shares) subgroup_size = std::max(subgroup_size, cut.columns >> cut.log_results);
    pass.table = scales_of(blur, results, cut.sums);
    if (cut.sums != Sums::integers) add_groups(pass, blur.radius_y, cut.sums);
  } else {
    add_taps(pass, blur, false, weight_table(blur));
    pass.defines.push_back({"READS_FIRST_AT_ONCE", 0});
  }
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

namespace {

// There are far fewer cells than texels, so a segment is only so long that the image has about this many workgroups, which a large
// GPU runs at once.
constexpr int float_cell_groups = 352, half_cell_groups = 528;
constexpr int least_cell_groups = 128;  // with fewer workgroups, tiles are as fast
constexpr int least_cell_rows = 12;     // shorter segments sum too many rows twice
constexpr int cell_tile_side = 16;

StripShape cells_cut(const Blur& blur, Size size, Depth depth, const DeviceTraits& traits) {
  StripShape cut = cut_of(blur, Stream::taps, Depth::f32, traits);
  cut.is_padded = cut.of_half_cells = depth == Depth::half;
  cut.is_in_place = false;
  const int strips = div_ceil(size.width, std::max(1, strip_width(blur, Stream::taps, cut)));
  const int groups = cut.of_half_cells ? half_cell_groups : float_cell_groups;
  cut.rows = std::max(least_cell_rows, round_up(div_ceil(strips * size.height, groups), 4));
  cut.turns = false;  // the cells of a tile need not begin where those of the image do
  return cut;
}

}  // namespace

bool streams_cells(const Blur& blur, Size size, Depth depth, const DeviceTraits& traits) {
  const StripShape cut = cells_cut(blur, size, depth, traits);
  if (traits.type == DeviceType::cpu || blur.radius_x == 0 || largest_radius(blur) > most_taps_radius ||
      !fits(cut, depth, traits))
    return false;
  const int width = strip_width(blur, Stream::taps, cut);
  return width > 0 && div_ceil(size.width, width) * div_ceil(size.height, cut.rows) >= least_cell_groups;
}

int plan_cells_stream(PlanBuilder& builder, const Blur& blur, std::vector<float> weights, int source) {
  const auto [size, depth] = std::pair(builder.image(source).size, builder.image(source).depth);
  const StripShape cut = cells_cut(blur, size, depth, builder.traits());
  PassSpec pass = strip_pass(blur, Stream::taps, cut, depth, size, source);
  pass.name = "blur cells";
  add_taps(pass, blur, cut.of_half_cells, std::move(weights));
  pass.defines.push_back({"READS_FIRST_AT_ONCE", blur.radius_y > 0});
  const int target = pass.target.image = builder.add_image({.size = size, .depth = depth});
  builder.add(std::move(pass));
  return target;
}

bool tiles_cells(const Blur& blur, Depth depth, const DeviceTraits& traits) {
  const int columns = cell_tile_side + 2 * blur.radius_x, rows = cell_tile_side + 2 * blur.radius_y;
  const int of_cell = depth == Depth::half ? 8 : 16, of_weights = 8 * (blur.radius_x + blur.radius_y + 1);
  return traits.type != DeviceType::cpu && blur.radius_x > 0 && blur.radius_y > 0 &&
         cell_tile_side * cell_tile_side <= traits.max_group_invocations &&
         columns * (of_cell * rows + 16 * cell_tile_side) + of_weights <= traits.shared_bytes;
}

int plan_cells_tiles(PlanBuilder& builder, const Blur& blur, std::vector<float> weights, int source) {
  const auto [size, depth] = std::pair(builder.image(source).size, builder.image(source).depth);
  PassSpec pass{.name = "blur cells",
                .kernel = "blur/cells_tile.glsl",
                .defines = {{"BORDER", int(blur.border), border_names}, {"SIDE", cell_tile_side}},
                .values = {{"width", size.width}, {"height", size.height}},
                .grid = {.group = {cell_tile_side * cell_tile_side, 1},
                         .count = {div_ceil(size.width, cell_tile_side), div_ceil(size.height, cell_tile_side)}},
                .source = {.image = source},
                .access = {.is_bounded = true}};
  add_taps(pass, blur, depth == Depth::half, std::move(weights));
  const int target = pass.target.image = builder.add_image({.size = size, .depth = depth});
  builder.add(std::move(pass));
  return target;
}

}  // namespace gpupost
