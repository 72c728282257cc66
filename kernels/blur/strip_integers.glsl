// Sliding sums of a box for half and 8-bit texels. Column sums are integers, which are exact, so that a texel can be
// subtracted when it leaves the window. The number of registers does not depend on the radius.
#include "blur/strip_rows.glsl"

#if TEXEL_BYTES == 8
const float largest = 65504.0;  // largest half

// Splits a half into multiples of 1/4 and the remainder in multiples of 2^-24. All halves are multiples of 2^-24.
struct Parts {
  ivec4 coarse, fine;
};

Parts sums = Parts(ivec4(0), ivec4(0));  // of the column's texels
// Counts of NaN texels in the window, plus 2^10 times +infinity, plus 2^20 times -infinity. The sums leave these texels
// out.
ivec4 others = ivec4(0);
bool has_others = false;

// Floats from 2^21 have a spacing of 1/4, floats from 1/2 of 2^-24, so their bits are consecutive integers.
Parts parts_of(vec4 c) {
  precise const vec4 raised = c + 3145728.0;
  precise const vec4 rest_offset = 3145728.75 - raised;  // 3/4 less the multiple of 1/4, which is exact
  precise const vec4 raised_rest = c + rest_offset;
  return Parts(floatBitsToInt(raised), floatBitsToInt(raised_rest));
}

vec4 finite(vec4 c) { return mix(vec4(0.0), c, lessThanEqual(abs(c), vec4(largest))); }

ivec4 others_of(vec4 c) {
  return ivec4(isnan(c)) + (ivec4(greaterThan(c, vec4(largest))) << 10) + (ivec4(lessThan(c, vec4(-largest))) << 20);
}

// Moves the window by one row.
void slide(vec4 entering, vec4 leaving) {
  if (has_others || !(abs((entering.x + entering.y) + (entering.z + entering.w)) <= 4.0 * largest)) {
    others += others_of(entering) - others_of(leaving);
    has_others = others != ivec4(0);
    entering = finite(entering);
    leaving = finite(leaving);
  }
  const Parts more = parts_of(entering), less = parts_of(leaving);
  sums.coarse += more.coarse - less.coarse;
  sums.fine += more.fine - less.fine;
}

vec4 column_sum(float scale) {
  vec4 sum = (0.25 * scale) * (vec4(sums.coarse) + 2.384185791015625e-7 * vec4(sums.fine));
  if (has_others) {
    const vec4 infinity = vec4(uintBitsToFloat(0x7f800000u));
    sum += mix(vec4(0.0), infinity, notEqual(others & 0xffc00, ivec4(0)));
    sum -= mix(vec4(0.0), infinity, notEqual(others >> 20, ivec4(0)));
    sum = mix(sum, vec4(uintBitsToFloat(0x7fc00000u)), notEqual(others & 0x3ff, ivec4(0)));
  }
  return sum;
}
#else
ivec4 sum = ivec4(0);  // of the column's texels, in steps of 8 bits

// Floats from 2^23 have a spacing of 1.
ivec4 steps_of(vec4 c) { return floatBitsToInt(fma(c, vec4(255.0), vec4(12582912.0))); }

void slide(vec4 entering, vec4 leaving) { sum += steps_of(entering) - steps_of(leaving); }
vec4 column_sum(float scale) { return (scale / 255.0) * vec4(sum); }
#endif

// Moves the window to row `row` of a step and passes its sum on.
void sum_column(int row, vec4 entering, vec4 leaving) {
  slide(entering, leaving);
  keep_column_sum(row, column_sum(column_scale));
}

// The rest of a step, after its column sums.
void finish_step(int y, int end) {
  barrier();
  sum_blocks();
  sum_rows(y);
  barrier();
  store_results(y, end);
}

// Two steps of two rows. Their texels were requested in the previous steps. slide() is not called in a loop, because
// copies that spirv-opt makes of a loop lose `precise`.
void main() {
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = end_of_segment(begin);
  const int column = continued(own_x(), width);
  const vec4 nothing = vec4(0.0);
  int entering = begin + radius_y, leaving = begin - radius_y - 1;
  for (int y = begin - radius_y; y < entering; y += 8) {
    vec4 texels[8];  // all requested before the first is used
    [[unroll]] for (int row = 0; row < 8; ++row)
      texels[row] = y + row < entering ? column_texel(column, y + row) : nothing;
    slide(texels[0], nothing);
    slide(texels[1], nothing);
    slide(texels[2], nothing);
    slide(texels[3], nothing);
    slide(texels[4], nothing);
    slide(texels[5], nothing);
    slide(texels[6], nothing);
    slide(texels[7], nothing);
  }
  vec4 e0 = column_texel(column, entering), e1 = column_texel(column, entering + 1);
  vec4 e2 = column_texel(column, entering + 2), e3 = column_texel(column, entering + 3);
  vec4 l0 = nothing, l1 = column_texel(column, leaving + 1);
  vec4 l2 = column_texel(column, leaving + 2), l3 = column_texel(column, leaving + 3);
  [[dont_unroll]] for (int y = begin; y < end; y += 4) {
    entering += 4;
    leaving += 4;
    sum_column(0, e0, l0);
    sum_column(1, e1, l1);
    e0 = column_texel(column, entering);
    e1 = column_texel(column, entering + 1);
    l0 = column_texel(column, leaving);
    l1 = column_texel(column, leaving + 1);
    finish_step(y, end);
    sum_column(0, e2, l2);
    sum_column(1, e3, l3);
    e2 = column_texel(column, entering + 2);
    e3 = column_texel(column, entering + 3);
    l2 = column_texel(column, leaving + 2);
    l3 = column_texel(column, leaving + 3);
    finish_step(y + 2, end);
  }
}
