// The last workgroup of a cell reduces the results of all pieces in order, so that the result does not depend on which
// workgroup is last.
#if JOINS
shared bool is_last;

float kept_number(int index, int count, int first) {
  const float number = scratch_texels[first + min(index, count - 1)].r * power_of_two(-join_exponent);
  return index < count ? number : neutral;
}

// Two at once. Few instructions are better, because only the last workgroup executes them and must fetch them.
float number_of_pieces(int first, int count, int thread) {
  float number = neutral;
  [[dont_unroll]] for (int index = thread; index < count + thread; index += 2 * THREADS) {
    const float a = kept_number(index, count, first), b = kept_number(index + THREADS, count, first);
    number = combined(combined(number, a), b);
  }
  return number;
}

// `number` of the piece at `at`. What is written to a coherent buffer is available, and what is read from it visible, by
// the write and the read themselves. The count orders them: it releases the own write and acquires those of the others,
// since a fence behind it would be one more wait of the last workgroup.
void join(ivec2 at, float number, int thread) {
  const ivec2 pieces = ivec2(pieces_x, pieces_y);
  const ivec2 cell = at / pieces, piece_at = at - cell * pieces;
  const int counter = cell.y * cells_x + cell.x, count = pieces.x * pieces.y;
  const int first = texel_offset + counter * count;
  if (thread == 0) {
    scratch_texels[first + piece_at.y * pieces.x + piece_at.x] = vec4(number, 0.0, 0.0, 0.0);
    is_last = atomicAdd(scratch_counters[counter], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                        gl_SemanticsAcquireRelease) == uint(count - 1);
  }
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (!is_last) return;
  if (thread == 0) scratch_counters[counter] = 0;
  number = reduced_in_group(number_of_pieces(first, count, thread), thread);
  if (thread == 0) store_number(cell, number);
}
#endif
