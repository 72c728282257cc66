// Reduces several values to their mean, minimum or maximum. REDUCE says which.

#if REDUCE == REDUCE_MEAN

#if HALF
// The sum of halves that are near zero is exact, a quarter of one is not: so the sum first, and where that is too large
// the quarters. `precise` forbids to take the factor in or out again.
real4 reduce_four(real4 a, real4 b, real4 c, real4 d) {
  precise const real4 sum = (a + b) + (c + d);
  if (all(lessThanEqual(abs(sum), real4(65504.0)))) return sum * real(0.25);
  precise const real4 scaled = (a * real(0.25) + b * real(0.25)) + (c * real(0.25) + d * real(0.25));
  return scaled;
}
#else
real4 reduce_four(real4 a, real4 b, real4 c, real4 d) {
  precise const real4 scaled = (a * 0.25 + b * 0.25) + (c * 0.25 + d * 0.25);
  return scaled;
}
#endif

#else

#if REDUCE == REDUCE_MIN
#define BEATS lessThan
#else
#define BEATS greaterThan
#endif

// NaN goes on to the next level, as in a mean.
#define DEFINE_EXTREME(numbers) \
  numbers extreme(numbers a, numbers b) { return mix(mix(a, b, BEATS(b, a)), b, isnan(b)); }
DEFINE_EXTREME(vec4)
#if HALF
DEFINE_EXTREME(f16vec4)
#endif

real4 reduce_four(real4 a, real4 b, real4 c, real4 d) { return extreme(extreme(a, b), extreme(c, d)); }

#endif
