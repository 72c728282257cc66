// What both forms of the single pass share: sizes of levels, the store by level, and the last workgroup's work.
#include "area_weights.glsl"

shared real4 tile[SHARED_TEXELS];
shared uint finished_before;

ivec2 level_size(int level) { return max(ivec2(width, height) >> level, 1); }
bool inside(ivec2 at, ivec2 size) { return at.x < size.x && at.y < size.y; }

#if TAIL
// The levels from STEPS down stand one behind the other in the scratch buffer.
int scratch_offset(int level) {
  int offset = 0;
  for (int above = STEPS; above < level; ++above) offset += level_size(above).x * level_size(above).y;
  return offset;
}

void keep_for_tail(ivec2 at, vec4 c) { scratch_texels[at.y * level_size(STEPS).x + at.x] = c; }

// Counts this workgroup as finished. True in all threads of the workgroup that is the last to do so; what the others
// wrote to the scratch buffer before is then visible to it: each thread's writes are released with the barrier and the
// atomic, and acquired by the last one's atomic and the barrier behind it.
bool is_last_workgroup(int thread) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (thread == 0)
    finished_before = atomicAdd(scratch_finished, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                                gl_SemanticsAcquireRelease);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  return finished_before == uint(group_count - 1);
}

// All levels below STEPS, by one workgroup of 256. A level of at most TAIL_TEXELS stays in shared memory, where two
// halves are written in turn; larger ones go through the scratch buffer.
void make_tail(int thread) {
  bool from_shared = false;
  int from_offset = 0;
  int to_half = 0;
  for (int level = STEPS + 1; level < level_count; ++level) {
    const ivec2 from_size = level_size(level - 1), size = level_size(level);
    const ivec2 taps = ivec2(tap_count(from_size.x), tap_count(from_size.y));
    const bool to_shared = size.x * size.y <= (to_half == 0 ? TAIL_TEXELS : TAIL_TEXELS / 2);
    const int to_offset = to_shared ? (to_half == 0 ? 0 : TAIL_TEXELS) : scratch_offset(level);
    for (int index = thread; index < size.x * size.y; index += 256) {
      const ivec2 at = ivec2(index % size.x, index / size.x);
      const ivec2 from = min(2 * at, from_size - 1);
      vec4 sum = vec4(0);
      for (int y = 0; y < taps.y; ++y) {
        vec4 row = vec4(0);
        for (int x = 0; x < taps.x; ++x) {
          const int place = from_offset + (from.y + y) * from_size.x + from.x + x;
          row += (from_shared ? vec4(tile[place]) : scratch_texels[place]) * area_weight(from_size.x, at.x, x);
        }
        sum += row * area_weight(from_size.y, at.y, y);
      }
      store_level(level, at, sum);
      if (to_shared) tile[to_offset + index] = real4(sum);
      else scratch_texels[to_offset + index] = sum;
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
    if (to_shared) to_half = 1 - to_half;
    from_shared = to_shared;
    from_offset = to_offset;
  }
}
#endif
