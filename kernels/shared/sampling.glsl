// Pulls a texel from a position between the texels of the source. `base` is a texel, `part` the way from its center to the right and
// down in 1 / 2^POSITION_BITS texels. Positions reach at most 2^18 texels beyond the source. The result is R, G and B.
#include "lib/in_rgb.glsl"
#include "lib/limit_ringing.glsl"
#include "lib/sinc.glsl"
#include "lib/storage.glsl"

#if SAMPLER == SAMPLER_LANCZOS3
const int radius = 3;
#elif SAMPLER == SAMPLER_CATMULL_ROM
const int radius = 2;
#else
const int radius = 1;
#endif
#define LIMIT (SAMPLER == SAMPLER_LANCZOS3 || SAMPLER == SAMPLER_CATMULL_ROM)

// x: distance from the position, 0 to radius
float weight_at(float x) {
#if SAMPLER == SAMPLER_LANCZOS3
  return x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
#elif SAMPLER == SAMPLER_CATMULL_ROM
  const float to_end = 2.0 - x;
  return x < 1.0 ? (1.5 * x - 2.5) * x * x + 1.0 : 0.5 * to_end * to_end * (1.0 - x);
#else
  return 1.0 - x;
#endif
}

int continued(int t, int side, int shift) {
#if BORDER == BORDER_CLAMP
  return clamp(t, 0, side - 1);
#else
  const int rest = (t + shift) % (BORDER == BORDER_MIRROR ? 2 * side : side);
  return rest < side ? rest : 2 * side - 1 - rest;
#endif
}

vec4 texel_at(ivec2 at) {
  const ivec2 size = ivec2(source_width, source_height);
#if BORDER == BORDER_BLACK
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return vec4(0.0);
#endif
  const ivec2 place = ivec2(continued(at.x, size.x, shift_x), continued(at.y, size.y, shift_y)) - ivec2(tile_x, tile_y);
  // a tile may go on beyond the border at the opposite side
  return as_rgb(load(clamp(place + size * ivec2(lessThan(place, ivec2(0))), ivec2(0), textureSize(source, 0) - 1)));
}

vec4 sampled(ivec2 base, ivec2 part) {
#if SAMPLER == SAMPLER_NEAREST
  return texel_at(base + (part >> (POSITION_BITS - 1)));
#else
  float columns[2 * radius], rows[2 * radius];
  vec2 weight_sum = vec2(0.0);
  for (int k = 0; k < 2 * radius; ++k) {
    const vec2 distance = abs(vec2(k + 1 - radius) - vec2(part) / float(1 << POSITION_BITS));
    columns[k] = weight_at(distance.x);
    rows[k] = weight_at(distance.y);
    // same as no texel, so that an infinity there has no effect
    if (abs(columns[k]) < 4.76837158e-7) columns[k] = 0.0;
    if (abs(rows[k]) < 4.76837158e-7) rows[k] = 0.0;
    weight_sum += vec2(columns[k], rows[k]);
  }
  // the texels nearer than 2
  const ivec2 last_near = radius + 1 - ivec2(equal(part, ivec2(0)));
  const vec4 infinite = vec4(uintBitsToFloat(0x7f800000u));
  vec4 sum = vec4(0.0), least = infinite, most = -infinite;
  for (int row = 0; row < 2 * radius; ++row) {
    const bool is_near_row = LIMIT && row >= radius - 2 && row <= last_near.y;
    if (rows[row] == 0.0 && !is_near_row) continue;
    vec4 row_sum = vec4(0.0), row_least = infinite, row_most = -infinite;
    for (int column = 0; column < 2 * radius; ++column) {
      const bool is_near = LIMIT && column >= radius - 2 && column <= last_near.x;
      if (columns[column] == 0.0 && !is_near) continue;
      // a quarter, so that sums of the largest values do not overflow
      const vec4 c = 0.25 * texel_at(base + ivec2(column, row) + 1 - radius);
      if (columns[column] != 0.0) row_sum += columns[column] * c;
      if (is_near) row_least = mix(row_least, c, lessThan(c, row_least));
      if (columns[column] > 0.0 && (column == radius - 1 || column == radius)) row_most = mix(row_most, c, greaterThan(c, row_most));
    }
    row_sum /= weight_sum.x;
    if (LIMIT) row_sum = limited(row_sum, row_least, row_most);
    if (rows[row] != 0.0) sum += rows[row] * row_sum;
    if (is_near_row) least = mix(least, row_sum, lessThan(row_sum, least));
    if (rows[row] > 0.0 && (row == radius - 1 || row == radius)) most = mix(most, row_sum, greaterThan(row_sum, most));
  }
  sum /= weight_sum.y;
  if (LIMIT) sum = limited(sum, least, most);
  return within_storage(sum);
#endif
}
