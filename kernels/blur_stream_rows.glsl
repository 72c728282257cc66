// Sums of a box along the rows of column sums, without a subtraction: the windows of a thread's four results have most
// columns in common, a core of CORE_BLOCKS blocks of four columns and CORE_REST more. Each is what it alone has of the
// columns that leave within the four, the core, and what it alone has of those that enter. How long the core is stands
// in the text, so that its sums are read all at once.
#include "blur_stream.glsl"

const int block_count = ROWS * COLUMNS / 4;
#if HAS_BLOCKS
shared vec4 block_sums[block_count];  // of four columns each, from places that are multiples of four
#endif
#if HAS_WIDE_BLOCKS
shared vec4 wide_sums[block_count];  // of a block and the next three
#endif

// Texels of a side of the picture that a window around `at` covers, to those of a whole window.
float share_inside(int at, int radius, int side) {
  return float(min(at + radius, side - 1) - max(at - radius, 0) + 1) / float(2 * radius + 1);
}

void keep(int row, int place, int y, vec4 sum) {
  vec4 half_mean = table[2] * sum;
#if BORDER == 4
  half_mean /= share_inside(first_x() + place, radius_x, width) * share_inside(y + row, radius_y, height);
#endif
  keep_result(row, place, doubled(half_mean));
}

vec4 block_sum(int from) {
  return (column_sums[from] + column_sums[from + 1]) + (column_sums[from + 2] + column_sums[from + 3]);
}

void sum_blocks() {
  const int block = int(gl_LocalInvocationIndex);
#if HAS_BLOCKS
  if (block < block_count) block_sums[block] = block_sum(result_row() * pitch + padded(result_place()));
  barrier();
#endif
#if HAS_WIDE_BLOCKS
  if (block < block_count - 3)
    wide_sums[block] = (block_sums[block] + block_sums[block + 1]) + (block_sums[block + 2] + block_sums[block + 3]);
  barrier();
#endif
}

// The sum of the core of the windows from `place`.
vec4 core_sum(int row, int place) {
  vec4 sum = vec4(0.0);
#if HAS_BLOCKS
  const int block = row * (COLUMNS / 4) + place / 4 + 1;
  const int wide_count = HAS_WIDE_BLOCKS * (CORE_BLOCKS / 4);
#if HAS_WIDE_BLOCKS
  [[unroll]] for (int index = 0; index < wide_count; ++index) sum += wide_sums[block + 4 * index];
#endif
  [[unroll]] for (int index = 4 * wide_count; index < CORE_BLOCKS; ++index) sum += block_sums[block + index];
#else
  [[unroll]] for (int index = 1; index <= CORE_BLOCKS; ++index)
    sum += block_sum(row * pitch + padded(place + 4 * index));
#endif
#if CORE_REST
  const int rest = row * pitch + padded(place + 4 * CORE_BLOCKS + 4);
  sum += column_sums[rest] + column_sums[rest + 1];
#endif
  return sum;
}

// A thread's four results: of four windows beside each other the first begins at place + 1.
void sum_rows(int y) {
  const int row = result_row(), place = result_place();
  if (row >= ROWS || place >= strip_width) return;
  const int left = row * pitch + padded(place), enter = place + 4 * CORE_BLOCKS + 4 + CORE_REST;
  const vec4 core = core_sum(row, place);
  const vec4 l2 = column_sums[left + 3];
  const vec4 l12 = l2 + column_sums[left + 2];
  const vec4 l012 = l12 + column_sums[left + 1];
  const vec4 e0 = column_sums[row * pitch + padded(enter)];
  const vec4 e01 = e0 + column_sums[row * pitch + padded(enter + 1)];
  const vec4 e012 = e01 + column_sums[row * pitch + padded(enter + 2)];
  keep(row, place, y, core + l012);
  keep(row, place + 1, y, core + l12 + e0);
  keep(row, place + 2, y, core + l2 + e01);
  keep(row, place + 3, y, core + e012);
}
