// Copies an image; other passes are measured against it. A workgroup of THREADS threads is COLUMNS wide. A thread loads
// its TEXELS of a column before it stores the first.
void main() {
  const int rows = THREADS / COLUMNS;
  const ivec2 end = ivec2(end_x, end_y);
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at =
      ivec2(COLUMNS, TEXELS * rows) * ivec2(gl_WorkGroupID.xy) + ivec2(thread % COLUMNS, thread / COLUMNS);
  vec4 texels[TEXELS];
  [[unroll]] for (int k = 0; k < TEXELS; ++k) texels[k] = load(min(at + ivec2(0, k * rows), end - 1));
  if (at.x >= end.x) return;
#if CLAMPS_LAST
  // A branch behind each texel would keep a GPU from computing several at once.
  [[unroll]] for (int k = 0; k < TEXELS; ++k) texels[k] = into_target(texels[k]);
#ifdef CLAMPS_HALF
  uint largest = 0u;  // as bits, since NaN has no order
  [[unroll]] for (int k = 0; k < TEXELS; ++k) {
    const uvec4 size = floatBitsToUint(abs(texels[k]));
    largest = max(max(largest, max(size.x, size.y)), max(size.z, size.w));
  }
  if (largest >= floatBitsToUint(65520.0))
    [[unroll]] for (int k = 0; k < TEXELS; ++k)
      if (at.y + k * rows < end.y) texels[k] = clamp_half(texels[k]);
#endif
  [[unroll]] for (int k = 0; k < TEXELS; ++k)
    if (at.y + k * rows < end.y) store_made(at + ivec2(0, k * rows), texels[k]);
#else
  [[unroll]] for (int k = 0; k < TEXELS; ++k)
    if (at.y + k * rows < end.y) store(at + ivec2(0, k * rows), texels[k]);
#endif
}
