#include "core/plan/strips.h"

#include "core/base/math.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpupost {

// Rows of the source for `count` rows of the target, without a margin and without a part of a row before them.
static int source_rows(const Strips& strips, int count) { return int(std::ceil(count * strips.scale)); }

// Rows of a ring that are not free for source_rows().
static int reserved_rows(const PassSpec& from, const PassSpec& to) {
  const Strips& strips = to.access.strips;
  const int part_of_row = strips.scale != std::floor(strips.scale) ? 1 : 0;
  return 2 * strips.margin + part_of_row + from.access.strips.rows - 1;
}

// Rows that `to` makes at a time, so that a ring holds all that it reads.
static int rows_at_a_time(const PassSpec& from, const PassSpec& to, int ring_rows) {
  const Strips& strips = to.access.strips;
  const auto rows = int((ring_rows - reserved_rows(from, to)) / strips.scale + 1e-9);
  return rows / strips.rows * strips.rows;
}

int ring_rows_of(const PassSpec& from, const PassSpec& to, const PlanImage& between, size_t strip_bytes) {
  const bool can_run = from.access.strips.grid_axis >= 0 && to.access.strips.grid_axis >= 0 &&
                       from.access.strips.margin == 0 && between.level_count == 1;
  if (!can_run || bytes_of(between) <= 2 * strip_bytes) return 0;
  const size_t row_bytes = size_t(between.size.width) * bytes_of_texel(between);
  const auto rows = int(std::bit_floor(std::max<size_t>(1, strip_bytes / row_bytes)));
  const auto least =
      int(std::bit_ceil(unsigned(source_rows(to.access.strips, to.access.strips.rows) + reserved_rows(from, to))));
  const int ring_rows = std::max(rows, least);
  return ring_rows <= between.size.height / 2 ? ring_rows : 0;
}

// Appends the dispatches of passes `index` and `index` + 1.
static void add_strips(const Plan& plan, size_t index, std::vector<Dispatch>& dispatches) {
  const Pass& from = plan.passes[index];
  const Pass& to = plan.passes[index + 1];
  const auto groups_of = [](const Pass& pass) { return pass.grid.count[size_t(pass.access.strips.grid_axis)]; };
  const auto add = [&](size_t pass_index, int first, int count) {
    const Pass& pass = plan.passes[pass_index];
    Dispatch& dispatch = dispatches.emplace_back(Dispatch{.pass = pass_index, .count = pass.grid.count});
    dispatch.first[size_t(pass.access.strips.grid_axis)] = first;
    dispatch.count[size_t(pass.access.strips.grid_axis)] = count;
  };
  const int step = rows_at_a_time(from, to, from.target_ring) / to.access.strips.rows;
  int made = 0;  // workgroups of `from`
  for (int first = 0; first < groups_of(to); first += step) {
    const int count = std::min(step, groups_of(to) - first);
    const int needed_rows =
        source_rows(to.access.strips, (first + count) * to.access.strips.rows) + to.access.strips.margin;
    const int needed = std::min(div_ceil(needed_rows, from.access.strips.rows), groups_of(from));
    if (needed > made) add(index, made, needed - made);
    made = std::max(made, needed);
    add(index + 1, first, count);
  }
}

std::vector<Dispatch> dispatches_of(const Plan& plan) {
  std::vector<Dispatch> dispatches;
  for (size_t index = 0; index < plan.passes.size(); ++index) {
    const Pass& pass = plan.passes[index];
    if (pass.source_ring > 0) continue;  // runs with the pass before
    if (pass.target_ring > 0) add_strips(plan, index, dispatches);
    else dispatches.push_back({.pass = index, .count = pass.grid.count});
  }
  return dispatches;
}

}  // namespace gpupost
