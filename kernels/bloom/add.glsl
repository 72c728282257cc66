// Adds the glow to the image, tinted by table[0..2]. A workgroup processes 16x16 texels.
#include "bloom/spread.glsl"
#include "lib/storage.glsl"
#include "lib/yxy.glsl"

void main() {
  const ivec2 at = ivec2(16) * ivec2(gl_WorkGroupID.xy) +
                   ivec2(gl_LocalInvocationIndex & 15u, gl_LocalInvocationIndex >> 4);
  if (at.x >= end_x || at.y >= end_y) return;
  const vec3 tint = vec3(table[0], table[1], table[2]);
  const vec4 glow = vec4(spread(at), 0.0);
#ifdef IN_XYZ
  const vec3 added = xyz_of_rgb(vec4(tint * rgb_of_xyz(glow).rgb, 0.0)).rgb;
#else
  const vec3 added = tint * (GLOW_IS_XYZ == 1 ? rgb_of_xyz(glow) : glow).rgb;
#endif
  const vec4 c = load(at), quarter = 0.25 * vec4(clamp(added, vec3(-largest_float), vec3(largest_float)), 0.0);
  const vec4 sum = 4.0 * clamp(0.25 * c + quarter, vec4(-0.25 * largest_float), vec4(0.25 * largest_float));
  store(at, vec4(mix(c.rgb, sum.rgb, lessThanEqual(abs(c.rgb), vec3(3.40282347e38))), c.a));
}
