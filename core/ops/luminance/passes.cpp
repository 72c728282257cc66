#include "core/ops/luminance/passes.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/ops/luminance/reference.h"
#include "core/plan/kernel_choices.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpupost {

namespace {

int exponent_of(int count) { return int(std::bit_width(unsigned(count - 1))); }  // of the power of two not below it

enum Exchange { interleaved, sequential, unrolled, by_subgroups };
constexpr std::string_view exchange_names[] = {"interleaved", "sequential", "unrolled", "by-subgroups"};

// How a workgroup reduces a piece. The words are those of `--variant`.
struct GroupShape {
  std::string_view name;
  int columns = 16, rows = 16;  // threads
  int each = 1;                 // texels that a thread reads at once, side by side
  Exchange exchange = unrolled;
};
constexpr GroupShape ways[] = {{"interleaved", 16, 16, 1, interleaved}, {"sequential", 16, 16, 1, sequential},
                               {"unrolled", 16, 16, 1, unrolled},       {"fetch2", 8, 8, 2, unrolled},
                               {"fetch4-16", 4, 4, 4, unrolled},        {"fetch4-64", 8, 8, 4, unrolled},
                               {"fetch4-256", 16, 16, 4, unrolled}};
constexpr std::string_view subgroup_name = "subgroup";
constexpr int threads = 256;     // of a workgroup of subgroups
constexpr int most_rounds = 16;  // reads of a thread one behind the other

// What a pass reads along one axis, and in which pieces.
struct Pieces {
  AxisCells cut;
  int count = 1;   // in a cell
  int length = 1;  // in texels
  AxisCells left;  // what a later pass reads
};

Pieces pieces_of(const AxisCells& cut, int most) {
  const int count = div_ceil(cut.longest(), most);
  return {.cut = cut,
          .count = count,
          .length = std::min(most, cut.longest()),
          .left = {.texels = cut.cells * count, .cells = cut.cells, .tile = count}};
}

// Every texel by itself: nothing is reduced along the axis.
Pieces single_texels(const AxisCells& cut) {
  return {.cut = {.texels = cut.length(), .cells = cut.length(), .tile = 1}, .left = cut};
}

// Powers of two that numbers are divided by: as they are loaded, once a thread has summed its own, and before those of
// several workgroups are summed.
struct Scales {
  int load = 0, group = 0, join = 0;
};

// Counters of 4 bytes, one a cell, in texels of 16.
int counter_texels(Size cells) { return int(div_ceil(int(texel_count(cells)), 4)); }

// The cells that the current image holds, which may be a tile.
Cells cells_of_tile(const Call& call, const PlanBuilder& builder, Size whole) {
  const Cells cells = cells_of(call, whole);
  const auto [corner, size] = builder.made_of(size_of(cells));
  if (size == size_of(cells)) return cells;
  return {.x = cells.x.part(corner.x, size.width), .y = cells.y.part(corner.y, size.height)};
}

// The passes of one call, one behind the other.
class Reduction {
 public:
  Reduction(const Call& call, PlanBuilder& builder)
      : builder_(builder),
        cells_(cells_of_tile(call, builder, builder.whole_size())),
        measure_(cell_measure_of(call)),
        light_(call.integer("weights")),
        source_(builder.current_image()),
        x_(cells_.x),
        y_(cells_.y) {}

  const AxisCells& x() const { return x_; }
  const AxisCells& y() const { return y_; }
  Depth depth() const { return builder_.image(source_).depth; }
  bool is_done() const {
    return source_ != builder_.current_image() && x_.length() == x_.cells && y_.length() == y_.cells;
  }

  // Appends a pass whose workgroups, subgroups or threads make a piece each; its kernel, its literals and its sizes are
  // given. `joins`: it reduces the pieces too.
  void add(PassSpec pass, const Pieces& x, const Pieces& y, Scales scales, bool joins = false);
  void finish() {
    builder_.set_result_depth(Depth::f32);
    builder_.set_current_image(source_);
  }

