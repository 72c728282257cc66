// Sums of a box along the rows of column sums, without a subtraction: the windows of a thread's results have most
// columns in common, a core of CORE_BLOCKS blocks of four columns and CORE_REST more. Each is what it alone has of the
// columns that leave within the results, the core, and what it alone has of those that enter. How long the core is
// stands in the text, so that its sums are read all at once.
#include "blur/strip.glsl"

#if !IN_PLACE
shared vec4 column_sums[ROWS * sums_pitch];
vec4 column_sum_of(int index) { return column_sums[index]; }
void keep_sum(int index, vec4 sum) { column_sums[index] = sum; }
#endif
vec4 column_sum_at(int row, int place, int offset) { return column_sum_of(sum_at(row, place, offset)); }

// EXCHANGED: columns whose sums threads exchange directly: all of a wide block (16), of a block (4), or none (1).
#if HAS_BLOCKS
shared vec4 block_sums[ROWS * COLUMNS / 4];  // of four columns each, from places that are multiples of four
#endif
#if HAS_WIDE_BLOCKS
shared vec4 wide_sums[ROWS * COLUMNS / 16];  // of four blocks, likewise
#endif

// Scales of a column's sum and of a window's, read once: behind each barrier a compiler would read them again.
float column_scale = table[1], window_scale = table[2];

// Texels of a side of the picture that a window around `at` covers, to those of a whole window.
float share_inside(int at, int radius, int side) {
  return float(min(at + radius, side - 1) - max(at - radius, 0) + 1) / float(2 * radius + 1);
}

void keep(int row, int place, int y, vec4 sum) {
  vec4 mean = window_scale * sum;  // half of it where the result is a float
#if BORDER == BORDER_RENORMALIZE
  mean /= share_inside(first_x() + place, radius_x, width) * share_inside(row_of(y + row), radius_y, height);
#endif
#if TEXEL_BYTES == 16
  mean = stored(mean);
#endif
  keep_result(row, place, mean);
}

// The sum of four columns, `offset` columns from a place that is a multiple of result_count.
vec4 block_sum(int row, int place, int offset) {
  return (column_sum_at(row, place, offset) + column_sum_at(row, place, offset + 1)) +
         (column_sum_at(row, place, offset + 2) + column_sum_at(row, place, offset + 3));
}

#if HAS_BLOCKS && EXCHANGED >= 4
// Each of four threads gives half of its numbers away, then half of the rest, and adds what it gets: a component of
// the block's sum.
void exchange_sums(int row, vec4 sum) {
  const int thread = int(gl_LocalInvocationIndex);
  const bool has_zw = (thread & 1) != 0, has_second = (thread & 2) != 0;
  const vec2 given = has_zw ? sum.xy : sum.zw;
  const vec2 two = (has_zw ? sum.zw : sum.xy) + vec2(subgroupShuffleXor(given.x, 1), subgroupShuffleXor(given.y, 1));
  float one = (has_second ? two.y : two.x) + subgroupShuffleXor(has_second ? two.x : two.y, 2);
  const int component = 2 * int(has_zw) + int(has_second);
  block_sums[row * (COLUMNS / 4) + (thread >> 2)][component] = one;
#if HAS_WIDE_BLOCKS && EXCHANGED >= 16
  one += subgroupShuffleXor(one, 4);
  one += subgroupShuffleXor(one, 8);
  if ((thread & 12) == 0) wide_sums[row * (COLUMNS / 16) + (thread >> 4)][component] = one;
#endif
}
#endif

// Hands the sum of the own column on.
void keep_column_sum(int row, vec4 sum) {
  keep_sum(own_sum_at(row), sum);
#if HAS_BLOCKS && EXCHANGED >= 4
  exchange_sums(row, sum);
#endif
}

// What of the blocks' sums threads have not exchanged.
void sum_blocks() {
  const int index = int(gl_LocalInvocationIndex);
#if HAS_BLOCKS && EXCHANGED < 4
  if (index < ROWS * COLUMNS / 4)
    block_sums[index] = block_sum(index / (COLUMNS / 4), 0, 4 * (index % (COLUMNS / 4)));
  barrier();
#endif
#if HAS_WIDE_BLOCKS && EXCHANGED < 16
  if (index < ROWS * COLUMNS / 16)
    wide_sums[index] = (block_sums[4 * index] + block_sums[4 * index + 1]) +
                       (block_sums[4 * index + 2] + block_sums[4 * index + 3]);
  barrier();
#endif
}

