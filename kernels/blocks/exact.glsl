// Arithmetic with the same bits as on the host: sums and products in a given order, which the compiler must not contract.

float sum_of(vec4 c) { return c.r + c.g + c.b + c.a; }
float exact_dot(vec4 a, vec4 b) { return sum_of(a * b); }
vec4 exact_product(mat4 m, vec4 v) { return m[0] * v.r + m[1] * v.g + m[2] * v.b + m[3] * v.a; }
mat4 exact_product(mat4 a, mat4 b) {
  return mat4(exact_product(a, b[0]), exact_product(a, b[1]), exact_product(a, b[2]), exact_product(a, b[3]));
}

// reciprocal() of core/codec/blocks/reciprocal.h
float reciprocal(float value) {
  float result = uintBitsToFloat(RECIPROCAL_GUESS - floatBitsToUint(value));
  for (int step = 0; step < RECIPROCAL_STEPS; ++step) result = result * (2.0 - value * result);
  return result;
}
float reciprocal_of_count(float count) { return table[RECIPROCAL_OF_COUNT_AT + int(count)]; }
