// Floor of a benchmark: reads each texel and writes as many. A thread issues all loads before its first store.
#include "bench/floor_shape.glsl"

void main() {
  const ivec2 edge = ivec2(end_x, end_y) - 1;
  vec4 texels[EACH];
  for (int index = 0; index < EACH; ++index) texels[index] = load(min(place(index), edge));
  for (int index = 0; index < EACH; ++index)
    if (inside(place(index))) store(place(index), texels[index]);
}
