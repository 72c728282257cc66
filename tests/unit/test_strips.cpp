// Strips: the order of dispatches, and what a ring of rows holds.
#include "core/base/math.h"
#include "core/plan/strips.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace gpupost;

namespace {

struct Shape {
  int height, from_rows, to_rows, margin;
  double scale = 1;
};

Pass pass_of(int height, int rows, int margin, double scale = 1) {
  Pass pass;
  pass.access.strips = {.grid_axis = 1, .rows = rows, .margin = margin, .scale = scale};
  pass.grid.count = {3, div_ceil(height, rows)};
  return pass;
}

constexpr PlanImage image_of(int height) { return {.size = {16, height}}; }
constexpr size_t row_bytes = 16 * 16;

// Runs the dispatches on a ring that holds the number of each row. Returns whether the second pass found all rows that it
// reads, and made each row once.
bool is_complete(const Shape& shape, size_t strip_bytes) {
  Plan plan;
  const int made_height = int(shape.height / shape.scale);
  plan.passes = {pass_of(shape.height, shape.from_rows, 0),
                 pass_of(made_height, shape.to_rows, shape.margin, shape.scale)};
  const int ring = ring_rows_of(plan.passes[0], plan.passes[1], image_of(shape.height), strip_bytes);
  plan.passes[0].target_ring = plan.passes[1].source_ring = ring;
  std::vector<int> held(size_t(ring), -1), made(size_t(made_height), 0);
  for (const auto& [pass, first, count] : dispatches_of(plan)) {
    if (count[0] != 3 || first[0] != 0) return false;
    const Strips& strips = plan.passes[pass].access.strips;
    const int height = pass == 0 ? shape.height : made_height;
    const int begin = first[1] * strips.rows, end = std::min((first[1] + count[1]) * strips.rows, height);
    for (int y = begin; y < end; ++y) {
      if (pass == 0) held[size_t(y % ring)] = y;
      else ++made[size_t(y)];
    }
    if (pass == 0) continue;
    // a filter's taps are around the middle of the texel, and its margin has a row for that
    const int reach = strips.margin - (shape.scale == 1 ? 0 : 1);
    const auto under_middle = [&](int y) { return int((y + 0.5) * shape.scale); };
    const int lowest = under_middle(begin) - reach, highest = under_middle(end - 1) + reach;
    for (int y = std::max(0, lowest); y <= std::min(shape.height - 1, highest); ++y)
      if (held[size_t(y % ring)] != y) return false;
  }
  return std::ranges::all_of(made, [](int times) { return times == 1; });
}

}  // namespace

TEST_CASE("strips make each row once, from rows that the ring holds") {
  for (const Shape& shape : {Shape{1000, 1, 1, 0},
                             {1000, 1, 8, 7},
                             {999, 64, 8, 20},
                             {5000, 64, 518, 63},
                             {2003, 3, 5, 1},
                             {4096, 1, 8, 7},
                             {777, 1, 4, 8},
                             {1000, 4, 1, 7, 2},
                             {1000, 1, 1, 4, 0.37},
                             {2003, 4, 1, 12, 3.71},
                             {901, 4, 1, 2, 1.0000001}})
    for (const size_t rows : {1, 16, 40, 128, 200}) {
      CAPTURE(shape.height);
      CAPTURE(shape.margin);
      CAPTURE(rows);
      CHECK(is_complete(shape, rows * row_bytes));
    }
}

TEST_CASE("a ring has the rows that fit, at least those that a workgroup reads, and at most half of the image") {
  const auto rows_of = [](int height, int to_rows, int margin, size_t strip_rows) {
    return ring_rows_of(pass_of(height, 1, 0), pass_of(height, to_rows, margin), image_of(height),
                        strip_rows * row_bytes);
  };
  CHECK(rows_of(1000, 8, 7, 100) == 64);
  CHECK(rows_of(1000, 8, 7, 10) == 32);
  CHECK(rows_of(1000, 8, 300, 10) == 0);
  CHECK(rows_of(1000, 8, 7, 500) == 0);
  CHECK(rows_of(1000, 8, 7, 499) == 256);
  Pass with_margin = pass_of(1000, 1, 1), whole = pass_of(1000, 1, 0);
  whole.access.strips = {};
  CHECK(ring_rows_of(with_margin, pass_of(1000, 8, 7), image_of(1000), row_bytes) == 0);
  CHECK(ring_rows_of(whole, pass_of(1000, 8, 7), image_of(1000), row_bytes) == 0);
  CHECK(ring_rows_of(pass_of(1000, 1, 0), whole, image_of(1000), row_bytes) == 0);
}
