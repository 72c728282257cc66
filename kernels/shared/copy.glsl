// Copies an image; other passes are measured against it. A workgroup of THREADS threads is COLUMNS wide. A thread loads
// its TEXELS of a column, 1, 4 or 8, before it stores the first.

// Not a loop: what limits the size of a user's text counts the calls of it that are written here.
#if TEXELS == 1
#define EACH_TEXEL(DO) DO(0)
#elif TEXELS == 4
#define EACH_TEXEL(DO) DO(0) DO(1) DO(2) DO(3)
#else
#define EACH_TEXEL(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#endif
#ifdef COUNTS_TEXELS  // then none may go through twice
#define IF_FIRST(k) if (at.x < end.x && at.y + k * rows < end.y)
#else
#define IF_FIRST(k)
#endif
#define LOAD(k) IF_FIRST(k) texels[k] = load(min(at + ivec2(0, k * rows), end - 1));
#define TO_TARGET(k) IF_FIRST(k) texels[k] = into_target(texels[k]);
#define STORE(k) if (at.y + k * rows < end.y) store(at + ivec2(0, k * rows), texels[k]);

void main() {
  const int rows = THREADS / COLUMNS;
  const ivec2 end = ivec2(end_x, end_y);
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at =
      ivec2(COLUMNS, TEXELS * rows) * ivec2(gl_WorkGroupID.xy) + ivec2(thread % COLUMNS, thread / COLUMNS);
  vec4 texels[TEXELS];
  EACH_TEXEL(LOAD)
  if (at.x >= end.x) return;
#if CLAMPS_LAST
  // A branch behind each texel would keep a GPU from computing several at once.
  EACH_TEXEL(TO_TARGET)
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
  EACH_TEXEL(STORE)
#endif
}
