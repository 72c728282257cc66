// Sliding box sums of halves, like blur/strip_sums.glsl. Texels stay packed words until they are summed, which saves registers.
// Sums of halves cannot overflow, so only the last one is scaled.
#include "blur/strip_rows.glsl"

const int steps = GROUP / 4;
const int leaving_count = GROUP - 1 + REST_ROWS;  // rows that leave within a group, then the rows up to the first block
const int kept_count = leaving_count + KEEPS_WINDOW * GROUP * BLOCKS;  // rows of the window that a thread keeps

SOURCE_WORD column_word(int column, int y) { return source_word(ivec2(column, continued(row_of(y), height))); }

// The texel of a word of the thread's column.
vec4 texel_of(SOURCE_WORD word, int y) {
  const vec4 c = color_of_word(word);
#if BORDER == BORDER_BLACK || BORDER == BORDER_RENORMALIZE
  return is_inside(own_x(), width) && is_inside(row_of(y), height) ? c : vec4(0.0);
#else
  return c;
#endif
}

void main() {
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = end_of_segment(begin);
  const int column = continued(own_x(), width);
  int leaving = begin - radius_y, entering = begin + radius_y + 1;
  SOURCE_WORD l[kept_count + KEEPS_WINDOW * GROUP], e[4];
  [[unroll]] for (int row = 0; row < kept_count; ++row) l[row] = column_word(column, leaving + row);
  vec4 blocks[BLOCKS];
  [[unroll]] for (int index = 0; index < BLOCKS; ++index) {
    const int first = leaving_count + GROUP * index;
    SOURCE_WORD words[GROUP];  // all requested before the first is used
    [[unroll]] for (int row = 0; row < GROUP; ++row)
#if KEEPS_WINDOW
      words[row] = l[first + row];
#else
      words[row] = column_word(column, leaving + first + row);
#endif
    blocks[index] = vec4(0.0);
    [[unroll]] for (int row = 0; row < GROUP; row += 2)
      blocks[index] +=
          texel_of(words[row], leaving + first + row) + texel_of(words[row + 1], leaving + first + row + 1);
  }
  [[unroll]] for (int row = 0; row < 4; ++row) e[row] = column_word(column, entering + row);
  [[dont_unroll]] for (int group = begin; group < end; group += GROUP) {
    // core[step]: the core, and the rows that leave in later steps of the group
    vec4 core[steps];
    core[steps - 1] = blocks[0];
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) core[steps - 1] += blocks[index];
    [[unroll]] for (int row = GROUP - 1; row < leaving_count; row += 2)
      core[steps - 1] += texel_of(l[row], leaving + row) + texel_of(l[row + 1], leaving + row + 1);
    [[unroll]] for (int step = steps - 1; step > 0; --step) {
      const int row = 4 * step - 1;
      core[step - 1] =
          core[step] + ((texel_of(l[row], leaving + row) + texel_of(l[row + 1], leaving + row + 1)) +
                        (texel_of(l[row + 2], leaving + row + 2) + texel_of(l[row + 3], leaving + row + 3)));
    }
    vec4 entered = vec4(0.0);
    [[unroll]] for (int step = 0; step < steps; ++step) {
      const int row = 4 * step;
      const vec4 common_sum = core[step] + entered;
      const vec4 l2 = texel_of(l[row + 2], leaving + row + 2), l12 = texel_of(l[row + 1], leaving + row + 1) + l2;
      keep_column_sum(0, common_sum + (texel_of(l[row], leaving + row) + l12));
      const vec4 e0 = texel_of(e[0], entering);
      keep_column_sum(1, common_sum + l12 + e0);
      const vec4 e01 = e0 + texel_of(e[1], entering + 1);
      keep_column_sum(2, common_sum + l2 + e01);
      const vec4 e012 = e01 + texel_of(e[2], entering + 2);
      keep_column_sum(3, common_sum + e012);
      entered += e012 + texel_of(e[3], entering + 3);
#if KEEPS_WINDOW
      [[unroll]] for (int next = 0; next < 4; ++next) l[kept_count + row + next] = e[next];
#endif
      // the next rows are requested while these are summed
      entering += 4;
      [[unroll]] for (int next = 0; next < 4; ++next) e[next] = column_word(column, entering + next);
      if (step == steps - 1) {
        leaving += GROUP;
        [[unroll]] for (int next = 0; next < kept_count; ++next)
#if KEEPS_WINDOW
          l[next] = l[next + GROUP];
#else
          l[next] = column_word(column, leaving + next);
#endif
      }
      barrier();
      sum_rows(group + row);
      barrier();
      store_results(group + row, end);
    }
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) blocks[index - 1] = blocks[index];
    blocks[BLOCKS - 1] = entered;
  }
}
