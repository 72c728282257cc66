// The modes of BC7, and what a block stores. The numbers of a mode are those of core/codec/blocks/bc7_modes.h.

struct Mode {
  int pair_count, shape_bits, rotation_bits, selection_bits, color_bits, alpha_bits, p_bits, index_bits,
      second_index_bits;
};

Mode mode_of(int number) {
  const int at = MODES_AT + MODE_NUMBERS * number;
  return Mode(int(table[at]), int(table[at + 1]), int(table[at + 2]), int(table[at + 3]), int(table[at + 4]),
              int(table[at + 5]), int(table[at + 6]), int(table[at + 7]), int(table[at + 8]));
}

// A mode with a shape, a rotation and a selection, in one word.
const uint no_candidate = ~0u;
uint candidate_of(int mode, int shape, int rotation, int selection) {
  return uint(mode | shape << 3 | rotation << 9 | selection << 11);
}
int mode_in(uint candidate) { return int(candidate & 7u); }
int shape_in(uint candidate) { return int(candidate >> 3 & 63u); }
int rotation_in(uint candidate) { return int(candidate >> 9 & 3u); }
int selection_in(uint candidate) { return int(candidate >> 11); }

// Texels of a pair of endpoints, a bit each.
uint texels_of_pair(int pair_count, int shape, int pair) {
  if (pair_count == 1) return 0xffffu;
  uint second = uint(table[(pair_count == 2 ? SECOND_OF_TWO_AT : SECOND_OF_THREE_AT) + shape]), third = 0u;
  if (pair_count == 3) third = uint(table[THIRD_OF_THREE_AT + shape]);
  return pair == 0 ? 0xffffu & ~(second | third) : pair == 1 ? second : third;
}

// The texel of a pair whose index lacks its highest bit.
int anchor_of(int pair_count, int shape, int pair) {
  if (pair == 0) return 0;
  const int at = pair_count == 2 ? ANCHOR_OF_TWO_AT : pair == 1 ? SECOND_ANCHOR_AT : THIRD_ANCHOR_AT;
  return int(table[at + shape]);
}

// Everything that a block stores. Endpoints have 8 bits a channel here, and indices 4 bits a texel.
struct Choice {
  uint candidate;
  float error;  // sum of squared differences of the decoded numbers
  uint ends[6];
  uint p_bits;  // bit i: of ends[i]
  uvec2 indices, second_indices;
};

Choice no_choice() { return Choice(0u, 0.0, uint[6](0u, 0u, 0u, 0u, 0u, 0u), 0u, uvec2(0u), uvec2(0u)); }

uint packed(ivec4 end) { return uint(end.r | end.g << 8 | end.b << 16 | end.a << 24); }
ivec4 unpacked(uint end) { return ivec4(end & 255u, end >> 8 & 255u, end >> 16 & 255u, end >> 24); }

int index_of(uvec2 indices, int texel) { return int(indices[texel >> 3] >> 4 * (texel & 7) & 15u); }

// Share of the second endpoint in 64ths.
float weight_of(float index, int index_bits) { return floor(index * (64.0 / float((1 << index_bits) - 1)) + 0.5); }

// A number of 4 to 8 bits as 8 bits: its highest bits fill the lowest ones.
ivec4 widen(ivec4 value, int bits) { return value << 8 - bits | value >> 2 * bits - 8; }
