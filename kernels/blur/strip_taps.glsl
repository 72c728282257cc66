// Weighted sums with radii as constants. Down a column, each texel is read once and added to all sums that contain it.
// Along a row, each column sum is added to all of a thread's four sums.
//
// READS_FIRST_AT_ONCE: 1 where the rows of the first windows of a segment are all requested before they are summed.
#include "blur/strip.glsl"
#include "blur/sums.glsl"

#if !IN_PLACE
shared SUM column_sums[ROWS * sums_pitch];
vec4 column_sum_of(int index) { return color_of_sum(column_sums[index]); }
void keep_sum(int index, vec4 sum) { column_sums[index] = packed_sum(sum); }
#endif

// Sums of the following rows, the nearest first.
const int pending_count = max(1, 2 * RADIUS_Y);

void keep(int row, int place, int y, vec4 sum) {
#if BORDER == BORDER_RENORMALIZE
  sum /= 2.0 * weight_inside(0, RADIUS_X, first_x() + place, width) *
         weight_inside(2 * RADIUS_X + 1, RADIUS_Y, row_of(y + row), height);
#endif
  keep_result(row, place, doubled(sum));
}

void main() {
  const int begin = segment_rows * int(gl_WorkGroupID.y), end = end_of_segment(begin);
  const int column = continued(own_x(), width);
  float weight_x[RADIUS_X + 1], weight_y[RADIUS_Y + 1];  // from the outermost weight to the middle
  [[unroll]] for (int k = 0; k <= RADIUS_X; ++k) weight_x[k] = table[k];
  [[unroll]] for (int k = 0; k <= RADIUS_Y; ++k) weight_y[k] = table[2 * RADIUS_X + 1 + k];

  vec4 pending[pending_count];
  [[unroll]] for (int k = 0; k < pending_count; ++k) pending[k] = vec4(0.0);
#if READS_FIRST_AT_ONCE
  vec4 first[pending_count], entered[4];
  [[unroll]] for (int k = 0; k < 2 * RADIUS_Y; ++k) first[k] = column_texel(column, begin - RADIUS_Y + k);
  [[unroll]] for (int row = 0; row < 4; ++row) entered[row] = column_texel(column, begin + RADIUS_Y + row);
  [[unroll]] for (int k = 0; k < 2 * RADIUS_Y; ++k) {
    [[unroll]] for (int i = 1; i < 2 * RADIUS_Y; ++i)
      pending[i - 1] = pending[i] + weight_y[min(i, 2 * RADIUS_Y - i)] * first[k];
    pending[pending_count - 1] = weight_y[0] * first[k];
  }
#else
  for (int k = 0; k < RADIUS_Y; ++k) {
    vec4 entered[2];
    entered[0] = column_texel(column, begin - RADIUS_Y + 2 * k);
    entered[1] = column_texel(column, begin - RADIUS_Y + 2 * k + 1);
    [[unroll]] for (int row = 0; row < 2; ++row) {
      [[unroll]] for (int i = 1; i < 2 * RADIUS_Y; ++i)
        pending[i - 1] = pending[i] + weight_y[min(i, 2 * RADIUS_Y - i)] * entered[row];
      pending[pending_count - 1] = weight_y[0] * entered[row];
    }
  }
  vec4 entered[4];
  [[unroll]] for (int row = 0; row < 4; ++row) entered[row] = column_texel(column, begin + RADIUS_Y + row);
#endif
  for (int y = begin; y < end; y += 4) {
    [[unroll]] for (int row = 0; row < 4; ++row) {
#if RADIUS_Y == 0
      keep_sum(own_sum_at(row), weight_y[0] * entered[row]);
#else
      keep_sum(own_sum_at(row), pending[0] + weight_y[0] * entered[row]);
      [[unroll]] for (int i = 1; i < 2 * RADIUS_Y; ++i)
        pending[i - 1] = pending[i] + weight_y[min(i, 2 * RADIUS_Y - i)] * entered[row];
      pending[pending_count - 1] = weight_y[0] * entered[row];
#endif
    }
    // the next rows are requested while these are summed
    [[unroll]] for (int row = 0; row < 4; ++row) entered[row] = column_texel(column, y + 4 + RADIUS_Y + row);
    barrier();
    const int place = result_place();
#if IN_PLACE
    vec4 sums[4];
    if (place < strip_width) {
#else
    if (place < strip_width) {
      vec4 sums[4];
#endif
      [[unroll]] for (int j = 0; j < 4; ++j) sums[j] = vec4(0.0);
      [[unroll]] for (int k = 0; k < 2 * RADIUS_X + 4; ++k) {
        const vec4 sum = column_sum_of(sum_at(result_row(), place, k));
        [[unroll]] for (int j = 0; j < 4; ++j)
          if (k - j >= 0 && k - j <= 2 * RADIUS_X) sums[j] += weight_x[min(k - j, 2 * RADIUS_X - k + j)] * sum;
      }
#if IN_PLACE
    }
    subgroupBarrier();  // all threads of the row have read its sums
    if (place < strip_width) {
#endif
      [[unroll]] for (int j = 0; j < 4; ++j)
        keep(result_row(), place + j, y, sums[j]);
    }
    barrier();
    store_results(y, end);
  }
}
