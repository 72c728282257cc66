// Enlarges a grid of cells to texels with windows of four cells, along both axes, on a GPU. The cells and weights of a workgroup
// are in shared memory. A thread goes down a column, and keeps four rows of cells at its column. Cells hold half of the sums,
// which only floats need: else the weights are doubled.
#include "blur/border.glsl"
#include "blur/sums.glsl"

shared SUM cells[CELL_ROWS * CELL_COLUMNS];
shared vec4 row_weights[TEXEL_ROWS];
shared int stops[CELL_ROWS];  // of intervals: the row behind them

int thread = int(gl_LocalInvocationIndex);
int x = COLUMNS * int(gl_WorkGroupID.x) + thread;
int column = min(x, width - 1);
vec4 weights_x = table4[columns_at + column];

// Converts the sum of a texel in row y of the thread's column to the value that is stored.
vec4 finished_sum(vec4 sum, int y) {
#if RENORMALIZES
  sum *= table[shares_at + column] * table[shares_at + width + y];
#endif
#if IS_FLOAT
  return stored(sum);
#else
  return sum;
#endif
}

void keep(ivec2 at, vec4 c) {
  if (at.x < width) store(at, c);
}

// Texels that threads exchange: as they are stored, if no op follows.
#ifdef STORES_BITS
#define STORED uvec2
uvec2 stored_of(vec4 c) { return half_bits(c).xy; }
void keep_stored(ivec2 at, uvec2 bits) {
  if (at.x < width) store_bits(at, bits);
}
#else
#define STORED vec4
#define stored_of(c) c
#define keep_stored keep
#endif

// Stores two texels of each thread, in rows y and y + 1. With LANES (half of a subgroup), one half stores row y and the other
// row y + 1. This is faster, because GPUs keep texels of two rows next to each other in memory.
void keep_two(int y, vec4 upper, vec4 lower) {
#if LANES
  const int row = thread / LANES % 2, first = x - LANES * row;
  const STORED above = stored_of(upper), below = stored_of(lower);
  const STORED got = subgroupShuffleXor(row == 1 ? above : below, LANES);
  keep_stored(ivec2(first, y + row), row == 1 ? got : above);
  keep_stored(ivec2(first + LANES, y + row), row == 1 ? below : got);
#else
  keep(ivec2(x, y), upper);
  keep(ivec2(x, y + 1), lower);
#endif
}

// A row of cells at the thread's column.
vec4 across(int place) {
  return weights_x.x * color_of_sum(cells[place]) + weights_x.y * color_of_sum(cells[place + 1]) +
         weights_x.z * color_of_sum(cells[place + 2]) + weights_x.w * color_of_sum(cells[place + 3]);
}

void main() {
  const int first = segment * int(gl_WorkGroupID.y), end = min(first + segment, intervals);
  const ivec2 corner = ivec2(int(table[cells_at + COLUMNS * int(gl_WorkGroupID.x)]), first_cell + first) - 1;
  const int first_y = int(table[intervals_at + first]);
  // unrolled, so that all cells are requested before the first is stored
  [[unroll]] for (int begin = 0; begin < CELL_ROWS * CELL_COLUMNS; begin += COLUMNS) {
    const int index = begin + thread;
    const ivec2 at = corner + ivec2(index % CELL_COLUMNS, index / CELL_COLUMNS);
    const SUM cell = packed_sum(load(ivec2(continued(at.x, cells_x), continued(at.y, cells_y))));
    if (index < CELL_ROWS * CELL_COLUMNS) cells[index] = cell;
  }
  for (int index = thread; index < end - first; index += COLUMNS)
    stops[index] = int(table[intervals_at + first + index + 1]);
  for (int index = thread; index < TEXEL_ROWS; index += COLUMNS)
    row_weights[index] = (IS_FLOAT == 1 ? 1.0 : 2.0) * table4[min(first_y + index, height - 1)];
  barrier();
  int place = int(table[cells_at + column]) - 1 - corner.x, y = first_y;
  const int last = stops[end - first - 1] - 1;
  vec4 sum0 = across(place), sum1 = across(place + CELL_COLUMNS), sum2 = across(place + 2 * CELL_COLUMNS);
  vec4 upper = vec4(0.0);
  place += 3 * CELL_COLUMNS;
  for (int interval = first; interval < end; ++interval) {
    const vec4 sum3 = across(place);
    place += CELL_COLUMNS;
    const int stop = stops[interval - first];
    for (; y < stop; ++y) {
      const vec4 weights = row_weights[y - first_y];
      const vec4 c = finished_sum(weights.x * sum0 + weights.y * sum1 + weights.z * sum2 + weights.w * sum3, y);
      const bool is_even = y % 2 == 0;
      if (is_even ? y == last : y == first_y) keep(ivec2(x, y), c);
      else if (!is_even) keep_two(y - 1, upper, c);
      upper = c;
    }
    sum0 = sum1;
    sum1 = sum2;
    sum2 = sum3;
  }
}
