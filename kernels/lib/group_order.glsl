// Which texel of a workgroup of GROUP_X x GROUP_Y a thread takes: row by row, along a z-curve, or in AMD's order. Where
// the sides differ the curves go through squares of 8x8, one behind the other.
#include "lib/order.glsl"

ivec2 place_in_group(int index) {
#if ORDER == 0
  return ivec2(index % GROUP_X, index / GROUP_X);
#elif ORDER == 1 && GROUP_X == GROUP_Y
  return z_order(index);
#elif ORDER == 1
  return z_order(index & 63) + ivec2(8 * (index >> 6), 0);
#elif GROUP_X == GROUP_Y
  return amd_order(index);
#else
  return amd_8x8(index & 63) + ivec2(8 * (index >> 6), 0);
#endif
}
