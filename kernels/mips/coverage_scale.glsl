// Multiplies alpha by the scale of its level and clamps it to [0, 1]; R, G and B are scaled too. A workgroup processes
// 64x4 texels, a thread four of them.
#include "lib/storage.glsl"

// Clamps to the largest storable value; infinity and NaN stay.
vec3 scaled(vec3 c, float factor) {
  const vec3 clamped = 4.0 * clamp(0.25 * factor * c, vec3(-0.25 * largest_float), vec3(0.25 * largest_float));
  return mix(factor * c, clamped, lessThanEqual(abs(c), vec3(largest_float)));
}

void main() {
  const float scale = uintBitsToFloat(statistics[counts_at + level]);
  const ivec2 corner = ivec2(64, 4) * ivec2(gl_WorkGroupID.xy);
  for (int row = 0; row < 4; ++row) {
    const ivec2 at = corner + ivec2(int(gl_LocalInvocationIndex), row);
    if (at.x < width && at.y < height) {
      const vec4 c = load(at);
      const float alpha = scale * c.a;
      const float shrink = c.a > 1e30 ? 1.0 / 16777216.0 : 1.0;  // devices may flush 1 / 1e38 to 0
      const vec3 color = alpha > 1.0 ? scaled(shrink * c.rgb, 1.0 / (shrink * c.a)) : scaled(c.rgb, scale);
      store(at, vec4(color, unit(alpha)));
    }
  }
}
