// Main function of a kernel that computes each texel separately with make(at). A workgroup processes 64x16 texels, a
// thread four of them.
void make(ivec2 at);

void main() {
  const ivec2 corner = ivec2(64, 16) * ivec2(gl_WorkGroupID.xy);
  const int thread = int(gl_LocalInvocationIndex);
  for (int row = 0; row < 16; row += 4) {
    const ivec2 at = corner + ivec2(thread & 63, row + (thread >> 6));
    if (at.x < end_x && at.y < end_y) make(at);
  }
}
