// A picture through a lens, from its circles of confusion, load_more0(); core/ops/dof/reference.h says what is done. A
// workgroup takes a tile of TILE x TILE texels and looks as far around as circles reach into it.
//
// table: by offset, rows of 2 EDGE_REACH + 1, where the aperture's edge is; a disk, IS_DISK, has none.
// IS_HALF: texels stand for 2x2 of the picture, and what is made of them is kept in layers: how much the near field
// covers, beside the circle's radius, its light, and what is behind it.
#include "dof/layers.glsl"
#include "lib/group_order.glsl"

const float near_share = 0.0009765625;  // weight of the near field behind itself
const float least = IS_HALF == 1 ? 0.0 : 0.5;  // larger circles belong to a field

shared uint reached;  // bits of the largest radius

// Largest circle that reaches into this tile, or that a texel of it reads.
float reach_of_tile(int thread) {
  const ivec2 tile = ivec2(gl_WorkGroupID.xy);
  if (thread == 0) reached = statistics[tiles_at + 2 * (tile.y * tiles_x + tile.x) + 1];
  barrier();
  const int side = 2 * TILE_REACH + 1;
  for (int index = thread; index < side * side; index += 256) {
    const ivec2 away = ivec2(index % side, index / side) - TILE_REACH, other = tile + away;
    if (other.x >= 0 && other.y >= 0 && other.x < tiles_x && other.y < tiles_y) {
      const uint radius = statistics[tiles_at + 2 * (other.y * tiles_x + other.x)];
      const ivec2 gap = max(TILE * abs(away) - (TILE - 1), ivec2(0));
      if (uintBitsToFloat(radius) + 0.5 > float(max(gap.x, gap.y))) atomicMax(reached, radius);
    }
  }
  barrier();
  return uintBitsToFloat(reached);
}

float share_of_circle(float radius, float edge, float away) { return clamp(radius * edge + 0.5 - away, 0.0, 1.0); }

vec4 near_light = vec4(0.0), far_light = vec4(0.0), behind_light = vec4(0.0);
float near_weight = 0.0, far_weight = 0.0, behind_weight = 0.0;

// Light that the texel at `from`, at distance `away`, gives to a texel with the circle `own`.
void add(ivec2 from, float away, float edge, vec2 own) {
  const vec2 circle = load_more0(from).rg;
  const bool is_near = circle.x > least;
  const float nearer = share_of_circle(is_near ? circle.x : own.x, edge, away) * (is_near ? circle.y : own.y);
  const float near = is_near ? nearer : 0.0;
  const float behind = !is_near && own.x > least ? nearer : 0.0;
  const float smaller = min(-circle.x, -own.x);
  const float far = smaller > least ? share_of_circle(smaller, edge, away) / ((smaller + 0.5) * (smaller + 0.5)) : 0.0;
  if (near + behind + far > 0.0) {
    const vec4 c = load(from);
    if (is_finite(c)) {
      near_light += near * (part * c);
      near_weight += near;
      behind_light += behind * (part * c);
      behind_weight += behind;
      far_light += far * (part * c);
      far_weight += far;
    }
  }
}

// The background. Behind near texels it is the surroundings, or the near field itself if there are none. Values that
// are not finite are left out.
vec4 behind_near(vec4 own, float radius) {
  if (far_weight > 0.0) return far_light / far_weight;
  if (radius > least) {
    const vec4 near_mean = near_weight > 0.0 ? near_light / near_weight : part * own;
    return (behind_light + near_share * near_mean) / (behind_weight + near_share);
  }
  return part * own;
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = TILE * ivec2(gl_WorkGroupID.xy) + place_in_group(thread), last = ivec2(end_x, end_y) - 1;
  const int reach = int(reach_of_tile(thread) + 0.5);
  const ivec2 place = min(at, last);
  const vec2 own = load_more0(place).rg;
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x) {
      const ivec2 from = place + ivec2(x, y);
#if IS_DISK
      const float edge = 1.0;
#else
      const float edge = table[(y + EDGE_REACH) * (2 * EDGE_REACH + 1) + x + EDGE_REACH];
#endif
      if (from.x >= 0 && from.y >= 0 && from.x <= last.x && from.y <= last.y)
        add(from, sqrt(float(x * x + y * y)), edge, own);
    }
  if (at.x > last.x || at.y > last.y) return;
  const vec4 c = load(at), behind = behind_near(is_finite(c) ? c : vec4(0.0), own.x);
#if IS_HALF
  store(at, vec4(near_weight, own.x, 0.0, 0.0));
  store_more0(at, whole(near_light));
  store_more1(at, whole(behind));
#else
  store(at, shown(c, own.x, near_light, near_weight, behind));
#endif
}
