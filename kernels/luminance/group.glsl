// A workgroup makes a piece. COLUMNS threads stand side by side; a thread reads EACH texels at once: side by side
// (ACROSS), or a row of threads apart. All of a workgroup's reads make a block, and the piece is walked block by block.
#include "luminance/luminance.glsl"
#include "luminance/exchange.glsl"
#include "luminance/join.glsl"

const ivec2 threads = ivec2(COLUMNS, THREADS / COLUMNS);
#if ACROSS
const ivec2 own = ivec2(EACH, 1), next = ivec2(1, 0), block = ivec2(threads.x * EACH, threads.y);
#else
const ivec2 own = ivec2(1, 1), next = ivec2(0, threads.y), block = ivec2(threads.x, threads.y * EACH);
#endif

// Reduces a thread's texels of a block, starting at `at`. All are requested before the first is used.
float number_of_block(Range range, ivec2 at, bool is_whole) {
  float taken[EACH];
  if (is_whole)
    for (int index = 0; index < EACH; ++index) taken[index] = number_at(at + index * next);
  else
    for (int index = 0; index < EACH; ++index) taken[index] = number_in(range, at + index * next);
  float number = taken[0];
  for (int index = 1; index < EACH; ++index) number = combined(number, taken[index]);
  return number;
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = ivec2(gl_WorkGroupID.xy);
  const Range range = range_of(at);
  const ivec2 own_place = own * ivec2(thread % COLUMNS, thread / COLUMNS);
  float number = neutral;
  for (int y = 0; y < piece_y; y += block.y)
    for (int x = 0; x < piece_x; x += block.x) {
      const ivec2 corner = range.low + ivec2(x, y);
      const bool is_whole = all(lessThanEqual(corner + block, range.high));
      number = combined(number, number_of_block(range, corner + own_place, is_whole));
    }
  number = reduced_in_group(number * power_of_two(-group_exponent), thread);
#if JOINS
  join(at, number, thread);
#else
  if (thread == 0) store_number(at, number);
#endif
}
