// Makes a level of the glow: its own light times table[0], plus the enlarged level below times table[1]. A workgroup
// processes 16x16 texels.
#include "bloom/spread.glsl"
#include "lib/storage.glsl"

void main() {
  const ivec2 at = ivec2(16) * ivec2(gl_WorkGroupID.xy) +
                   ivec2(gl_LocalInvocationIndex & 15u, gl_LocalInvocationIndex >> 4);
  if (at.x >= end_x || at.y >= end_y) return;
  const vec3 glow = spread(at);
  store(at, vec4(clamp(table[0] * load(at).rgb + table[1] * glow, vec3(-largest_float), vec3(largest_float)), 1.0));
}
