// Reduces columns to cells of a coarser grid with windows of four cells, on a GPU. A thread goes down a column and makes SEGMENT
// cells. With LANES (half of a subgroup), two threads share a column and take every second texel each. Texels of interval
// i add to cells i - 3 to i. The sum of a cell does not depend on its segment. The next CHUNK texels are read before they
// are needed.
#include "blur/border.glsl"

int thread = int(gl_LocalInvocationIndex);
#if LANES
// two neighboring halves of a subgroup have the same LANES columns
const int phases = 2;
int column_in_group = thread / (2 * LANES) * LANES + thread % LANES, phase = thread / LANES % 2;
#else
const int phases = 1;
int column_in_group = thread, phase = 0;
#endif

// The part of the table that the workgroup needs. In the cache, texels would displace it.
shared vec4 row_weights[TEXEL_ROWS];
shared int starts[SEGMENT + 4];  // of intervals, from the first row

int own_x = COLUMNS * int(gl_WorkGroupID.x) + column_in_group;
int column = min(own_x, width - 1);

SOURCE_WORD word_of(int y) { return source_word(ivec2(column, continued(y, height))); }

vec4 texel_of(SOURCE_WORD word, int y) {
  const vec4 c = color_of_word(word);
#if BORDER == BORDER_BLACK
  return is_inside(own_x, width) && is_inside(y, height) ? c : vec4(0.0);
#else
  return c;
#endif
}

void main() {
  const int first = SEGMENT * int(gl_WorkGroupID.y), cell_count = min(SEGMENT, cells - first);
  const int interval_count = cell_count + 3, first_y = int(table[intervals + first]);
  for (int index = thread; index <= interval_count; index += phases * COLUMNS)
    starts[index] = int(table[intervals + first + index]) - first_y;
  for (int index = thread; index < TEXEL_ROWS; index += phases * COLUMNS)
    row_weights[index] = table4[min(first_y + before + index, intervals / 4 - 1)];
  barrier();
  vec4 sum0 = vec4(0.0), sum1 = vec4(0.0), sum2 = vec4(0.0), sum3 = vec4(0.0);
  int interval = 0, y = 0, stop = starts[1];
  SOURCE_WORD ahead[CHUNK];
  [[unroll]] for (int k = 0; k < CHUNK; ++k) ahead[k] = word_of(first_y + min(y + phase + phases * k, stop - 1));
  while (interval < interval_count) {
    SOURCE_WORD now[CHUNK];
    [[unroll]] for (int k = 0; k < CHUNK; ++k) now[k] = ahead[k];
    const int from = y + phase, end = stop, current = interval;
    y += phases * CHUNK;
    const bool is_done = y >= stop;
    if (is_done) {
      interval++;
      y = stop;
      stop = starts[min(interval + 1, interval_count)];
    }
    [[unroll]] for (int k = 0; k < CHUNK; ++k) ahead[k] = word_of(first_y + min(y + phase + phases * k, stop - 1));
    [[unroll]] for (int k = 0; k < CHUNK; ++k) {
      const int row = from + phases * k;
      if (row < end) {
        const vec4 weights = row_weights[row], c = texel_of(now[k], first_y + row);
        sum0 += weights.x * c;
        sum1 += weights.y * c;
        sum2 += weights.z * c;
        sum3 += weights.w * c;
      }
    }
    if (!is_done) continue;
#if LANES
    const vec4 sum = sum0 + subgroupShuffleXor(sum0, LANES);
#else
    const vec4 sum = sum0;
#endif
    if (current >= 3 && phase == 0 && own_x < width) store(ivec2(own_x, first + current - 3), sum);
    sum0 = sum1;
    sum1 = sum2;
    sum2 = sum3;
    sum3 = vec4(0.0);
  }
}
