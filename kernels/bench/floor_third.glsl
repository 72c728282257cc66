// Floor of a benchmark for mip chains: reads each texel once and writes a third as many, each the mean of three rows.
#include "bench/floor_shape.glsl"

vec4 load_row(ivec2 at, int row) { return load(min(ivec2(at.x, 3 * at.y + row), ivec2(end_x, source_height) - 1)); }

void main() {
  vec4 texels[3 * EACH];
  for (int index = 0; index < 3 * EACH; ++index) texels[index] = load_row(place(index / 3), index % 3);
  for (int index = 0; index < EACH; ++index)
    if (inside(place(index)))
      store(place(index), (texels[3 * index] + texels[3 * index + 1] + texels[3 * index + 2]) / 3.0);
}
