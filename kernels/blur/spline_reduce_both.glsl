// Reduces columns and rows to cells of a coarser grid with windows of four cells, in one pass, on a GPU. A workgroup goes down a
// strip of the image and makes SEGMENT rows of CELLS cells. COLUMNS threads sum a column each: texels of interval i add to
// rows of cells i - 3 to i. The other threads make the cells of a row from the finished sums of its columns, while the first
// ones go on. The sum of a cell does not depend on its segment. With CELLS_ARE_HALVES, sums of columns are halves too: then more
// workgroups run at once, so that no thread needs to read ahead.
#include "blur/border.glsl"
#include "blur/sums.glsl"

int thread = int(gl_LocalInvocationIndex);
int first_cell = CELLS * int(gl_WorkGroupID.x);
int own_x = int(table[columns_at + first_cell]) + thread;
int column = continued(own_x, width);

// One value of padding after four, so that threads whose columns are four apart use different banks.
int padded(int place) { return place + (place >> 2); }
const int pitch = COLUMNS + COLUMNS / 4;

shared SUM column_sums[2 * pitch];  // of two rows of cells in turn
// The part of the table that the workgroup needs. In the cache, texels would displace it.
shared vec4 row_weights[TEXEL_ROWS];
shared int starts[SEGMENT + 4];  // of intervals, from the first row
shared int cell_starts[CELLS + 4];  // first column of each cell, from the first one; a cell ends where the fourth next one begins
shared float cell_weights[CELLS * TAPS];

SOURCE_WORD word_of(int y) { return source_word(ivec2(column, continued(y, height))); }

// Reads the texels of an interval, from row `begin` up to `end`, both from the first row of the workgroup.
void read_interval(int first_y, int begin, int end, out SOURCE_WORD words[ROWS]) {
  [[unroll]] for (int k = 0; k < ROWS; ++k) words[k] = word_of(first_y + min(begin + k, end - 1));
}

vec4 texel_of(SOURCE_WORD word, int y) {
  const vec4 c = color_of_word(word);
#if BORDER == BORDER_BLACK
  return is_inside(own_x, width) && is_inside(y, height) ? c : vec4(0.0);
#else
  return c;
#endif
}

void read_table(int first, int first_y, int interval_count) {
  for (int index = thread; index <= interval_count; index += THREADS)
    starts[index] = int(table[intervals_at + first + index]) - first_y;
  for (int index = thread; index < TEXEL_ROWS; index += THREADS)
    row_weights[index] = table4[min(first_y + before + index, intervals_at / 4 - 1)];
  for (int index = thread; index < CELLS + 4; index += THREADS)
    cell_starts[index] =
        int(table[columns_at + min(first_cell + index, cells_x + 3)]) - int(table[columns_at + first_cell]);
  for (int index = thread; index < CELLS * TAPS; index += THREADS)
    cell_weights[index] = table[weights_at + min(first_cell * TAPS + index, cells_x * TAPS - 1)];
}

void make_cell(int index, int cell_y, int sums_at) {
  if (index >= CELLS || first_cell + index >= cells_x) return;
  const int start = cell_starts[index], count = cell_starts[index + 4] - start;
  vec4 sum = vec4(0.0);
  // columns beyond a cell may be infinite, so they are not multiplied by 0
  [[unroll]] for (int tap = 0; tap < TAPS; ++tap)
    if (tap < LEAST_TAPS || tap < count)
      sum += cell_weights[index * TAPS + tap] * color_of_sum(column_sums[sums_at + padded(start + tap)]);
  store(ivec2(first_cell + index, cell_y), sum);
}

void main() {
  const int first = SEGMENT * int(gl_WorkGroupID.y), interval_count = min(SEGMENT, cells_y - first) + 3;
  const int first_y = int(table[intervals_at + first]);
  read_table(first, first_y, interval_count);
  barrier();
  const bool sums_column = thread < COLUMNS;
  vec4 sum0 = vec4(0.0), sum1 = vec4(0.0), sum2 = vec4(0.0), sum3 = vec4(0.0);
#if !CELLS_ARE_HALVES
  SOURCE_WORD ahead[ROWS];  // texels of the next interval
  if (sums_column) read_interval(first_y, 0, starts[1], ahead);
#endif
  int begin = 0, end = starts[1];
  [[dont_unroll]] for (int interval = 0; interval < interval_count; ++interval) {
    const int sums_at = (interval & 1) * pitch;
    if (sums_column) {
      const int next_end = starts[min(interval + 2, interval_count)];
      SOURCE_WORD now[ROWS];
#if CELLS_ARE_HALVES
      read_interval(first_y, begin, end, now);
#else
      now = ahead;
      read_interval(first_y, end, next_end, ahead);
#endif
      [[unroll]] for (int k = 0; k < ROWS; ++k) {
        const int y = begin + k;
        if (k < LEAST_ROWS || y < end) {
          const vec4 weights = row_weights[y], c = texel_of(now[k], first_y + y);
          sum0 += weights.x * c;
          sum1 += weights.y * c;
          sum2 += weights.z * c;
          sum3 += weights.w * c;
        }
      }
      begin = end;
      end = next_end;
      column_sums[sums_at + padded(thread)] = packed_sum(sum0);
      sum0 = sum1;
      sum1 = sum2;
      sum2 = sum3;
      sum3 = vec4(0.0);
    }
    barrier();
    if (!sums_column && interval >= 3) make_cell(thread - COLUMNS, first + interval - 3, sums_at);
  }
}
