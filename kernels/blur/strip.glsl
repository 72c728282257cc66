// Blur in one dispatch: a workgroup walks down a strip of the image, ROWS rows at a time. Each thread sums its column.
// The column sums go through shared memory to the sums along rows, and the results again, so that neighboring threads
// store neighboring texels.
//
// SUMS_ARE_EXACT: 1 where sums are the same in any order.
// IN_PLACE: 1 where the threads that read a row of column sums are in one subgroup. They then store the results in the place of the
// sums. This takes less memory, so that more workgroups run at once.
#include "blur/border.glsl"
#include "lib/half_bits.glsl"

const int result_count = 1 << LOG_RESULTS;  // results that a thread makes

// Threads read values that are result_count apart at the same time, which must be in different banks of shared memory. With
// IS_PADDED, a value of padding follows each group of so many. Otherwise the values of a group change places among themselves,
// in other ways than those of the groups that are read with it. This takes less memory, so that more workgroups run at
// once, but more registers for places.
#if IS_PADDED
const int padding = 1;
#else
const int padding = 0;
#endif
const int sums_pitch = COLUMNS + padding * (COLUMNS / result_count);
const int results_pitch = MADE_COLUMNS + padding * (MADE_COLUMNS / result_count);
#if IN_PLACE
shared uvec2 kept_words[2 * ROWS * sums_pitch];
vec4 column_sum_of(int index) { return uintBitsToFloat(uvec4(kept_words[2 * index], kept_words[2 * index + 1])); }
void keep_sum(int index, vec4 sum) {
  const uvec4 bits = floatBitsToUint(sum);
  kept_words[2 * index] = bits.xy;
  kept_words[2 * index + 1] = bits.zw;
}
#elif TEXEL_BYTES == 4
shared uint results[ROWS * results_pitch];
#elif TEXEL_BYTES == 8
shared uvec2 results[ROWS * results_pitch];
#else
shared vec4 results[ROWS * results_pitch];
#endif

// Place of entry `rest` of a group in a row of values of 2^log_bytes bytes. Shifts, since GLSL divides signed numbers slowly.
int place_of(int group, int rest, const int log_bytes) {
#if IS_PADDED
  return (result_count + 1) * group + rest;
#else
  const int log_groups = 7 - log_bytes - LOG_RESULTS;  // of the groups that all banks hold
  return result_count * group + (rest ^ (group >> log_groups & (result_count - 1)));
#endif
}

// Index of the sum of a column, `offset` columns from a place that is a multiple of result_count.
int sum_at(int row, int place, int offset) {
  const int group = (place >> LOG_RESULTS) + (offset >> LOG_RESULTS);
  return row * sums_pitch + place_of(group, offset & (result_count - 1), LOG_SUM_BYTES);
}

int own_sum_at(int row) { return sum_at(row, 0, int(gl_LocalInvocationIndex)); }

int result_at(int row, int place) {
  const int log_bytes = TEXEL_BYTES == 16 ? 4 : TEXEL_BYTES == 8 ? 3 : 2;
  const int in_row = place_of(place >> LOG_RESULTS, place & (result_count - 1), log_bytes);
#if IN_PLACE && TEXEL_BYTES == 8
  return (2 * sums_pitch + 8) * row + in_row;  // rows that are stored together begin in different banks
#elif IN_PLACE
  return sums_pitch * row + in_row;
#else
  return results_pitch * row + in_row;
#endif
}

void keep_result(int row, int place, vec4 c) {
#if IN_PLACE && TEXEL_BYTES == 8
  kept_words[result_at(row, place)] = half_bits(c).xy;
#elif IN_PLACE
  keep_sum(result_at(row, place), c);
#elif TEXEL_BYTES == 4
  results[result_at(row, place)] = packUnorm4x8(c);
#elif TEXEL_BYTES == 8
  results[result_at(row, place)] = half_bits(c).xy;
#else
  results[result_at(row, place)] = c;
#endif
}

#if TEXEL_BYTES == 4
#define RESULT uint
vec4 color_of_result(uint result) { return unpackUnorm4x8(result); }
#elif TEXEL_BYTES == 8
#define RESULT uvec2
vec4 color_of_result(uvec2 result) { return of_half_bits(result); }
#else
#define RESULT vec4
#define color_of_result(result) result
#endif

RESULT kept_result(int row, int place) {
#if IN_PLACE && TEXEL_BYTES == 8
  return kept_words[result_at(row, place)];
#elif IN_PLACE
  return column_sum_of(result_at(row, place));
#else
  return results[result_at(row, place)];
#endif
}

