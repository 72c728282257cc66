// Reduces lines to cells of a coarser grid with windows of four cells: rows or columns, as AXIS says. A thread walks
// along a line and makes `segment` cells. Each texel is between two cells and adds to the four around it, with weights
// from the table. The texels of interval i add to cells i - 3 to i. The sum of a cell does not depend on its segment.
#include "blur/line.glsl"

void main() {
  const int first = min(segment * int(gl_GlobalInvocationID.y), cells), end = min(first + segment, cells);
  vec4 sum0 = vec4(0.0), sum1 = vec4(0.0), sum2 = vec4(0.0), sum3 = vec4(0.0);
  int t = int(table[intervals + first]);
  vec4 ahead[AHEAD];  // the next texels, read before they are needed
  for (int k = 0; k < AHEAD; ++k) ahead[k] = line_texel(t + k);
  for (int interval = first; interval < end + 3; ++interval) {
    const int stop = int(table[intervals + interval + 1]);
    for (; t < stop; ++t) {
      const vec4 c = ahead[0], weights = table4[t + before];
      for (int k = 1; k < AHEAD; ++k) ahead[k - 1] = ahead[k];
      ahead[AHEAD - 1] = line_texel(t + AHEAD);
      sum0 += weights.x * c;
      sum1 += weights.y * c;
      sum2 += weights.z * c;
      sum3 += weights.w * c;
    }
    const int cell = interval - 3;
    if (cell >= first && line_index < LINE_COUNT) store(place(cell), sum0);
    sum0 = sum1;
    sum1 = sum2;
    sum2 = sum3;
    sum3 = vec4(0.0);
  }
}
