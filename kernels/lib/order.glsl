// Orders in which threads of a workgroup process texels.

// The Morton-like order of AMD's downsampler on 8x8 texels: any four consecutive indices, aligned, are a 2x2 quad, and
// so are the quads of quads. Index bits 0,3,4 make x, bits 1,2,5 make y.
ivec2 amd_8x8(int index) {
  return ivec2(((index >> 2) & 6) | (index & 1), ((index >> 1) & 3) | ((index >> 3) & 4));
}

// The same order for 16x16 (index bits 6 and 7), 32x32 (8 and 9) and 64x64 (10 and 11).
ivec2 amd_order(int index) {
  const ivec2 block = ivec2((index >> 6) & 1, (index >> 7) & 1) + 2 * ivec2((index >> 8) & 1, (index >> 9) & 1);
  return amd_8x8(index & 63) + 8 * block;
}

// Every second bit of an index: x of the Z-curve; for index >> 1, y.
int even_bits(int index) {
  index &= 0x55555555;
  index = (index | (index >> 1)) & 0x33333333;
  index = (index | (index >> 2)) & 0x0f0f0f0f;
  index = (index | (index >> 4)) & 0x00ff00ff;
  return (index | (index >> 8)) & 0xffff;
}

ivec2 z_order(int index) { return ivec2(even_bits(index), even_bits(index >> 1)); }
