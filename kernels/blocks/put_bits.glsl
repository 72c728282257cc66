// Puts fields into a block, from its lowest bit on.

uint block_words[4];
int block_bits;  // how many of them are set

void begin_block() {
  block_words = uint[4](0u, 0u, 0u, 0u);
  block_bits = 0;
}

// At most 8 bits.
void put(int value, int bits) {
  const int word = block_bits >> 5, shift = block_bits & 31;
  block_words[word] |= uint(value) << shift;
  if (shift + bits > 32) block_words[word + 1] |= uint(value) >> 32 - shift;
  block_bits += bits;
}

uvec4 put_words() { return uvec4(block_words[0], block_words[1], block_words[2], block_words[3]); }
