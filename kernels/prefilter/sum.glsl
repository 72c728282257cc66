// Filters an environment: each texel is the weighted mean of `sample_count` samples around its direction. table4 has the direction of
// each sample, with z along that of the texel, and its weight; behind them, the table has its level in the pyramid.
// ADDS: the second source has the sum of the passes before.
#include "lib/each_texel.glsl"
#include "prefilter/cube.glsl"

// The pyramid in a direction, interpolated between four corners.
vec4 light_from(vec3 d, int level) {
  const vec3 size = abs(d);
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const int face = 2 * axis + (d[axis] < 0.0 ? 1 : 0), level_cells = cells >> level;
  const vec2 place = (0.5 * point_of(face, d) / size[axis] + 0.5) * float(level_cells);
  const ivec2 cell = clamp(ivec2(place), ivec2(0), ivec2(level_cells - 1));
  const vec2 part = place - vec2(cell);
  // a level is below those before it, which have 2 (cells - level_cells) cells and a corner more in each
  const ivec2 at = ivec2(face * (level_cells + 1), 2 * (cells - level_cells) + level) + cell;
  return mix(mix(load(at), load(at + ivec2(1, 0)), part.x), mix(load(at + ivec2(0, 1)), load(at + ivec2(1, 1)), part.x), part.y);
}

void make(ivec2 at) {
  const int face = min(at.x / made_width, 5);
  const vec2 point = 2.0 * (vec2(at - ivec2(face * made_width, 0)) + 0.5) / vec2(made_width, made_height) - 1.0;
  const vec3 z = normalize(vector_to(face, point, 1.0)), right = vector_to(face, vec2(1.0, 0.0), 0.0);
  const vec3 x = normalize(right - dot(right, z) * z), y = cross(z, x);
#if ADDS
  vec4 sum = load_second(at);
#else
  vec4 sum = vec4(0.0);
#endif
  // in parts, because long sums round more
  for (int first = 0; first < sample_count; first += PART) {
    vec4 part = vec4(0.0);
    for (int index = first; index < min(first + PART, sample_count); ++index) {
      const vec4 one = table4[index];
      part += one.w * light_from(one.x * x + one.y * y + one.z * z, int(table[4 * sample_count + index]));
    }
    sum += part;
  }
  store(at, sum);
}
