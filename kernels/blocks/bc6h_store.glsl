// Writes a block of BC6H from its fields, as core/codec/blocks/bc6h_encode.cpp does.
#include "blocks/bc6h_lanes.glsl"
#include "blocks/put_bits.glsl"

// A field of a block: 3 e to 3 e + 2 are R, G and B of endpoint e, 12 is the partition.
int field_of(Encoding encoding, int field, bool has_deltas) {
  if (field == 12) return encoding.partition_number;
  const int end = field / 3, channel = field % 3, value = encoding.ends[end][channel];
  return has_deltas && end > 0 ? value - encoding.ends[0][channel] : value;
}

uvec4 bits_of(Encoding encoding) {
  const int at = MODES_AT + MODE_NUMBERS * encoding.mode;
  const bool has_two_pairs = table[at + 2] == 2.0, has_deltas = table[at + 7] == 1.0;
  begin_block();
  put(int(table[at]), int(table[at + 1]));
  for (int place = 0; place < int(table[at + 8]); ++place) {
    const int field_and_bit = int(table[at + 9 + place]);
    put(field_of(encoding, field_and_bit >> 4, has_deltas) >> (field_and_bit & 15) & 1, 1);
  }
  const int anchor = has_two_pairs ? int(table[ANCHOR_OF_TWO_AT + encoding.partition_number]) : 0;
  for (int texel = 0; texel < 16; ++texel) {
    const int bits = (has_two_pairs ? 3 : 4) - int(texel == 0 || texel == anchor);
    put(int(encoding.indices[texel >> 3] >> 4 * (texel & 7) & 15u), bits);
  }
  return put_words();
}
