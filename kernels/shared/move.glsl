// Copies texels to other positions bit for bit. With FILLS, texels beyond the source are 0. A workgroup processes 64x4
// texels, a thread four of them.
void main() {
  const ivec2 corner = ivec2(64, 4) * ivec2(gl_WorkGroupID.xy);
  for (int row = 0; row < 4; ++row) {
    const ivec2 at = corner + ivec2(int(gl_LocalInvocationIndex), row);
#ifdef SWAPS_AXES
    const ivec2 place = at.yx;
#else
    const ivec2 place = at;
#endif
    const ivec2 from = ivec2(from_x, from_y) + ivec2(step_x, step_y) * place;
    if (at.x >= width || at.y >= height) continue;
#ifdef FILLS
    const bool is_inside = all(greaterThanEqual(from, ivec2(0))) && all(lessThan(from, textureSize(source, 0)));
    if (is_inside) store(at, load(from));
    else store(at, vec4(0.0));
#else
    store(at, load(from));
#endif
  }
}
