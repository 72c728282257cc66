// Copies an image; other passes are measured against it. A workgroup of 256 threads is COLUMNS wide. A thread loads its
// TEXELS of a column, 1 or 4, before it stores the first.
void main() {
  const int rows = 256 / COLUMNS;
  const ivec2 end = ivec2(end_x, end_y);
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at =
      ivec2(COLUMNS, TEXELS * rows) * ivec2(gl_WorkGroupID.xy) + ivec2(thread % COLUMNS, thread / COLUMNS);
  const vec4 first = load(min(at, end - 1));
#if TEXELS == 4
  const vec4 second = load(min(at + ivec2(0, rows), end - 1));
  const vec4 third = load(min(at + ivec2(0, 2 * rows), end - 1));
  const vec4 fourth = load(min(at + ivec2(0, 3 * rows), end - 1));
#endif
  if (at.x >= end.x) return;
  if (at.y < end.y) store(at, first);
#if TEXELS == 4
  if (at.y + rows < end.y) store(at + ivec2(0, rows), second);
  if (at.y + 2 * rows < end.y) store(at + ivec2(0, 2 * rows), third);
  if (at.y + 3 * rows < end.y) store(at + ivec2(0, 3 * rows), fourth);
#endif
}
