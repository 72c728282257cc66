// Each texel's circle of confusion from its depth: its radius in texels, positive nearer than the focus, and the share
// of its light that a texel in it gets. A workgroup takes a tile of TILE x TILE texels.
//
// table: the radius of a circle at a nearness of one meter, the focus's nearness, that of the focal length, what makes
// meters of a depth, the largest radius, and the areas of circles.
// IS_INVERSE: depths are 1 / distance.
#include "dof/areas.glsl"
#include "dof/tiles.glsl"

// 1 / distance; depths that are no distance are infinitely far.
float nearness_of(float depth) {
  if (!(depth > 0.0)) return 0.0;
  return min(IS_INVERSE != 0 ? depth / table[3] : 1.0 / (depth * table[3]), table[2]);
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = TILE * ivec2(gl_WorkGroupID.xy) + ivec2(thread % TILE, thread / TILE);
  begin_tile();
  if (at.x < end_x && at.y < end_y) {
    const float radius = clamp(table[0] * (nearness_of(load(at).r) - table[1]), -table[4], table[4]);
    store(at, vec4(radius, 1.0 / area_of(abs(radius)), 0.0, 0.0));
    measure(radius);
  }
  end_tile();
}
