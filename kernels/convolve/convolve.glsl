// A sum of weights times the texels around each. The weights of the table are scaled, so that no sum overflows on its way.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "lib/storage.glsl"

// The texel of a side that stands for texel t of its endless continuation.
int continued(int t, int side, int shift) {
#if BORDER == BORDER_CLAMP
  return clamp(t, 0, side - 1);
#elif BORDER == BORDER_REPEAT
  return (t + shift) % side;
#else
  const int rest = (t + shift) % (2 * side);
  return min(rest, 2 * side - 1 - rest);
#endif
}

void make(ivec2 at) {
  vec4 sum = vec4(0.0);
  for (int row = 0; row < kernel_height; ++row) {
    const int y = continued(at.y + row - kernel_height / 2, end_y, shift_y);
    for (int column = 0; column < kernel_width; ++column) {
      const float weight = table[row * kernel_width + column];
      const int x = continued(at.x + column - kernel_width / 2, end_x, shift_x);
      if (weight != 0.0) sum += weight * load(ivec2(x, y));
    }
  }
  const float most = largest_float / scale;
  // what overshoots the floats is the largest; infinities and NaN stay
  vec4 made = mix(sum, scale * clamp(sum, vec4(-most), vec4(most)), lessThanEqual(abs(sum), vec4(largest_float)));
#if KEEPS_ALPHA
  const vec4 c = load_second(at);  // of the picture
  made = is_transparent(c.a) ? c : vec4(made.rgb, c.a);
#endif
  store(at, made);
}