// First column of the strip, and the column that a thread sums.
int first_x() { return strip_width * int(gl_WorkGroupID.x); }
int own_x() { return first_x() - radius_x + int(gl_LocalInvocationIndex) - FIRST_PLACE; }

// The image row for row y of a segment. With TURNS, every other segment goes upward, so that two neighbors start at the same
// edge. They then read the rows around it at the same time, and one of them reads from the cache.
int direction = 1, turned_from = 0;

// Chooses the direction of the segment that begins at a row, and returns its end. One of floats that goes upward is never cut
// short, although it may begin below the image: compilers round a sum in different ways in different places of a loop, so a row
// must have the same place in a tile as in the whole image.
int end_of_segment(int begin) {
  const int full = begin + segment_rows, cut = min(full, height);
  if (TURNS == 0 || gl_WorkGroupID.y % 2 == 1) return cut;
  const int end = SUMS_ARE_EXACT == 1 ? cut : full;
  direction = -1;
  turned_from = begin + end - 1;
  return end;
}
int row_of(int y) { return direction * y + turned_from; }

// Does row y of a segment that ends at `end` belong to the image?
bool is_made(int y, int end) { return SUMS_ARE_EXACT == 1 ? y < end : row_of(y) < height; }

// A texel of the thread's column; `column` is the image column after the border rule.
vec4 column_texel(int column, int y) {
  const int own_row = row_of(y);
  int row = own_row;
#if BORDER != BORDER_REPEAT && BORDER != BORDER_MIRROR
  row = continued(row, height);  // as fast as a look at where it is
#else
  if (!is_inside(row, height)) row = continued(row, height);
#endif
  const vec4 c = load(ivec2(column, row));
#if BORDER == BORDER_BLACK || BORDER == BORDER_RENORMALIZE
  return is_inside(own_x(), width) && is_inside(own_row, height) ? c : vec4(0.0);
#else
  return c;
#endif
}

// Assigns results: a thread makes some neighbors of a row. With few rows, some threads make none. Unsigned numbers are divided
// faster than signed ones.
const uint row_threads = COLUMNS / result_count;
int result_row() { return int(gl_LocalInvocationIndex / row_threads); }
int result_place() { return result_count * int(gl_LocalInvocationIndex % row_threads); }

// Stores twice a value. Only float values can overflow.
vec4 doubled(vec4 c) {
#if TEXEL_BYTES == 16
  return stored(c);
#else
  return 2.0 * c;
#endif
}

void store_result(ivec2 at, RESULT result) {
#if TEXEL_BYTES == 8 && defined(STORES_BITS)
  store_bits(at, result);
#else
  store(at, color_of_result(result));
#endif
}

// Stores the results of the ROWS rows from y on, of a segment up to `end`, that are in the image. With STORE_ROWS > 1, 32 threads store a block of
// STORE_ROWS rows and 32 / STORE_ROWS columns at a time, because GPUs keep texels of neighboring rows together in memory.
void store_results(int y, int end) {
#if IN_PLACE || STORE_ROWS > 1
  const int thread = int(gl_LocalInvocationIndex), across = 32 / STORE_ROWS;
  const int first = (thread & ~31) + (thread & (across - 1)), first_row = (thread & 31) / across;
  const int stop = min(strip_width, width - first_x());
#if IN_PLACE
  RESULT kept[ROWS];
  [[unroll]] for (int k = 0; k < ROWS; ++k)
    kept[k] = kept_result(k / STORE_ROWS * STORE_ROWS + first_row, first + across * (k % STORE_ROWS));
  barrier();  // the next column sums take the place of the results
#endif
  [[unroll]] for (int k = 0; k < ROWS; ++k) {
    const int place = first + across * (k % STORE_ROWS), row = k / STORE_ROWS * STORE_ROWS + first_row;
    if (place < stop && is_made(y + row, end))
#if IN_PLACE
      store_result(ivec2(first_x() + place, row_of(y + row)), kept[k]);
#else
      store_result(ivec2(first_x() + place, row_of(y + row)), kept_result(row, place));
#endif
  }
#else
  const int place = int(gl_LocalInvocationIndex), x = first_x() + place;
  if (place >= strip_width || x >= width) return;
  if (is_made(y, end) && is_made(y + ROWS - 1, end)) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) store_result(ivec2(x, row_of(y + row)), kept_result(row, place));
  } else {
    for (int row = 0; row < ROWS; ++row)
      if (is_made(y + row, end)) store_result(ivec2(x, row_of(y + row)), kept_result(row, place));
  }
#endif
}
