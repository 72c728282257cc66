// What stands for 2x2 texels of a picture and their circles, load_more0(): the mean of the near ones, where there are
// none of those beyond the focus, else of all, and of them what is light. A workgroup makes a tile of TILE x TILE texels.
//
// table: the areas of circles.
#include "dof/areas.glsl"
#include "dof/layers.glsl"
#include "dof/part.glsl"
#include "dof/tiles.glsl"

// -1 behind the focus, 1 in front of it, 0 in focus
int side_of(float radius) { return radius > 0.5 ? 1 : radius < -0.5 ? -1 : 0; }

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = TILE * ivec2(gl_WorkGroupID.xy) + ivec2(thread % TILE, thread / TILE), last = ivec2(end_x, end_y) - 1;
  begin_tile();
  if (2 * at.x <= last.x && 2 * at.y <= last.y) {
    float radii[4];
    int side = 0;
    for (int k = 0; k < 4; ++k) {
      radii[k] = load_more0(min(2 * at + ivec2(k & 1, k >> 1), last)).r;
      if (side_of(radii[k]) != 0 && side != 1) side = side_of(radii[k]);
    }
    vec4 sum = vec4(0.0);
    float radius = 0.0, count = 0.0, light_count = 0.0;
    for (int k = 0; k < 4; ++k) {
      const ivec2 from = 2 * at + ivec2(k & 1, k >> 1);
      if (from.x <= last.x && from.y <= last.y && (side == 0 || side_of(radii[k]) == side)) {
        radius += radii[k];
        count += 1.0;
        const vec4 c = load(from);
        if (is_finite(c)) {
          sum += part * c;
          light_count += 1.0;
        }
      }
    }
    radius /= count;
    const float half_radius = side == 0 ? 0.0 : 0.5 * radius;
    const float share = side == 0 ? 1.0 : part_in_half(radius) / area_of(abs(half_radius));
    store(at, vec4(half_radius, share, 0.0, 0.0));
    store_more0(at, light_count > 0.0 ? whole(sum / light_count) : vec4(intBitsToFloat(0x7fc00000)));
    measure(half_radius);
  }
  end_tile();
}
