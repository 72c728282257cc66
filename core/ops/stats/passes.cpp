#include "core/ops/stats/passes.h"

#include "core/base/math.h"
#include "core/ops/stats/row.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr int counters = 24;  // of numbers that workgroups count together, those of bins behind them; 4 bytes each

// How workgroups take a picture: tile by tile. What was measured on an H100: as many workgroups as run at once, since each
// has to hand on what it has found, and texels of a thread whose loads are all on their way at once.
struct Walk {
  int columns = 64, each = 8;  // threads side by side, and texels of a thread in a tile
  int tile_columns = 1, tile_count = 1;
  int part_count = 1;   // workgroups
  int round_count = 1;  // tiles of a workgroup
};

Walk walk_of(const PlanImage& image, Measure measure, DeviceType type) {
  const bool is_all = measure == Measure::all;
  // an H100 has 132 processors; the fewer parts the less has the host to join, and a CPU the fewer histograms to add
  const int most_parts = !is_all ? 4 * 132 : type == DeviceType::cpu ? 128 : 512;
  const int most_texels = is_all ? 128 : 248;  // of a thread: it counts in bytes
  const bool has_room = !is_all && image.depth != Depth::f32 && type != DeviceType::cpu;
  Walk walk;
  const int rows = 256 / walk.columns;
  walk.each = has_room ? 8 : 4;
  walk.tile_columns = div_ceil(image.size.width, walk.columns);
  walk.tile_count = walk.tile_columns * div_ceil(image.size.height, rows * walk.each);
  walk.round_count = std::min(div_ceil(walk.tile_count, most_parts), most_texels / walk.each);
  walk.part_count = div_ceil(walk.tile_count, walk.round_count);
  return walk;
}

PassSpec measure_pass(PlanBuilder& builder, const Walk& walk, Measure measure, int statistics_at) {
  const int image = builder.current_image();
  const Size size = builder.image(image).size;
  return {.name = measure == Measure::all ? "statistics" : "extremes of luminance",
          .kernel = "stats/measure.glsl",
          .defines = {{"COLUMNS", walk.columns},
                      {"EACH", walk.each},
                      {"BINS_AT", counters},
                      {"MEASURE_ALL", measure == Measure::all},
                      {"UNROLLS", builder.traits().type != DeviceType::cpu}},
          .values = {{"end_x", size.width},
                     {"end_y", size.height},
                     {"texel_count", int32_t(texel_count(size))},
                     {"tile_columns", walk.tile_columns},
                     {"tile_count", walk.tile_count},
                     {"part_count", walk.part_count},
                     {"round_count", walk.round_count},
                     {"statistics_at", statistics_at}},
          .grid = {.count = {walk.part_count, 1}},
          .source = {.image = image},
          .target = {.image = image},
          .memory = {.has_statistics = true}};
}

// Appends passes that read the image again and add the standard deviations to its statistics.
void plan_deviations(PlanBuilder& builder, const Walk& walk, int statistics_at) {
  const size_t part_bytes = size_t(walk.part_count) * 2 * sizeof(float) * spread_count;
  PassSpec pass = measure_pass(builder, walk, Measure::all, statistics_at);
  pass.name = "deviations";
  pass.kernel = "stats/deviation.glsl";
  pass.values.push_back({"parts_at", builder.reserve_statistics(part_bytes, false)});
  pass.memory.bytes_written = part_bytes;
  PassSpec finish = pass;
  finish.name += ", the whole of parts";
  finish.kernel = "stats/deviation_finish.glsl";
  finish.grid.count = {1, 1};
  finish.memory.bytes_read = part_bytes;
  finish.memory.bytes_written = 2 * sizeof(float) * spread_count;
  builder.add(std::move(pass));
  builder.add(std::move(finish));
}

}  // namespace

int plan_statistics(PlanBuilder& builder, bool has_deviations) {
  if (const std::optional<int> at = builder.take_measured()) return *at;
  if (!builder.fuses_into_load()) builder.flush();
  const Walk walk = walk_of(builder.image(builder.current_image()), Measure::all, builder.traits().type);
  const bool in_one_dispatch = builder.traits().has_memory_model;
  constexpr size_t counter_bytes = sizeof(uint32_t) * size_t(counters + Histogram::bin_count);
  const size_t part_bytes = size_t(walk.part_count) * 4 * sizeof(float) * spread_count;
  const int at = builder.reserve_statistics(statistics_size * sizeof(uint32_t), false);
  PassSpec pass = measure_pass(builder, walk, Measure::all, at);
  pass.memory.bytes_written = statistics_size * sizeof(uint32_t);
  pass.defines.push_back({"ONE_DISPATCH", in_one_dispatch});
  if (in_one_dispatch) {
    pass.memory.scratch_bytes = counter_bytes + part_bytes;
    pass.memory.zeroed_bytes = counter_bytes;
    builder.add(std::move(pass));
    if (has_deviations) plan_deviations(builder, walk, at);
    return at;
  }
  pass.values.push_back({"meeting_at", builder.reserve_statistics(counter_bytes + part_bytes)});
  PassSpec finish = pass;
  finish.name += ", the whole of parts";
  finish.kernel = "stats/finish.glsl";
  finish.grid.count = {1, 1};
  finish.memory.bytes_read = part_bytes;
  builder.add(std::move(pass));
  builder.add(std::move(finish));
  if (has_deviations) plan_deviations(builder, walk, at);
  builder.note("statistics: in two passes, because the device lacks the Vulkan memory model");
  return at;
}

void plan_extremes(PlanBuilder& builder) {
  if (!builder.fuses_into_load()) builder.flush();
  const Walk walk = walk_of(builder.image(builder.current_image()), Measure::extremes, builder.traits().type);
  const size_t bytes = size_t(walk.part_count) * extremes_part_size * sizeof(uint32_t);
  const int at = builder.reserve_statistics(bytes, false);
  PassSpec pass = measure_pass(builder, walk, Measure::extremes, at);
  pass.memory.bytes_written = bytes;
  builder.add(std::move(pass));
  builder.return_statistics(at, bytes);
}

std::function<Call()> measured_by_stats() {
  return [] {
    Call call = default_call(stats_op);
    call.purpose = "the measurement of an op";
    return call;
  };
}

int plan_log_average(PlanBuilder& builder, double low_percent, double high_percent) {
  const int statistics_at = plan_statistics(builder);
  if (low_percent == 0 && high_percent == 100) return statistics_at + log_average_at;
  const int average_at = builder.reserve_statistics(sizeof(float), false);
  const int image = builder.current_image();
  builder.add({.name = "average between percentiles",
               .kernel = "stats/between.glsl",
               .values = {{"statistics_at", statistics_at},
                          {"average_at", average_at},
                          {"low_share", float(low_percent / 100)},
                          {"high_share", float(high_percent / 100)}},
               .source = {.image = image},
               .target = {.image = image},
               .memory = {.has_statistics = true,
                          .bytes_read = Histogram::bin_count * sizeof(uint32_t),
                          .bytes_written = sizeof(float)}});
  return average_at;
}

}  // namespace gpupost
