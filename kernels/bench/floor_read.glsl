// Floor of a benchmark: reads each texel and writes nothing. A store that never happens keeps the compiler from
// removing the reads.
#include "bench/floor_shape.glsl"

void main() {
  const ivec2 edge = ivec2(end_x, end_y) - 1;
  vec4 texels[EACH];
  for (int index = 0; index < EACH; ++index) texels[index] = load(min(place(index), edge));
  vec4 sum = vec4(0);
  for (int index = 0; index < EACH; ++index) sum += texels[index];
  if (sum.x == -12288.0) store(ivec2(0), sum);
}
