// A blur in one dispatch: a workgroup goes down a strip of the picture, ROWS rows at a time. Each thread sums its own
// column; those sums lie in shared memory for the sums along the rows, and these once more, so that neighbors store
// to neighbors.
#include "blur/border.glsl"
#include "lib/half_bits.glsl"

// One number of padding behind four, so that threads that go along a row four numbers apart find them in different
// banks.
const int pitch = COLUMNS + COLUMNS / 4;
shared vec4 column_sums[ROWS * pitch];
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

// The strip's first column, and the column of the picture that a thread sums: its place in the sums is the thread's
// number.
int first_x() { return strip_width * int(gl_WorkGroupID.x); }
int own_x() { return first_x() - radius_x + int(gl_LocalInvocationIndex) - FIRST_PLACE; }

// The row of the picture that row y of a segment is. Where segments alternate every other goes up, and so begins at the
// same edge as its neighbor: both read the rows around it at the same time, and the cache has them for one of the two.
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

// A texel of the own column, which the border has brought to `column` of the picture.
vec4 column_texel(int column, int y) {
  const int own_row = row_of(y);
  int row = own_row;
#if ALTERNATES && BORDER != 1 && BORDER != 2
  row = continued(row, height);  // as fast as a look at where it is
#else
  if (!is_inside(row, height)) row = continued(row, height);
#endif
  const vec4 c = load(ivec2(column, row));
#if BORDER >= 3
  return is_inside(own_x(), width) && is_inside(own_row, height) ? c : vec4(0.0);
#else
  return c;
#endif
}

// Who makes which results: a quarter of the threads each of the rows, a thread four neighbors. Of fewer than four rows
// some threads make none.
int result_row() { return int(gl_LocalInvocationIndex) / (COLUMNS / 4); }
int result_place() { return 4 * (int(gl_LocalInvocationIndex) % (COLUMNS / 4)); }

// Twice a number to what is stored. Only those of floats can overflow.
vec4 doubled(vec4 c) {
#if TEXEL_BYTES == 16
  return stored(c);
#else
  return 2.0 * c;
#endif
}

// The kept results of rows y, y + 1, ... up to `end`, not included, to the picture.
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
