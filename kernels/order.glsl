// Orders in which the threads of a workgroup take its texels.

// The Morton-like order of AMD's downsampler on 8x8 texels: any four consecutive indices, aligned, are a 2x2 quad, and
// so are the quads of quads. Index bits 0,3,4 make x, bits 1,2,5 make y.
ivec2 amd_8x8(int index) {
  return ivec2(((index >> 2) & 6) | (index & 1), ((index >> 1) & 3) | ((index >> 3) & 4));
}

// The same on 16x16 (index bits 6 and 7), 32x32 (8 and 9) and 64x64 (10 and 11).
ivec2 amd_order(int index) {
  const ivec2 block = ivec2((index >> 6) & 1, (index >> 7) & 1) + 2 * ivec2((index >> 8) & 1, (index >> 9) & 1);
  return amd_8x8(index & 63) + 8 * block;
}