 private:
  PlanBuilder& builder_;
  Cells cells_;
  CellMeasure measure_;
  int light_;
  int source_;  // what the next pass reads, and how it is cut
  AxisCells x_, y_;
  int exponent_ = 0;  // of the power of two that its numbers were divided by
};

// What a pass reads: light, with the weights of --weights, or what a pass before has made.
constexpr std::string_view light_names[] = {"rec709", "document", "made-before"};
constexpr int made_before = 2;

void Reduction::add(PassSpec pass, const Pieces& x, const Pieces& y, Scales scales, bool joins) {
  const Size cells = size_of(cells_);
  const Size made = joins ? cells : Size{x.left.length(), y.left.length()};
  const bool is_first = source_ == builder_.current_image();
  // a luminance may exceed the largest number by a rounding; the least and the largest of some exceed none of them
  if (measure_ == CellMeasure::minimum || measure_ == CellMeasure::maximum) scales = {};
  if (is_first) ++scales.load;
  exponent_ += scales.load + scales.group + scales.join;
  pass.name = is_first ? "luminance" : "luminance of pieces";
  pass.source.image = source_;
  pass.target.image = builder_.add_image({.size = made, .depth = Depth::f32});
  pass.defines.insert(pass.defines.end(), {{"LIGHT", is_first ? light_ : made_before, light_names},
                                           {"MEASURE", int(measure_), measure_names},
                                           {"IS_LAST", made == cells}});
  pass.values = {{"texels_x", x.cut.texels},
                 {"texels_y", y.cut.texels},
                 {"cells_x", x.cut.cells},
                 {"cells_y", y.cut.cells},
                 {"first_x", cells_.x.first},
                 {"first_y", cells_.y.first},
                 {"side_cells_x", cells_.x.side_cells > 0 ? cells_.x.side_cells : cells_.x.cells},
                 {"side_cells_y", cells_.y.side_cells > 0 ? cells_.y.side_cells : cells_.y.cells},
                 {"tile_x", x.cut.tile},
                 {"tile_y", y.cut.tile},
                 {"pieces_x", x.count},
                 {"pieces_y", y.count},
                 {"piece_x", x.length},
                 {"piece_y", y.length},
                 {"whole_x", cells_.x.texels},
                 {"whole_y", cells_.y.texels},
                 {"whole_tile_x", cells_.x.tile},
                 {"whole_tile_y", cells_.y.tile},
                 {"load_exponent", scales.load},
                 {"group_exponent", scales.group},
                 {"join_exponent", scales.join},
                 {"total_exponent", exponent_},
                 {"texel_offset", counter_texels(cells)}};
  source_ = pass.target.image;
  x_ = joins ? single_texels({.texels = cells.width}).cut : x.left;
  y_ = joins ? single_texels({.texels = cells.height}).cut : y.left;
  builder_.add(std::move(pass));
}

// --- as the document does it ------------------------------------------------------------------------------------------

void add_group_pass(Reduction& reduction, const GroupShape& way) {
  const int block_x = way.columns * way.each, block_y = way.rows;
  const int rounds_x = std::min(div_ceil(reduction.x().longest(), block_x), most_rounds);
  const int rounds_y = std::min(div_ceil(reduction.y().longest(), block_y), most_rounds / rounds_x);
  const Pieces x = pieces_of(reduction.x(), rounds_x * block_x), y = pieces_of(reduction.y(), rounds_y * block_y);
  reduction.add(
      {.kernel = "luminance/group.glsl",
       .defines = {{"COLUMNS", way.columns},
                   {"THREADS", way.columns * way.rows},
                   {"EACH", way.each},
                   {"ACROSS", 1},
                   {"EXCHANGE", way.exchange, exchange_names},
                   {"SUBGROUPS", 0},
                   {"JOINS", 0}},
       .grid = {.group = {way.columns * way.rows, 1}, .count = {x.cut.cells * x.count, y.cut.cells * y.count}}},
      x, y, {.load = exponent_of(rounds_x * rounds_y * way.each), .group = exponent_of(way.columns * way.rows)});
}

// --- for GPUs ---------------------------------------------------------------------------------------------------------

constexpr int most_reads = 16;  // of a thread at once

// The same where all of the picture is a few cells: as many bytes on their way in either depth.
int few_reads(Depth depth) { return depth == Depth::f32 ? 4 : 8; }

// Texels of a column that a thread reads at once where `rows` threads stand below each other.
int reads_of(const AxisCells& y, int rows) {
  return std::min(most_reads, int(std::bit_ceil(unsigned(div_ceil(y.longest(), rows)))));
}

// A subgroup a cell.
void add_cells_pass(Reduction& reduction, int subgroup_size) {
  const AxisCells &cut_x = reduction.x(), &cut_y = reduction.y();
  const int columns = std::min(subgroup_size, int(std::bit_ceil(unsigned(cut_x.longest()))));
  const int rows = subgroup_size / columns, each = reads_of(cut_y, rows);
  const int rounds = div_ceil(cut_x.longest(), columns) * div_ceil(cut_y.longest(), rows * each);
  reduction.add(
      {.kernel = "luminance/cells.glsl",
       .defines = {{"COLUMNS", columns}, {"EACH", each}, {"SUBGROUPS", 1}},
       .grid = {.group = {threads, 1}, .count = {div_ceil(cut_x.cells, threads / subgroup_size), cut_y.cells}},
       .arithmetic = {.reduces_in_subgroups = true}},
      pieces_of(cut_x, cut_x.longest()), pieces_of(cut_y, cut_y.longest()),
      {.load = exponent_of(rounds * each), .group = exponent_of(subgroup_size)});
}

// A workgroup a piece. Where cells are few, so are their pieces, since each has to be handed on: as many as an H100 works
// on at once.
void add_pieces_pass(Reduction& reduction, bool can_join) {
  constexpr int many_cells = 512;
  const AxisCells &cut_x = reduction.x(), &cut_y = reduction.y();
  const int64_t cell_count = int64_t(cut_x.cells) * cut_y.cells;
  const bool are_few = cell_count < many_cells;
  const int columns = std::min(64, int(std::bit_floor(unsigned(cut_x.longest()))));
  const int rows = threads / columns;
  const int each = std::min(are_few ? few_reads(reduction.depth()) : most_reads, reads_of(cut_y, rows));
  const int blocks_x = div_ceil(cut_x.longest(), columns), blocks_y = div_ceil(cut_y.longest(), rows * each);
  const int rounds =
      are_few ? std::min(most_rounds, div_ceil(int(cell_count) * blocks_x * blocks_y, many_cells)) : most_rounds;
  const int rounds_x = std::min(blocks_x, rounds), rounds_y = std::min(blocks_y, rounds / rounds_x);
  const Pieces x = pieces_of(cut_x, rounds_x * columns), y = pieces_of(cut_y, rounds_y * rows * each);
  const Size cells{cut_x.cells, cut_y.cells};
  const int count = x.count * y.count;  // in a cell
  const bool joins = can_join && count > 1;
  const size_t counter_bytes = 16 * size_t(counter_texels(cells));
  reduction.add({.kernel = "luminance/group.glsl",
                 .defines = {{"COLUMNS", columns},
                             {"THREADS", threads},
                             {"EACH", each},
                             {"ACROSS", 0},
                             {"EXCHANGE", by_subgroups, exchange_names},
                             {"SUBGROUPS", 1},
                             {"JOINS", joins}},
                 .grid = {.group = {threads, 1}, .count = {cells.width * x.count, cells.height * y.count}},
                 .arithmetic = {.reduces_in_subgroups = true},
                 .memory = {.scratch_bytes = joins ? counter_bytes + 16 * texel_count(cells) * size_t(count) : 0,
                            .zeroed_bytes = joins ? counter_bytes : 0}},
                x, y,
                {.load = exponent_of(rounds_x * rounds_y * each),
                 .group = exponent_of(threads),
                 .join = joins ? exponent_of(count) : 0},
                joins);
}

void add_subgroup_pass(Reduction& reduction, const DeviceTraits& traits) {
  constexpr int most_texels = 1024;  // that a subgroup takes by itself
  if (reduction.x().longest() * int64_t(reduction.y().longest()) <= most_texels)
    add_cells_pass(reduction, std::min(traits.subgroup.size, threads));
  else add_pieces_pass(reduction, traits.has_memory_model);
}

// --- for CPUs, and for few texels a cell ------------------------------------------------------------------------------

void add_line_pass(Reduction& reduction) {
  constexpr int most_texels = 256;
  const bool on_y = reduction.y().longest() > 1;
  const Pieces x = on_y ? single_texels(reduction.x()) : pieces_of(reduction.x(), most_texels);
  const Pieces y = on_y ? pieces_of(reduction.y(), most_texels) : single_texels(reduction.y());
  reduction.add({.kernel = "luminance/line.glsl",
                 .defines = {{"AXIS", on_y ? along_y : along_x, axis_names}},
                 .grid = {.group = {64, 1}, .count = {div_ceil(x.cut.cells * x.count, 64), y.cut.cells * y.count}}},
                x, y, {.load = exponent_of(on_y ? y.length : x.length)});
}

// --- the choice -----------------------------------------------------------------------------------------------------

const GroupShape* way_named(std::string_view name) {
  const auto way = std::ranges::find(ways, name, &GroupShape::name);
  return way == std::end(ways) ? nullptr : way;
}

// Why the device cannot do it; "" where it can.
std::string obstacle(std::string_view variant, const DeviceTraits& traits) {
  const GroupShape* way = way_named(variant);
  const int needed = way ? way->columns * way->rows : threads;
  if (traits.max_group_invocations < needed)
    return fmt::format("it needs workgroups of {} threads; the device has {}", needed, traits.max_group_invocations);
  if (!way && !traits.subgroup.has_reductions) return "the device's subgroups do not support sums";
  return "";
}

// What `auto` takes; "": lines.
std::string_view chosen(const DeviceTraits& traits) {
  if (traits.type == DeviceType::cpu) return "";
  for (const std::string_view name : {subgroup_name, std::string_view("fetch4-256")})
    if (obstacle(name, traits).empty()) return name;
  return "";
}

}  // namespace

