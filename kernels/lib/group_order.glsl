// Texel of a thread in a workgroup of GROUP_X x GROUP_Y: row by row, along a Z-curve, or in AMD's order. If the sides
// differ, curves fill one 8x8 square after another.
#include "lib/order.glsl"

ivec2 place_in_group(int index) {
#if ORDER == ORDER_ROWS
  return ivec2(index % GROUP_X, index / GROUP_X);
#elif ORDER == ORDER_Z && GROUP_X == GROUP_Y
  return z_order(index);
#elif ORDER == ORDER_Z
  return z_order(index & 63) + ivec2(8 * (index >> 6), 0);
#elif GROUP_X == GROUP_Y
  return amd_order(index);
#else
  return amd_8x8(index & 63) + ivec2(8 * (index >> 6), 0);
#endif
}
