// One pass of the a-trous filter: 5x5 texels that are `spacing` apart. Neighbors of another albedo, normal or light count less.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"

const float spline[5] = float[](0.0625, 0.25, 0.375, 0.25, 0.0625);

// The squared distance of the features of two texels, in standard deviations. NaN is far from everything.
float distance_of(ivec2 a, ivec2 b) {
  float sum = 0.0;
#if HAS_ALBEDO
  const vec3 of_albedo = (unpremultiply(load_more0(a)).rgb - unpremultiply(load_more0(b)).rgb) / albedo_range;
  sum += dot(of_albedo, of_albedo);
#endif
#if HAS_NORMALS && HAS_ALBEDO
  const vec3 of_normal = (load_more1(a).rgb - load_more1(b).rgb) / normals_range;
  sum += dot(of_normal, of_normal);
#elif HAS_NORMALS
  const vec3 of_normal = (load_more0(a).rgb - load_more0(b).rgb) / normals_range;
  sum += dot(of_normal, of_normal);
#endif
  return sum;
}

void make(ivec2 at) {
  const vec4 middle = load(at);
  if (middle.a == 0.0) {
    store(at, middle);
    return;
  }
  vec4 sum = vec4(0.0);
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) {
      const ivec2 from = at + spacing * (ivec2(column, row) - 2);
      if (any(lessThan(from, ivec2(0))) || from.x >= end_x || from.y >= end_y) continue;
      const vec4 light = load(from);
      float away = from == at ? 0.0 : distance_of(from, at);
#if HAS_RANGE
      const vec3 difference = (light.rgb - middle.rgb) / range;
      away += dot(difference, difference);
#endif
      if (!(away < 160.0)) continue;  // exp(-80) is nothing
      sum += spline[row] * spline[column] * light.a * exp(-0.5 * away) * vec4(light.rgb, 1.0);
    }
  store(at, vec4(sum.rgb / sum.a, middle.a));
}