const std::vector<std::string_view>& luminance_variants() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> made;
    for (const GroupShape& way : ways) made.push_back(way.name);
    made.push_back(subgroup_name);
    return made;
  }();
  return names;
}

void plan_luminance(const Call& call, PlanBuilder& builder) {
  const DeviceTraits& traits = builder.traits();
  const bool is_asked_for = call.choice("variant") != "auto";
  const std::string_view variant = is_asked_for ? call.choice("variant") : chosen(traits);
  if (const std::string why = is_asked_for ? obstacle(variant, traits) : ""; !why.empty())
    fail(Exit::usage, "luminance: --variant {} cannot run on {}: {}; expected --variant auto", variant, traits.name,
         why);
  Reduction reduction(call, builder);
  while (!reduction.is_done()) {
    if (variant.empty()) add_line_pass(reduction);
    else if (const GroupShape* way = way_named(variant)) add_group_pass(reduction, *way);
    else add_subgroup_pass(reduction, traits);
  }
  reduction.finish();
  builder.note(fmt::format("luminance: {}, {}", variant.empty() ? "one thread per line of texels" : variant,
                           is_asked_for      ? "asked for"
                           : variant.empty() ? "barriers and shared memory are slow on a CPU device"
                                             : "the fastest on a GPU"));
}

}  // namespace gpupost