// The sum of the core of the windows from `place`: of the wide blocks that lie in it, and of the blocks beside them.
vec4 core_sum(int row, int place) {
  vec4 sum = vec4(0.0);
#if HAS_BLOCKS
  const int first = (place + result_count) >> 2, block = row * (COLUMNS / 4) + first;
  const int wide_count = HAS_WIDE_BLOCKS * ((CORE_BLOCKS - 3) / 4);
#if HAS_WIDE_BLOCKS
  const int wide = row * (COLUMNS / 16) + ((first + 3) >> 2);
  [[unroll]] for (int index = 0; index < wide_count; ++index) sum += wide_sums[wide + index];
#endif
  const int before = -first & 3;
  [[unroll]] for (int index = 0; index < CORE_BLOCKS - 4 * wide_count; ++index)
    sum += block_sums[block + index + (index < before ? 0 : 4 * wide_count)];
#else
  [[unroll]] for (int index = 0; index < CORE_BLOCKS; ++index)
    sum += block_sum(row, place, result_count + 4 * index);
#endif
#if CORE_REST
  const int rest = result_count + 4 * CORE_BLOCKS;
  sum += column_sum_at(row, place, rest) + column_sum_at(row, place, rest + 1);
#endif
  return sum;
}

#if IN_PLACE
#define MAKE(j, sum) made[j] = sum
#else
#define MAKE(j, sum) keep(row, place + (j), y, sum)
#endif

// Makes a thread's results; the first of their windows begins at place + 1. With SHARES_BLOCKS, a thread sums its own block of as
// many columns as it makes results, and gets the blocks of the core from its neighbors.
void sum_rows(int y) {
  const int row = result_row(), place = result_place();
  if (row >= ROWS) return;
  const bool is_in_strip = place < strip_width;
#if !SHARES_BLOCKS && !IN_PLACE
  if (!is_in_strip) return;
#endif
#if IN_PLACE
  vec4 made[result_count];
#endif
#if LOG_RESULTS == 2 && !SHARES_BLOCKS
  if (is_in_strip) {
    const int enter = result_count + 4 * CORE_BLOCKS + CORE_REST;  // from `place`
    const vec4 core = core_sum(row, place);
    const vec4 l2 = column_sum_at(row, place, 3);
    const vec4 l12 = l2 + column_sum_at(row, place, 2);
    const vec4 l012 = l12 + column_sum_at(row, place, 1);
    const vec4 e0 = column_sum_at(row, place, enter);
    const vec4 e01 = e0 + column_sum_at(row, place, enter + 1);
    const vec4 e012 = e01 + column_sum_at(row, place, enter + 2);
    MAKE(0, core + l012);
    MAKE(1, core + l12 + e0);
    MAKE(2, core + l2 + e01);
    MAKE(3, core + e012);
  }
#else
  vec4 own[result_count];  // own[j]: the sum of the thread's columns from j to its last
  own[result_count - 1] = column_sum_at(row, place, result_count - 1);
  [[unroll]] for (int j = result_count - 2; j >= 0; --j) own[j] = own[j + 1] + column_sum_at(row, place, j);
  vec4 sum = vec4(0.0);  // of the core, and of the columns that enter
  [[unroll]] for (int block = 1; block <= CORE_BLOCKS; ++block) {
#if SHARES_BLOCKS
    sum += subgroupShuffle(own[0], gl_SubgroupInvocationID + block);
#else
    vec4 of_block = column_sum_at(row, place, result_count * block + result_count - 1);
    [[unroll]] for (int j = result_count - 2; j >= 0; --j)
      of_block += column_sum_at(row, place, result_count * block + j);
    sum += of_block;
#endif
  }
  if (is_in_strip) {
    const int rest = result_count * (CORE_BLOCKS + 1), enter = rest + CORE_REST;  // from `place`
    [[unroll]] for (int j = 0; j < CORE_REST; ++j) sum += column_sum_at(row, place, rest + j);
    [[unroll]] for (int j = 0; j < result_count - 1; ++j) {
      MAKE(j, sum + own[j + 1]);
      sum += column_sum_at(row, place, enter + j);
    }
    MAKE(result_count - 1, sum);
  }
#endif
#if IN_PLACE
  subgroupBarrier();  // all threads of the row have read its sums
  if (is_in_strip)
    [[unroll]] for (int j = 0; j < result_count; ++j) keep(row, place + j, y, made[j]);
#endif
}
