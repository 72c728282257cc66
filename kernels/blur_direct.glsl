// A blur as it is defined: every texel of the kernel for every texel of the picture. A thread makes one; which one of
// its workgroup is a choice of order.
#include "blur_border.glsl"
#include "group_order.glsl"

void main() {
  const ivec2 at = ivec2(GROUP_X, GROUP_Y) * ivec2(gl_WorkGroupID.xy) + place_in_group(int(gl_LocalInvocationIndex));
  vec4 sum = vec4(0.0);
  for (int y = -radius_y; y <= radius_y; ++y) {
    vec4 row = vec4(0.0);
    for (int x = -radius_x; x <= radius_x; ++x) row += table[radius_x + x] * texel(at + ivec2(x, y));
    sum += table[2 * radius_x + 1 + radius_y + y] * row;
  }
  if (at.x < width && at.y < height) store(at, finished(sum, at));
}
