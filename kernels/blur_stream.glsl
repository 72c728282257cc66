// A blur in one dispatch: a workgroup goes down a strip of the picture, ROWS rows at a time. Each thread sums its own
// column; those sums lie in shared memory for the sums along the rows, and these once more, so that neighbours store
// to neighbours.
#include "blur_border.glsl"

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

uvec2 half_bits(vec4 c) { return uvec2(packHalf2x16(c.xy), packHalf2x16(c.zw)); }

void keep_result(int row, int place, vec4 c) {
#if TEXEL_BYTES == 4
  results[row * pitch + padded(place)] = packUnorm4x8(c);
#elif TEXEL_BYTES == 8
  results[row * pitch + padded(place)] = half_bits(rounded(c));
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

// A texel of the own column, which the border has brought to `column` of the picture.
vec4 column_texel(int column, int y) {
  int row = y;
  if (!is_inside(y, height)) row = continued(y, height);
  const vec4 c = load(ivec2(column, row));
#if BORDER >= 3
  return is_inside(own_x(), width) && is_inside(y, height) ? c : vec4(0.0);
#else
  return c;
#endif
}

// Who makes which results: a quarter of the threads each of the rows, a thread four neighbours. Of fewer than four rows
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
  if (place < strip_width && x < width)
    for (int row = 0; row < ROWS; ++row)
      if (y + row < end) store(ivec2(x, y + row), kept_result(row, place));
}
