// Weighted sums of cells for small grids: a workgroup makes SIDE x SIDE cells, first along columns and then along rows. Its code is
// short, because the few workgroups of such a grid wait for their code longer than for their cells.
#include "blur/border.glsl"
#include "blur/sums.glsl"

const int read_columns = SIDE + 2 * RADIUS_X, read_rows = SIDE + 2 * RADIUS_Y, read_count = read_columns * read_rows;
const int threads = SIDE * SIDE, weight_count = 2 * (RADIUS_X + RADIUS_Y + 1);

shared SUM cells[read_count];
shared vec4 column_sums[SIDE * read_columns];
shared float weights[weight_count];  // of a row, then of a column

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 corner = SIDE * ivec2(gl_WorkGroupID.xy);
  for (int index = thread; index < weight_count; index += threads) weights[index] = table[index];
  // unrolled, so that all cells are requested before the first is kept
  [[unroll]] for (int first = 0; first < read_count; first += threads) {
    const int index = first + thread;
    const vec4 c = texel(corner + ivec2(index % read_columns - RADIUS_X, index / read_columns - RADIUS_Y));
    if (index < read_count) cells[index] = packed_sum(c);
  }
  barrier();
  [[dont_unroll]] for (int index = thread; index < SIDE * read_columns; index += threads) {
    vec4 sum = vec4(0.0);
    [[unroll]] for (int k = 0; k <= 2 * RADIUS_Y; ++k)
      sum += weights[2 * RADIUS_X + 1 + k] * color_of_sum(cells[index + k * read_columns]);
    column_sums[index] = sum;
  }
  barrier();
  const ivec2 place = ivec2(thread % SIDE, thread / SIDE), at = corner + place;
  vec4 sum = vec4(0.0);
  [[unroll]] for (int k = 0; k <= 2 * RADIUS_X; ++k)
    sum += weights[k] * column_sums[place.y * read_columns + place.x + k];
  if (at.x < width && at.y < height) store(at, stored(sum));
}
