// Reads texels inside and beyond the image, and converts sums to values of the target.
#include "lib/storage.glsl"

bool is_inside(int t, int side) { return t >= 0 && t < side; }

// Index of the texel for position t, which may be beyond the side.
int continued(int t, int side) {
#if BORDER == BORDER_REPEAT || BORDER == BORDER_MIRROR
  const int period = BORDER == BORDER_MIRROR ? 2 * side : side;
  const int rest = t >= 0 ? t % period : period - 1 - (-1 - t) % period;
  return rest < side ? rest : period - 1 - rest;
#else
  return clamp(t, 0, side - 1);
#endif
}

// The texel at any position. Beyond an image with a black or renormalized border it is 0.
vec4 texel(ivec2 at) {
  const vec4 c = load(ivec2(continued(at.x, width), continued(at.y, height)));
#if BORDER == BORDER_BLACK || BORDER == BORDER_RENORMALIZE
  return is_inside(at.x, width) && is_inside(at.y, height) ? c : vec4(0.0);
#else
  return c;
#endif
}

// Sum of the weights table[first..first + 2 radius] that are inside the image, around texel `at` of a side.
float weight_inside(int first, int radius, int at, int side) {
  float sum = 0.0;
  for (int k = -radius; k <= radius; ++k) sum += is_inside(at + k, side) ? table[first + radius + k] : 0.0;
  return sum;
}

// Converts half of a sum to the stored value. Rounding may exceed the largest value, so it is clamped; infinity and NaN
// stay.
vec4 stored(vec4 half_sum) {
  const vec4 clamped = 2.0 * clamp(half_sum, vec4(-0.5 * largest_float), vec4(0.5 * largest_float));
  return mix(half_sum, clamped, lessThanEqual(abs(half_sum), vec4(2.0e38)));
}

// Converts weighted sums around a texel.
vec4 finished(vec4 half_sum, ivec2 at) {
#if BORDER == BORDER_RENORMALIZE
  half_sum /= 2.0 * weight_inside(0, radius_x, at.x, width) *
              weight_inside(2 * radius_x + 1, radius_y, at.y, height);
#endif
  return stored(half_sum);
}
