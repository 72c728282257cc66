// A mean of the texels around each, by their distance and by the difference of their colors.
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"
#include "lib/storage.glsl"

bool is_finite(vec4 c) { return all(lessThanEqual(abs(c), vec4(largest_float))); }

void make(ivec2 at) {
  const vec4 middle = as_rgb(load(at));
  const ivec2 first = max(at - radius, ivec2(0)), last = min(at + radius, ivec2(end_x, end_y) - 1);
  const float share = 1.0 / float((2 * radius + 1) * (2 * radius + 1));  // so that no sum overflows
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = first.y; y <= last.y; ++y)
    for (int x = first.x; x <= last.x; ++x) {
      const vec4 c = as_rgb(load(ivec2(x, y)));
      if (!is_finite(c)) continue;
      const vec3 difference = c.rgb - middle.rgb;
      const vec2 away = vec2(ivec2(x, y) - at);
      const float weight = share * exp(of_place * dot(away, away) + of_range * dot(difference, difference));
      weights += weight;
      sum += weight * c;
    }
  store(at, of_rgb(is_finite(middle) ? sum / weights : middle));
}
