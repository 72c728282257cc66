// Finds the scale of each level whose coverage is nearest to that of level 0, among those of the bisection; the first
// of equal ones. One workgroup per level.
#include "mips/coverage.glsl"

shared uint passed[10];  // samples that pass with a scale of this step, but not with those of earlier steps

uint samples_of(int level) {
  const ivec2 size = max(ivec2(width, height) >> level, 1);
  const ivec2 places = max(size - 1, 1);
  return 16u * uint(places.x) * uint(places.y);
}

// 64-bit numbers, high word first, so that shares of different sample counts are compared exactly.
uvec2 product(uint a, uint b) {
  uvec2 c;
  umulExtended(a, b, c.x, c.y);
  return c;
}
bool is_less(uvec2 a, uvec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
uvec2 difference(uvec2 a, uvec2 b) {
  uint borrow;
  const uint low = usubBorrow(a.y, b.y, borrow);
  return uvec2(a.x - b.x - borrow, low);
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const int level = 1 + int(gl_WorkGroupID.x);
  if (thread < 10) passed[thread] = 0;
  barrier();
  const uvec2 wanted = product(statistics[counts_at], samples_of(level));
  int low = 0, best = 0;
  uint passed_at_low = 0;
  uvec2 least = uvec2(0xffffffffu);
  for (int digit = 9; digit >= 0; --digit) {
    const int step = 1 << digit;
    for (int k = 0; k < 512; k += 64)
      if (k + thread < step) atomicAdd(passed[digit], statistics[bins_of(level) + low + k + thread]);
    barrier();
    const uint covered = passed_at_low + passed[digit];
    const uvec2 found = product(covered, samples_of(0));
    const bool is_short = is_less(found, wanted);
    const uvec2 error = is_short ? difference(wanted, found) : difference(found, wanted);
    if (is_less(error, least)) {
      least = error;
      best = low + step;
    }
    if (is_short) {
      low += step;
      passed_at_low = covered;
    }
  }
  if (thread == 0) statistics[counts_at + level] = floatBitsToUint(scale_at(best));
}
