// Texel for texel: what every other pass is measured against. A workgroup takes 64x16 texels, a thread four of them, all
// of which it loads before it stores the first.
void main() {
  const ivec2 end = ivec2(end_x, end_y);
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = ivec2(origin_x, origin_y) + ivec2(64, 16) * ivec2(gl_WorkGroupID.xy) + ivec2(thread & 63, thread >> 6);
  const vec4 first = load(min(at, end - 1));
  const vec4 second = load(min(at + ivec2(0, 4), end - 1));
  const vec4 third = load(min(at + ivec2(0, 8), end - 1));
  const vec4 fourth = load(min(at + ivec2(0, 12), end - 1));
  if (at.x >= end.x) return;
  if (at.y < end.y) store(at, first);
  if (at.y + 4 < end.y) store(at + ivec2(0, 4), second);
  if (at.y + 8 < end.y) store(at + ivec2(0, 8), third);
  if (at.y + 12 < end.y) store(at + ivec2(0, 12), fourth);
}
