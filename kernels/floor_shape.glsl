// How a workgroup of 256 takes its texels in the passes that measure what a device can do at best: COLUMNS threads
// across, EACH texels a thread, so that a row of threads reads texels that lie side by side.

ivec2 place(int index) {
  const int rows = 256 / COLUMNS;
  const ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(COLUMNS, rows * EACH);
  const int thread = int(gl_LocalInvocationIndex);
  return corner + ivec2(thread % COLUMNS, thread / COLUMNS + rows * index);
}

bool inside(ivec2 at) { return at.x < end_x && at.y < end_y; }
