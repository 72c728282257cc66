// Sliding sums of a box for 8-bit texels with few weights. All sums have 16 bits, and a word holds two of them: one
// addition adds red and blue, another green and alpha. The image is read as words. A thread keeps the words of its window, WINDOW rows,
// so that it reads each of them once.
#include "blur/strip.glsl"

shared uvec2 column_sums[ROWS * sums_pitch];
uint mean_factor = uint(table[0]);  // 2^24 / texels of a window

uvec2 pairs_of(uint texel) { return uvec2(texel, texel >> 8) & 0x00ff00ffu; }

// A texel of the thread's column, as a word.
uint column_word(int column, int y) {
  const int own_row = row_of(y);
  const uint texel = source_word(ivec2(column, continued(own_row, height)));
#if BORDER == BORDER_BLACK
  return is_inside(own_x(), width) && is_inside(own_row, height) ? texel : 0u;
#else
  return texel;
#endif
}

uvec2 sum = uvec2(0);  // of the column's texels

void sum_column(int row, uint entering, uint leaving) {
  sum += pairs_of(entering) - pairs_of(leaving);
  column_sums[own_sum_at(row)] = sum;
}

// The mean of a window, rounded to nearest.
void keep(int row, int place, uvec2 window) {
  const uint half_step = 1u << 23;
  const uvec2 low = (window & 0xffffu) * mean_factor + half_step;
  const uvec2 high = (window >> 16) * mean_factor + half_step;
  results[result_at(row, place)] =
      (low.x >> 24) | ((low.y >> 16) & 0xff00u) | ((high.x >> 8) & 0xff0000u) | (high.y & 0xff000000u);
}

uvec2 block_sum(int row, int place, int offset) {
  return (column_sums[sum_at(row, place, offset)] + column_sums[sum_at(row, place, offset + 1)]) +
         (column_sums[sum_at(row, place, offset + 2)] + column_sums[sum_at(row, place, offset + 3)]);
}

// A thread's four results: their windows have a core of whole blocks of four columns and CORE_REST more in common.
void sum_rows() {
  const int row = result_row(), place = result_place();
  if (row >= ROWS || place >= strip_width) return;
  const int enter = 4 * CORE_BLOCKS + 4 + CORE_REST;  // from `place`
  uvec2 core = uvec2(0);
  [[unroll]] for (int index = 1; index <= CORE_BLOCKS; ++index)
    core += block_sum(row, place, 4 * index);
#if CORE_REST
  const int rest = 4 * CORE_BLOCKS + 4;
  core += column_sums[sum_at(row, place, rest)] + column_sums[sum_at(row, place, rest + 1)];
#endif
  const uvec2 l2 = column_sums[sum_at(row, place, 3)];
  const uvec2 l12 = l2 + column_sums[sum_at(row, place, 2)];
  const uvec2 l012 = l12 + column_sums[sum_at(row, place, 1)];
  const uvec2 e0 = column_sums[sum_at(row, place, enter)];
  const uvec2 e01 = e0 + column_sums[sum_at(row, place, enter + 1)];
  const uvec2 e012 = e01 + column_sums[sum_at(row, place, enter + 2)];
  keep(row, place, core + l012);
  keep(row, place + 1, core + l12 + e0);
  keep(row, place + 2, core + l2 + e01);
  keep(row, place + 3, core + e012);
}

void main() {
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = end_of_segment(begin);
  const int column = continued(own_x(), width);
  int entering = begin + radius_y;
  uint l[WINDOW + ROWS], e[ROWS];  // the rows that leave, and behind them the rest of the window; the next rows
  l[0] = 0u;
  [[unroll]] for (int row = 1; row < WINDOW; ++row) l[row] = column_word(column, entering - WINDOW + row);
  [[unroll]] for (int row = 1; row < WINDOW; ++row) sum += pairs_of(l[row]);
  [[unroll]] for (int row = 0; row < ROWS; ++row) e[row] = column_word(column, entering + row);
  [[dont_unroll]] for (int y = begin; y < end; y += ROWS) {
    entering += ROWS;
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
      l[WINDOW + row] = e[row];
      sum_column(row, e[row], l[row]);
    }
    [[unroll]] for (int row = 0; row < WINDOW; ++row) l[row] = l[row + ROWS];
    // the next rows are requested while these are summed
    [[unroll]] for (int row = 0; row < ROWS; ++row) e[row] = column_word(column, entering + row);
    barrier();
    sum_rows();
    barrier();
    store_results(y, end);
  }
}
