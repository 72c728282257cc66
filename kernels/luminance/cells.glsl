// A subgroup makes a cell. COLUMNS of its threads are side by side, or all if it has fewer. No shared memory is used,
// and subgroups do not wait for each other.
#include "luminance/luminance.glsl"
#include "luminance/subgroup.glsl"

float number_of_cell(ivec2 cell) {
  const Range range = range_of(cell);
  const int columns = min(COLUMNS, int(gl_SubgroupSize)), rows = int(gl_SubgroupSize) / columns;
  const int thread = int(gl_SubgroupInvocationID);
  const ivec2 corner = range.low + ivec2(thread % columns, thread / columns);
  float number = neutral;
  for (int y = 0; y < piece_y; y += rows * EACH)
    for (int x = 0; x < piece_x; x += columns) {
      float taken[EACH];
      for (int index = 0; index < EACH; ++index)
        taken[index] = number_in(range, corner + ivec2(x, y + index * rows));
      for (int index = 0; index < EACH; ++index) number = combined(number, taken[index]);
    }
  return reduced_in_subgroup(number * power_of_two(-group_exponent));
}

void main() {
  const int stride = int(gl_NumWorkGroups.x * gl_NumSubgroups);
  const int first = int(gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID);
  for (int x = first; x < cells_x; x += stride) {
    const ivec2 cell = ivec2(x, gl_WorkGroupID.y);
    const float number = number_of_cell(cell);
    if (subgroupElect()) store_number(cell, number);
  }
}
