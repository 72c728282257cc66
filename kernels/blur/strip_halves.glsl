// Sliding sums of a box for halves, as in blur/strip_sums.glsl, with groups of four rows. The image is read as words,
// which take fewer registers until they are summed. Sums of halves do not overflow, so only the last one is scaled.
#include "blur/strip_rows.glsl"

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
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = min(begin + segment_rows, height);
  choose_direction(begin, end);
  const int column = continued(own_x(), width);
  int leaving = begin - radius_y, entering = begin + radius_y + 1;
  const int first_row = leaving + 3 + rest_rows;
  SOURCE_WORD first[4 * BLOCKS];  // all requested before the first is used
  [[unroll]] for (int row = 0; row < 4 * BLOCKS; ++row) first[row] = column_word(column, first_row + row);
  vec4 blocks[BLOCKS];
  [[unroll]] for (int index = 0; index < BLOCKS; ++index) {
    const int row = 4 * index;
    blocks[index] = (texel_of(first[row], first_row + row) + texel_of(first[row + 1], first_row + row + 1)) +
                    (texel_of(first[row + 2], first_row + row + 2) + texel_of(first[row + 3], first_row + row + 3));
  }
  SOURCE_WORD l[3], e[4];
  [[unroll]] for (int row = 0; row < 3; ++row) l[row] = column_word(column, leaving + row);
  [[unroll]] for (int row = 0; row < 4; ++row) e[row] = column_word(column, entering + row);
  [[dont_unroll]] for (int y = begin; y < end; y += 4) {
    vec4 core = blocks[0];
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) core += blocks[index];
    for (int row = leaving + 3; row < leaving + 3 + rest_rows; row += 2)
      core += texel_of(column_word(column, row), row) + texel_of(column_word(column, row + 1), row + 1);
    const vec4 l2 = texel_of(l[2], leaving + 2), l12 = texel_of(l[1], leaving + 1) + l2;
    keep_column_sum(0, core + (texel_of(l[0], leaving) + l12));
    const vec4 e0 = texel_of(e[0], entering);
    keep_column_sum(1, core + l12 + e0);
    const vec4 e01 = e0 + texel_of(e[1], entering + 1);
    keep_column_sum(2, core + l2 + e01);
    const vec4 e012 = e01 + texel_of(e[2], entering + 2);
    keep_column_sum(3, core + e012);
    [[unroll]] for (int index = 1; index < BLOCKS; ++index) blocks[index - 1] = blocks[index];
    blocks[BLOCKS - 1] = e012 + texel_of(e[3], entering + 3);
    // the next rows are requested while these are summed
    entering += 4;
    leaving += 4;
    [[unroll]] for (int row = 0; row < 4; ++row) e[row] = column_word(column, entering + row);
    [[unroll]] for (int row = 0; row < 3; ++row) l[row] = column_word(column, leaving + row);
    barrier();
    sum_blocks();
    sum_rows(y);
    barrier();
    store_results(y, end);
  }
}
