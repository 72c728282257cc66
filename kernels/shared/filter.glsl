// One axis of a separable filter. A workgroup makes 64x4 texels along x, or 256x1 along y; a thread makes four texels
// that have their weights in common.
#include "shared/filter_weights.glsl"
#include "lib/in_rgb.glsl"
#include "lib/limit_ringing.glsl"
#include "lib/range_compress.glsl"
#include "lib/storage.glsl"

// Values of the first pass are a quarter of the sums, so that sums of the largest values do not overflow.
vec4 read(ivec2 at) {
  vec4 c = load(at);
#if COMPRESS || LIMIT
  c = as_rgb(c);
#endif
#if IS_FIRST
#if COMPRESS
  c = vec4(compressed(c.r), compressed(c.g), compressed(c.b), c.a);
#endif
#if NORMALS != NORMALS_NONE
  c.rgb = 2.0 * vec3(unit(c.r), unit(c.g), unit(c.b)) - 1.0;
#if NORMALS == NORMALS_LENGTH_IN_ALPHA
  c.rgb *= unit(c.a);
#endif
#endif
  c *= 0.25;
#endif
  return c;
}

vec4 finished(vec4 c) {
#if IS_FIRST
#if COMPRESS || LIMIT
  c = of_rgb(c);
#endif
  return c;
#elif NORMALS != NORMALS_NONE
  const vec3 direction = 4.0 * c.rgb;
  const float size = length(direction);
  // a shorter mean has no meaningful direction
  const vec3 normal = size < 9.765625e-4 ? vec3(0.5, 0.5, 1.0) : 0.5 + 0.5 * direction / size;
  return vec4(normal, NORMALS == NORMALS_LENGTH_IN_ALPHA ? min(1.0, size) : within_storage(c).a);
#elif COMPRESS
  const vec3 sum = c.rgb;
  const vec3 large = vec3(expanded(4.0 * sum.r), expanded(4.0 * sum.g), expanded(4.0 * sum.b));
  const vec3 clamped = clamp(large, vec3(-largest_float), vec3(largest_float));
  return of_rgb(vec4(mix(sum, clamped, lessThanEqual(abs(sum), vec3(1.0e30))), within_storage(c).a));
#elif LIMIT
  return of_rgb(within_storage(c));
#else
  return within_storage(c);
#endif
}

// Index of the source texel for position t, which may be beyond the side.
int continued(int t) {
#if BORDER == BORDER_CLAMP
  return clamp(t, 0, source_side - 1);
#else
  const int rest = (t + shift) % period;
  return rest < source_side ? rest : period - 1 - rest;
#endif
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
#if AXIS == AXIS_X
  const int along = 64 * int(gl_WorkGroupID.x) + thread, last_along = width - 1;
  const int across = 4 * int(gl_WorkGroupID.y);
  const int last_across = height - 1, next = 1;
#else
  const int along = int(gl_WorkGroupID.y), last_along = height - 1;
  const int across = 256 * int(gl_WorkGroupID.x) + thread;
  const int last_across = width - 1, next = 64;
#endif
  const Position middle = middle_of(first_target + along);
  const int first = middle.texel - reach;
  vec4 sums[4] = vec4[4](vec4(0), vec4(0), vec4(0), vec4(0));
  float weight_sum = 0.0;
#if LIMIT
  const vec4 infinite = vec4(uintBitsToFloat(0x7f800000u));
  vec4 least[4] = vec4[4](infinite, infinite, infinite, infinite);
  vec4 most[4] = vec4[4](-infinite, -infinite, -infinite, -infinite);
  const int coarser = max(from_side, to_side);
#endif
  // so that the sum of many weights is as exact as that of few
  const float share = float(min(from_side, to_side)) / float(from_side);
  for (int tap = 0; tap <= 2 * reach; ++tap) {
    const int t = first + tap;
    const int distance = (2 * (tap - reach) + 1) * to_side - middle.rest;  // in 1 / (2 to_side) texels of the source
    const float weight = weight_of(distance);
    // same as no texel, so that an infinity there has no effect
    const bool has_weight = abs(weight) >= 4.76837158e-7;
#if LIMIT
    const bool is_near = abs(distance) < 4 * coarser, is_middle = abs(distance) < 3 * coarser && weight > 0.0 && has_weight;
#else
    const bool is_near = false;
#endif
    if (has_weight || is_near) {
      const int from = continued(t - first_source);
      if (has_weight) weight_sum += weight * share;
      for (int k = 0; k < 4; ++k) {
        const int beside = min(across + k * next, last_across);
        const vec4 c = read(AXIS == AXIS_X ? ivec2(from, beside) : ivec2(beside, from));
        if (has_weight) sums[k] += weight * share * c;
#if LIMIT
        if (is_near) least[k] = mix(least[k], c, lessThan(c, least[k]));
        if (is_middle) most[k] = mix(most[k], c, greaterThan(c, most[k]));
#endif
      }
    }
  }
  for (int k = 0; k < 4; ++k) {
    const int beside = across + k * next;
    vec4 c = sums[k] / weight_sum;
#if LIMIT
    c = limited(c, least[k], most[k]);
#endif
    if (along <= last_along && beside <= last_across)
      store(AXIS == AXIS_X ? ivec2(along, beside) : ivec2(beside, along), finished(c));
  }
}
