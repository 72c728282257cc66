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

// Counts this workgroup as finished. True in all threads of the workgroup that is the last to do so, for which all that
// the others wrote to the scratch buffer is then visible: a write of a coherent buffer is made available by itself, the
// barrier orders the workgroup's writes before the atomic, which releases them, and the last workgroup alone acquires
// (which empties caches: once, not in every workgroup).
bool is_last_workgroup(int thread) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (thread == 0)
    finished_before = atomicAdd(scratch_finished, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  if (finished_before != uint(group_count - 1)) return false;
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  return true;
}

// Where a level of the tail stands: in shared memory or in the scratch buffer.
struct Place {
  bool is_shared;
  int offset;
};

vec4 texel_of(Place place, int index) {
  return place.is_shared ? vec4(tile[place.offset + index]) : scratch_texels[place.offset + index];
}

vec4 reduce_of(Place place, ivec2 size, ivec2 at) {
  const ivec2 taps = ivec2(tap_count(size.x), tap_count(size.y));
  const ivec2 from = min(2 * at, size - 1);
  vec4 sum = vec4(0);
  for (int y = 0; y < 3; ++y) {
    if (y >= taps.y) continue;
    vec4 row = vec4(0);
    for (int x = 0; x < 3; ++x)
      if (x < taps.x)
      row += texel_of(place, (from.y + y) * size.x + from.x + x) * area_weight(size.x, at.x, x);
    sum += row * area_weight(size.y, at.y, y);
  }
  return sum;
}

// All levels below STEPS, by one workgroup of 256. A level of at most TAIL_TEXELS stays in shared memory, where two
// halves are written in turn; larger ones go through the scratch buffer.
void make_tail(int thread) {
  Place from = Place(false, 0);
  int half_used = 1;  // of shared memory
  for (int level = STEPS + 1; level < level_count; ++level) {
    const ivec2 size = level_size(level);
    const int count = size.x * size.y;
    const bool is_shared = count <= (half_used == 1 ? TAIL_TEXELS : TAIL_TEXELS / 2);
    const Place to = Place(is_shared, !is_shared ? scratch_offset(level) : half_used == 1 ? 0 : TAIL_TEXELS);
    for (int first = 0; first < count; first += 256) {
      const int index = first + thread;
      if (index < count) {
        const ivec2 at = ivec2(index % size.x, index / size.x);
        const vec4 c = reduce_of(from, level_size(level - 1), at);
        store_level(level, at, c);
        if (is_shared) tile[to.offset + index] = real4(c);
        else scratch_texels[to.offset + index] = c;
      }
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
    if (is_shared) half_used = 1 - half_used;
    from = to;
  }
}
#endif
