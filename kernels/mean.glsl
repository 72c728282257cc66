// The mean of four texels, in half or float, that neither overflows nor loses small numbers.

#if HALF
// The sum of halves that are near zero is exact, a quarter of one is not: so the sum first, and where that is too large
// the quarters. `precise` forbids to take the factor in or out again.
real4 mean(real4 a, real4 b, real4 c, real4 d) {
  precise const real4 sum = (a + b) + (c + d);
  if (all(lessThanEqual(abs(sum), real4(65504.0)))) return sum * real(0.25);
  precise const real4 scaled = (a * real(0.25) + b * real(0.25)) + (c * real(0.25) + d * real(0.25));
  return scaled;
}
#else
real4 mean(real4 a, real4 b, real4 c, real4 d) {
  precise const real4 scaled = (a * 0.25 + b * 0.25) + (c * 0.25 + d * 0.25);
  return scaled;
}
#endif
