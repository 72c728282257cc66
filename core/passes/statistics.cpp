#include "core/passes/statistics.h"

#include <bit>

namespace gpupost {

namespace {

constexpr int texels_a_thread = 16, columns = 64;  // of a workgroup of 256

// What workgroups meet at: as in kernels/statistics_parts.glsl.
constexpr int counters = 24;  // in units of 4 bytes, those of bins behind them

struct Grid {
  int columns = 1, rows = 1;
  int count() const { return columns * rows; }
};

Grid grid_of(Size size) {
  constexpr int side = 64;
  static_assert(columns == side && texels_a_thread * 256 == side * side);
  return {(size.width + side - 1) / side, (size.height + side - 1) / side};
}

Pass measure_pass(Size size, Measure measure, int statistics_at) {
  const Grid grid = grid_of(size);
  return {.name = measure == Measure::all ? "statistics" : "extremes of luminance",
          .kernel = "statistics_measure.glsl",
          .literals = {{"COLUMNS", columns}, {"EACH", texels_a_thread}, {"MEASURE_ALL", measure == Measure::all}},
          .values = {{"end_x", size.width},
                     {"end_y", size.height},
                     {"texel_count", int32_t(texel_count(size))},
                     {"part_count", grid.count()},
                     {"statistics_at", statistics_at}},
          .group_count = {grid.columns, grid.rows},
          .has_statistics = true,
          .bytes_written = statistics_size * sizeof(uint32_t)};
}

}  // namespace

int plan_statistics(PlanBuilder& builder, Measure measure) {
  if (!builder.input().fuses) builder.flush();
  const int image = builder.current_image();
  const Size size = builder.image(image).size;
  const bool in_one_dispatch = builder.traits().has_memory_model;
  const size_t counter_bytes =
      sizeof(uint32_t) * size_t(counters + (measure == Measure::all ? Histogram::bin_count : 0));
  const size_t part_bytes =
      size_t(grid_of(size).count()) * 4 * sizeof(float) * (measure == Measure::all ? spread_count : 1);
  const int at = builder.reserve_statistics(statistics_size * sizeof(uint32_t), false);
  Pass pass = measure_pass(size, measure, at);
  pass.source_image = pass.target_image = image;
  pass.literals.push_back({"ONE_DISPATCH", in_one_dispatch});
  pass.literals.push_back({"UNROLLS", measure == Measure::extremes && builder.traits().type != DeviceType::cpu});
  if (in_one_dispatch) {
    pass.scratch_bytes = counter_bytes + part_bytes;
    pass.zeroed_bytes = counter_bytes;
    builder.add(std::move(pass));
    return at;
  }
  pass.values.push_back({"meeting_at", builder.reserve_statistics(counter_bytes + part_bytes)});
  Pass finish = pass;
  finish.name += ", the whole of parts";
  finish.kernel = "statistics_finish.glsl";
  finish.group_count = {1, 1};
  finish.bytes_read = part_bytes;
  builder.add(std::move(pass));
  builder.add(std::move(finish));
  builder.note("statistics: in two passes, since the device has not the Vulkan memory model");
  return at;
}

int plan_log_average(PlanBuilder& builder, double low_percent, double high_percent) {
  const int statistics_at = plan_statistics(builder);
  if (low_percent == 0 && high_percent == 100) return statistics_at + log_average_at;
  const int average_at = builder.reserve_statistics(sizeof(float), false);
  const int image = builder.current_image();
  builder.add({.name = "average between percentiles",
               .kernel = "statistics_between.glsl",
               .values = {{"statistics_at", statistics_at},
                          {"average_at", average_at},
                          {"low_bits", std::bit_cast<int32_t>(float(low_percent / 100))},
                          {"high_bits", std::bit_cast<int32_t>(float(high_percent / 100))}},
               .source_image = image,
               .target_image = image,
               .has_statistics = true,
               .bytes_read = Histogram::bin_count * sizeof(uint32_t),
               .bytes_written = sizeof(float)});
  return average_at;
}

}  // namespace gpupost
