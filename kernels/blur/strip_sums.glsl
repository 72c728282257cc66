// Sliding sums of a box for floats, without subtraction, so that texels that leave the window leave no rounding error, infinity or
// NaN. The windows of GROUP rows, 4 or 8, share most texels. Each sum has a suffix of the texels that leave within the group, a
// common core, and a prefix of the texels that enter. The core is the last BLOCKS groups of rows, and a rest.
#include "blur/strip_rows.glsl"

const int steps = GROUP / 4;
const int leaving_count = GROUP - 1 + REST_ROWS;  // rows that leave within a group, then the rows up to the first block
// Rows of the window that a thread keeps: with KEEPS_WINDOW all, so that it reads each row once.
const int kept_count = leaving_count + KEEPS_WINDOW * GROUP * BLOCKS;

vec4 scaled_texel(int column, int y) {
  // precise: a common factor moved out of the sum would overflow
  precise const vec4 scaled = table[0] * column_texel(column, y);
  return scaled;
}

int column, leaving = 0, entering = 0;
vec4 l[kept_count + KEEPS_WINDOW * GROUP], e[4];  // kept rows, those that leave first; the next rows that enter
vec4 core[steps];  // the core, and the rows that leave in later steps of the group
vec4 entered = vec4(0.0);  // the rows that entered in the group

// Written out, because copies that spirv-opt makes of a loop lose `precise`.
#define READ_KEPT(row) \
  if (row < kept_count) l[min(row, kept_count - 1)] = scaled_texel(column, leaving + row);
#define READ_KEPT_4(row) READ_KEPT(row) READ_KEPT(row + 1) READ_KEPT(row + 2) READ_KEPT(row + 3)
void read_kept() {
  READ_KEPT_4(0)
  READ_KEPT_4(4)
  READ_KEPT_4(8)
  READ_KEPT_4(12)
  READ_KEPT_4(16)
}

void read_entering() {
  e[0] = scaled_texel(column, entering);
  e[1] = scaled_texel(column, entering + 1);
  e[2] = scaled_texel(column, entering + 2);
  e[3] = scaled_texel(column, entering + 3);
}

// Makes four rows of a group, from y on.
void make_step(const int step, int y, int end) {
  const int row = 4 * step;
  const vec4 common_sum = core[step] + entered;
  const vec4 e01 = e[0] + e[1], e012 = e01 + e[2], l12 = l[row + 1] + l[row + 2];
  keep_column_sum(0, column_scale * (common_sum + (l[row] + l12)));
  keep_column_sum(1, column_scale * (common_sum + l12 + e[0]));
  keep_column_sum(2, column_scale * (common_sum + l[row + 2] + e01));
  keep_column_sum(3, column_scale * (common_sum + e012));
  entered += e012 + e[3];
#if KEEPS_WINDOW
  [[unroll]] for (int next = 0; next < 4; ++next) l[kept_count + row + next] = e[next];
#endif
  // the next rows are requested while these are summed
  entering += 4;
  read_entering();
  if (step == steps - 1) {
    leaving += GROUP;
#if KEEPS_WINDOW
    [[unroll]] for (int next = 0; next < kept_count; ++next) l[next] = l[next + GROUP];
#else
    read_kept();
#endif
  }
  barrier();
  sum_blocks();
  sum_rows(y);
  barrier();
  store_results(y, end);
}

void main() {
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = end_of_segment(begin);
  column = continued(own_x(), width);
  leaving = begin - radius_y;
  entering = begin + radius_y + 1;
  read_kept();
  vec4 blocks[BLOCKS];
  [[unroll]] for (int index = 0; index < BLOCKS; ++index) {
    blocks[index] = vec4(0.0);
    const int first = leaving_count + GROUP * index;
#if KEEPS_WINDOW
    [[unroll]] for (int row = first; row < first + GROUP; row += 4)
      blocks[index] += (l[row] + l[row + 1]) + (l[row + 2] + l[row + 3]);
#else
    for (int y = leaving + first; y < leaving + first + GROUP; y += 4)
      blocks[index] += (scaled_texel(column, y) + scaled_texel(column, y + 1)) +
                       (scaled_texel(column, y + 2) + scaled_texel(column, y + 3));
#endif
  }
  read_entering();
  [[dont_unroll]] for (int group = begin; group < end; group += GROUP) {
    core[steps - 1] = blocks[0];
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) core[steps - 1] += blocks[index];
    [[unroll]] for (int row = GROUP - 1; row < leaving_count; row += 2) core[steps - 1] += l[row] + l[row + 1];
    [[unroll]] for (int step = steps - 1; step > 0; --step) {
      const int row = 4 * step - 1;
      core[step - 1] = core[step] + ((l[row] + l[row + 1]) + (l[row + 2] + l[row + 3]));
    }
    entered = vec4(0.0);
    make_step(0, group, end);
    if (steps > 1) make_step(steps - 1, group + 4, end);
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) blocks[index - 1] = blocks[index];
    blocks[BLOCKS - 1] = entered;
  }
}
