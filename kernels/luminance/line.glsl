// A thread makes a piece, a line of texels along AXIS: nothing is exchanged, and threads side by side read texels side
// by side. Sums are made of sums of sixteen, whose rounding adds up less.
#include "luminance/luminance.glsl"

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), end = ivec2(cells_x * pieces_x, cells_y * pieces_y);
  const ivec2 next = AXIS == AXIS_X ? ivec2(1, 0) : ivec2(0, 1);
  const Range range = range_of(min(at, end - 1));  // threads after the last piece repeat it
  float number = neutral;
  const int length = AXIS == AXIS_X ? piece_x : piece_y;
  for (int first = 0; first < length; first += 16) {
    float part = neutral;
    for (int index = first; index < first + 16; ++index)
      part = combined(part, number_in(range, range.low + index * next));
    number = combined(number, part);
  }
  if (all(lessThan(at, end))) store_number(at, number);
}
