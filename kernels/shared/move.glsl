// Copies texels to other positions bit for bit. A workgroup processes 64x4 texels, a thread four of them.
void main() {
  const ivec2 corner = ivec2(64, 4) * ivec2(gl_WorkGroupID.xy);
  for (int row = 0; row < 4; ++row) {
    const ivec2 at = corner + ivec2(int(gl_LocalInvocationIndex), row);
#ifdef SWAPS_AXES
    const ivec2 place = at.yx;
#else
    const ivec2 place = at;
#endif
    if (at.x < width && at.y < height) store(at, load(ivec2(from_x, from_y) + ivec2(step_x, step_y) * place));
  }
}
