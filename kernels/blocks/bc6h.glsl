// Encodes a block of BC6H in each thread, with the choices of core/codec/blocks/bc6h_encode.cpp. What is a table there is `table` here.
#include "blocks/bc6h_fit.glsl"
#include "blocks/bc6h_residuals.glsl"
#include "blocks/bc6h_store.glsl"

const float largest_error = 3.4028235e38;

// Negative numbers and NaN as 0, infinity as the largest number.
uint representable(uint bits) { return bits > 0x7c00u ? 0u : min(bits, 0x7bffu); }

void read_block(ivec2 block) {
  const ivec2 last = ivec2(end_x, end_y) - 1;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      const uvec2 word = source_word(min(4 * block + ivec2(column, row), last));
      const uvec3 bits = uvec3(representable(word.x & 0xffffu), representable(word.x >> 16), representable(word.y & 0xffffu));
      const uvec3 target = min((bits * 64u + 32u) / 31u, uvec3(0xffffu));
      for (int c = 0; c < 3; ++c) {
        halves[c][row][column] = float(bits[c]);
        targets[c][row][column] = float(target[c]);
      }
    }
}

Encoding best_encoding() {
  Encoding best;
  best.error = largest_error;
  float residuals[PARTITION_COUNT];
  for (int number = 0; number <= TRIED_PARTITIONS && best.error > 0.0; ++number) {
    if (number == 1) find_residuals(residuals);
    int partition_number = 0;
    if (number > 0) {
      for (int other = 1; other < PARTITION_COUNT; ++other)
        if (residuals[other] < residuals[partition_number]) partition_number = other;
      residuals[partition_number] = largest_error;
    }
    try_shape(shape_of(number > 0, partition_number), best);
  }
  return best;
}

void main() {
  const ivec2 block = ivec2(gl_GlobalInvocationID.xy), count = (ivec2(end_x, end_y) + 3) / 4;
  if (any(greaterThanEqual(block, count))) return;
  read_block(block);
  store(block, uintBitsToFloat(bits_of(best_encoding())));
}
