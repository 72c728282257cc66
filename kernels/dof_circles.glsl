// Each texel's circle of confusion from its depth: its radius in texels, positive nearer than the focus, and the share of
// its light that a texel in it gets. A workgroup takes a tile of 16x16 texels and keeps the largest radii of it, nearer than
// the focus and beyond it, as statistics[tiles_at + 2 tile] and the one behind it.
//
// table: the radius of a circle at a nearness of one metre, the focus's nearness, that of the focal length, what makes
// metres of a depth, the largest radius, and from AREAS_AT on how many texels circles have at every sixteenth of radius.
// IS_INVERSE: depths are 1 / distance.
shared uint most_near, most_far;

// 1 / distance; depths that are no distance are infinitely far.
float nearness_of(float depth) {
  if (!(depth > 0.0)) return 0.0;
  return min(IS_INVERSE != 0 ? depth / table[3] : 1.0 / (depth * table[3]), table[2]);
}

float area_of(float radius) {
  const float place = 16.0 * radius;
  const int index = min(int(place), AREAS - 2);
  return mix(table[AREAS_AT + index], table[AREAS_AT + index + 1], place - float(index));
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = 16 * ivec2(gl_WorkGroupID.xy) + ivec2(thread & 15, thread >> 4);
  if (thread == 0) most_near = most_far = 0u;
  barrier();
  if (at.x < end_x && at.y < end_y) {
    const float radius = clamp(table[0] * (nearness_of(load(at).r) - table[1]), -table[4], table[4]);
    store(at, vec4(radius, 1.0 / area_of(abs(radius)), 0.0, 0.0));
    if (radius > 0.0) atomicMax(most_near, floatBitsToUint(radius));
    else atomicMax(most_far, floatBitsToUint(abs(radius)));
  }
  barrier();
  if (thread == 0) {
    const int tile = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    statistics[tiles_at + 2 * tile] = most_near;
    statistics[tiles_at + 2 * tile + 1] = most_far;
  }
}
