// Limits a sum of weights that may be negative: not below the least texel nearby, and above the largest texel of the middle lobe
// by at most a quarter of the difference. NaN stays. It is tested for, because GPU compilers may turn the
// comparisons into min and max, which drop NaN.
vec4 limited(vec4 c, vec4 least, vec4 most) {
  const vec4 bound = most + 0.25 * (most - least);
  const vec4 below = mix(c, bound, greaterThan(c, bound));
  return mix(mix(below, least, lessThan(below, least)), c, isnan(c));
}
