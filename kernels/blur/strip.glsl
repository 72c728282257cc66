// Blur in one dispatch: a workgroup walks down a strip of the image, ROWS rows at a time. Each thread sums its column.
// The column sums go through shared memory to the sums along rows, and the results again, so that neighboring threads
// store neighboring texels.
#include "blur/border.glsl"
#include "lib/half_bits.glsl"

// One value of padding after four, so that threads that read every fourth value of a row use different banks.
const int pitch = COLUMNS + COLUMNS / 4;
#if TEXEL_BYTES == 4
shared uint results[ROWS * pitch];
#elif TEXEL_BYTES == 8
shared uvec2 results[ROWS * pitch];
#else
shared vec4 results[ROWS * pitch];
#endif

int padded(int place) { return place + (place >> 2); }

void keep_result(int row, int place, vec4 c) {
#if TEXEL_BYTES == 4
  results[row * pitch + padded(place)] = packUnorm4x8(c);
#elif TEXEL_BYTES == 8
  results[row * pitch + padded(place)] = half_bits(c).xy;
#else
  results[row * pitch + padded(place)] = c;
#endif
}

vec4 kept_result(int row, int place) {
#if TEXEL_BYTES == 4
  return unpackUnorm4x8(results[row * pitch + padded(place)]);
#elif TEXEL_BYTES == 8
  const uvec2 c = results[row * pitch + padded(place)];
  return vec4(unpackHalf2x16(c.x), unpackHalf2x16(c.y));
#else
  return results[row * pitch + padded(place)];
#endif
}

// First column of the strip, and the column that a thread sums.
int first_x() { return strip_width * int(gl_WorkGroupID.x); }
int own_x() { return first_x() - radius_x + int(gl_LocalInvocationIndex) - FIRST_PLACE; }

// The image row for row y of a segment. Every other segment may go upward, so that two neighbors start at the same
// edge. They then read the rows around it at the same time, and one of them reads from the cache.
#if ALTERNATES
int direction = 1, turned_from = 0;
void choose_direction(int begin, int end) {
  if (gl_WorkGroupID.y % 2 == 1) return;
  direction = -1;
  turned_from = begin + end - 1;
}
int row_of(int y) { return direction * y + turned_from; }
#else
int row_of(int y) { return y; }
#endif

// A texel of the thread's column; `column` is the image column after the border rule.
vec4 column_texel(int column, int y) {
  const int own_row = row_of(y);
  int row = own_row;
#if ALTERNATES && BORDER != BORDER_REPEAT && BORDER != BORDER_MIRROR
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

// Assigns results: a quarter of the threads per row, four neighboring results per thread. With fewer than four rows,
// some threads make none.
int result_row() { return int(gl_LocalInvocationIndex) / (COLUMNS / 4); }
int result_place() { return 4 * (int(gl_LocalInvocationIndex) % (COLUMNS / 4)); }

// Stores twice a value. Only float values can overflow.
vec4 doubled(vec4 c) {
#if TEXEL_BYTES == 16
  return stored(c);
#else
  return 2.0 * c;
#endif
}

// Stores the results of rows y up to `end` (excluded).
void store_results(int y, int end) {
  const int place = int(gl_LocalInvocationIndex), x = first_x() + place;
  if (place >= strip_width || x >= width) return;
  if (y + ROWS <= end) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) store(ivec2(x, row_of(y + row)), kept_result(row, place));
  } else {
    for (int row = 0; row < ROWS; ++row)
      if (y + row < end) store(ivec2(x, row_of(y + row)), kept_result(row, place));
  }
}
