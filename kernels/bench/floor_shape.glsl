// Shape of a workgroup of 256 threads in the floor passes: COLUMNS threads across, EACH texels per thread. A row of
// threads reads neighboring texels.

const ivec2 tile_size = ivec2(COLUMNS, 256 / COLUMNS * EACH);

ivec2 place_in_tile(int index) {
  const int thread = int(gl_LocalInvocationIndex);
  return ivec2(thread % COLUMNS, thread / COLUMNS + 256 / COLUMNS * index);
}

ivec2 place(int index) { return ivec2(gl_WorkGroupID.xy) * tile_size + place_in_tile(index); }

bool inside(ivec2 at) { return at.x < end_x && at.y < end_y; }
