// Enlarges a grid of cells to texels with windows of four cells, along the axes of HAS_X and HAS_Y. A thread walks down a
// column. It makes each row of cells at its column once, and the texels between two rows from four rows. Cells hold
// half of the sums. With RENORMALIZES, the table has 1 / (share of the weights inside the image).
#include "blur/border.glsl"

int x = min(int(gl_GlobalInvocationID.x), width - 1);

#if HAS_X
vec4 weights_x = table4[columns_at + x];
int cell_x = int(table[cells_at + x]);

vec4 cell(int k, int y) { return load(ivec2(continued(cell_x + k, cells_x), y)); }

// Row y of the cells at the thread's column.
vec4 across(int y) {
  const int row = continued(y, cells_y);
  return weights_x.x * cell(-1, row) + weights_x.y * cell(0, row) + weights_x.z * cell(1, row) +
         weights_x.w * cell(2, row);
}
#else
vec4 across(int y) { return load(ivec2(x, continued(y, cells_y))); }
#endif

void keep(int y, vec4 sum) {
#if RENORMALIZES
#if HAS_X
  sum *= table[shares_at + x];
#endif
#if HAS_Y
  sum *= table[shares_at + HAS_X * width + y];
#endif
#endif
  if (int(gl_GlobalInvocationID.x) < width) store(ivec2(x, y), stored(sum));
}

void main() {
  const int first = segment * int(gl_GlobalInvocationID.y), end = min(first + segment, intervals);
#if HAS_Y
  const int cell_y = first_cell + first;  // the last cell before the texels of the interval
  vec4 sum0 = across(cell_y - 1), sum1 = across(cell_y), sum2 = across(cell_y + 1);
  int y = int(table[intervals_at + first]);
  for (int interval = first; interval < end; ++interval) {
    const vec4 sum3 = across(first_cell + interval + 2);
    const int stop = int(table[intervals_at + interval + 1]);
    for (; y < stop; ++y) {
      const vec4 weights = table4[y];
      keep(y, weights.x * sum0 + weights.y * sum1 + weights.z * sum2 + weights.w * sum3);
    }
    sum0 = sum1;
    sum1 = sum2;
    sum2 = sum3;
  }
#else
  for (int y = first; y < end; ++y) keep(y, across(y));
#endif
}
