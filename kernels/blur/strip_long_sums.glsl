// Sliding sums of a box for floats, like blur/strip_sums.glsl, for long windows. Their groups have so many rows that registers
// do not hold the rows that leave: a thread reads these before each step.
#include "blur/strip_rows.glsl"

const int steps = GROUP / 4;

vec4 scaled_texel(int column, int y) {
  // precise: a common factor moved out of the sum would overflow
  precise const vec4 scaled = table[0] * column_texel(column, y);
  return scaled;
}

void main() {
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = end_of_segment(begin);
  const int column = continued(own_x(), width);
  vec4 blocks[BLOCKS];
  [[unroll]] for (int index = 0; index < BLOCKS; ++index) {
    vec4 sum = vec4(0.0);
    for (int row = 0; row < GROUP; row += 4) {
      const int at = begin - radius_y + GROUP - 1 + REST_ROWS + GROUP * index + row;
      sum += (scaled_texel(column, at) + scaled_texel(column, at + 1)) +
             (scaled_texel(column, at + 2) + scaled_texel(column, at + 3));
    }
    blocks[index] = sum;
  }
  int leaving = begin - radius_y, entering = begin + radius_y + 1;
  vec4 l0 = scaled_texel(column, leaving), l1 = scaled_texel(column, leaving + 1);
  vec4 l2 = scaled_texel(column, leaving + 2);
  vec4 e0 = scaled_texel(column, entering), e1 = scaled_texel(column, entering + 1);
  vec4 e2 = scaled_texel(column, entering + 2), e3 = scaled_texel(column, entering + 3);
  for (int group = begin; group < end; group += GROUP) {
    // the core, and the rows that leave in later steps of the group
    vec4 core[steps];
    core[steps - 1] = blocks[0];
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) core[steps - 1] += blocks[index];
    for (int row = GROUP - 1; row < GROUP - 1 + REST_ROWS; row += 2)
      core[steps - 1] +=
          scaled_texel(column, group - radius_y + row) + scaled_texel(column, group - radius_y + row + 1);
    [[unroll]] for (int step = steps - 1; step > 0; --step) {
      const int row = group - radius_y + 4 * step - 1;
      core[step - 1] = core[step] + ((scaled_texel(column, row) + scaled_texel(column, row + 1)) +
                                     (scaled_texel(column, row + 2) + scaled_texel(column, row + 3)));
    }
    vec4 entered = vec4(0.0);
    [[dont_unroll]] for (int step = 0; step < steps; ++step) {
      vec4 common_sum = core[0];
      [[unroll]] for (int other = 1; other < steps; ++other)
        if (step == other) common_sum = core[other];
      common_sum += entered;
      const vec4 e01 = e0 + e1, e012 = e01 + e2, l12 = l1 + l2;
      keep_column_sum(0, column_scale * (common_sum + (l0 + l12)));
      keep_column_sum(1, column_scale * (common_sum + l12 + e0));
      keep_column_sum(2, column_scale * (common_sum + l2 + e01));
      keep_column_sum(3, column_scale * (common_sum + e012));
      entered += e012 + e3;
      // the next rows are requested while these are summed
      entering += 4;
      e0 = scaled_texel(column, entering);
      e1 = scaled_texel(column, entering + 1);
      e2 = scaled_texel(column, entering + 2);
      e3 = scaled_texel(column, entering + 3);
      barrier();
      sum_blocks();
      const int y = group + 4 * step;
      sum_rows(y);
      barrier();
      leaving += 4;
      l0 = scaled_texel(column, leaving);
      l1 = scaled_texel(column, leaving + 1);
      l2 = scaled_texel(column, leaving + 2);
      store_results(y, end);
    }
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) blocks[index - 1] = blocks[index];
    blocks[BLOCKS - 1] = entered;
  }
}
