// A number for each texel of a block, a row in each column of a matrix, and what a block of BC6H stores.
#include "blocks/exact.glsl"

#define Lanes mat4

Lanes halves[3];   // bits of R, G and B as integers
Lanes targets[3];  // the interpolated numbers that decode to these, in the middle of their interval

Lanes all_lanes(float number) { return Lanes(vec4(number), vec4(number), vec4(number), vec4(number)); }

float sum_of(Lanes lanes) {
  const vec4 parts = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  return (parts.x + parts.y) + (parts.z + parts.w);
}
float sum_of_products(Lanes a, Lanes b) { return sum_of(matrixCompMult(a, b)); }

// 1 for the texels whose bit is set.
Lanes lanes_of(uint bits) {
  Lanes lanes;
  for (int row = 0; row < 4; ++row) lanes[row] = vec4(uvec4(bits) >> (uvec4(0u, 1u, 2u, 3u) + uint(4 * row)) & 1u);
  return lanes;
}

struct Shape {
  bool has_two_pairs;
  int partition_number;
  Lanes is_second;  // 1 for the texels of the second pair
  int second_anchor;
};

Shape shape_of(bool has_two_pairs, int partition_number) {
  if (!has_two_pairs) return Shape(false, 0, Lanes(0.0), 0);
  return Shape(true, partition_number, lanes_of(uint(table[SECOND_OF_TWO_AT + partition_number])),
               int(table[ANCHOR_OF_TWO_AT + partition_number]));
}

struct Encoding {
  float error;
  int mode;
  int partition_number;
  ivec3 ends[4];
  uvec2 indices;  // 4 bits a texel
};

struct Mode {
  int pair_count, endpoint_bits;
  ivec3 delta_bits;
  bool has_deltas;
};

Mode mode_of(int number) {
  const int at = MODES_AT + MODE_NUMBERS * number;
  return Mode(int(table[at + 2]), int(table[at + 3]), ivec3(table[at + 4], table[at + 5], table[at + 6]), table[at + 7] == 1.0);
}
