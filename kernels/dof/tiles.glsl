// Largest radii in a tile of TILE x TILE texels, in front of and behind the focus: statistics[tiles_at + 2 tile] and the next
// one.
shared uint most_near, most_far;

void begin_tile() {
  if (gl_LocalInvocationIndex == 0) most_near = most_far = 0u;
  barrier();
}

void measure(float radius) {
  if (radius > 0.0) atomicMax(most_near, floatBitsToUint(radius));
  else atomicMax(most_far, floatBitsToUint(abs(radius)));
}

void end_tile() {
  barrier();
  if (gl_LocalInvocationIndex > 0) return;
  const int tile = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
  statistics[tiles_at + 2 * tile] = most_near;
  statistics[tiles_at + 2 * tile + 1] = most_far;
}
