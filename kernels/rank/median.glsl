// Median of a 3x3 or 5x5 square by a sorting network. A thread makes four texels of a row, which share sorted columns.
#include "rank/keys.glsl"

const int side = 2 * RADIUS + 1, texels_per_thread = 4;

// A column of a square, in ascending order.
struct Column {
  uvec4 keys[side];
};

void exchange(inout uvec4 a, inout uvec4 b) {
  const uvec4 less = min(a, b);
  b = max(a, b);
  a = less;
}

#if RADIUS == 1
Column sorted(Column c) {
  exchange(c.keys[0], c.keys[1]);
  exchange(c.keys[1], c.keys[2]);
  exchange(c.keys[0], c.keys[1]);
  return c;
}

uvec4 middle_of(uvec4 a, uvec4 b, uvec4 c) { return max(min(a, b), min(max(a, b), c)); }

// The median is the middle one of the largest minimum, the middle median and the smallest maximum of the columns.
uvec4 median_of(Column columns[side]) {
  const Column a = columns[0], b = columns[1], c = columns[2];
  return middle_of(max(max(a.keys[0], b.keys[0]), c.keys[0]), middle_of(a.keys[1], b.keys[1], c.keys[1]),
                   min(min(a.keys[2], b.keys[2]), c.keys[2]));
}
#else
#define EXCHANGE(a, b) exchange(keys[a], keys[b]);

Column sorted(Column c) {
  uvec4 keys[side] = c.keys;
  EXCHANGE(0, 1) EXCHANGE(3, 4) EXCHANGE(2, 4) EXCHANGE(2, 3) EXCHANGE(0, 3)
  EXCHANGE(0, 2) EXCHANGE(1, 4) EXCHANGE(1, 3) EXCHANGE(1, 2)
  return Column(keys);
}

// A network that finds the median of five sorted columns: all rows are sorted, then those 13 numbers that may be the median.
// Exchanges that none of the 6^5 inputs of zeros and ones needs are left out, which is a proof by the 0-1 principle.
uvec4 median_of(Column columns[side]) {
  uvec4 keys[side * side];
  [[unroll]] for (int x = 0; x < side; ++x)
    [[unroll]] for (int y = 0; y < side; ++y) keys[side * x + y] = columns[x].keys[y];
  EXCHANGE(0, 5) EXCHANGE(15, 20) EXCHANGE(10, 20) EXCHANGE(10, 15) EXCHANGE(0, 15) EXCHANGE(5, 20)
  EXCHANGE(5, 15) EXCHANGE(1, 6) EXCHANGE(16, 21) EXCHANGE(11, 21) EXCHANGE(11, 16) EXCHANGE(1, 16)
  EXCHANGE(6, 21) EXCHANGE(6, 16) EXCHANGE(6, 11) EXCHANGE(2, 7) EXCHANGE(17, 22) EXCHANGE(12, 22)
  EXCHANGE(12, 17) EXCHANGE(2, 12) EXCHANGE(7, 22) EXCHANGE(7, 17) EXCHANGE(7, 12) EXCHANGE(3, 8)
  EXCHANGE(13, 23) EXCHANGE(13, 18) EXCHANGE(3, 18) EXCHANGE(3, 13) EXCHANGE(8, 23) EXCHANGE(8, 18)
  EXCHANGE(8, 13) EXCHANGE(4, 9) EXCHANGE(19, 24) EXCHANGE(14, 19) EXCHANGE(4, 14) EXCHANGE(9, 24)
  EXCHANGE(9, 19) EXCHANGE(9, 14) EXCHANGE(15, 3) EXCHANGE(11, 7) EXCHANGE(8, 4) EXCHANGE(16, 20)
  EXCHANGE(21, 9) EXCHANGE(3, 7) EXCHANGE(8, 16) EXCHANGE(4, 20) EXCHANGE(12, 21) EXCHANGE(12, 17)
  EXCHANGE(7, 4) EXCHANGE(21, 17) EXCHANGE(4, 16) EXCHANGE(13, 21) EXCHANGE(4, 13) EXCHANGE(7, 4)
  EXCHANGE(16, 12) EXCHANGE(4, 16)
  return keys[16];
}
#endif

Column column_at(ivec2 at) {
  Column column;
  [[unroll]] for (int y = 0; y < side; ++y) column.keys[y] = keys_at(at + ivec2(0, y - RADIUS));
  return sorted(column);
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 first = ivec2(64, 16) * ivec2(gl_WorkGroupID.xy) + ivec2(texels_per_thread * (thread & 15), thread >> 4);
  if (first.x >= end_x || first.y >= end_y) return;
  Column columns[side];
  [[unroll]] for (int x = 1; x < side; ++x) columns[x] = column_at(first + ivec2(x - 1 - RADIUS, 0));
  [[unroll]] for (int texel = 0; texel < texels_per_thread; ++texel) {
    const ivec2 at = first + ivec2(texel, 0);
    [[unroll]] for (int x = 1; x < side; ++x) columns[x - 1] = columns[x];
    columns[side - 1] = column_at(at + ivec2(RADIUS, 0));
    if (at.x < end_x) store(at, values_of(median_of(columns)));
  }
}
