// Reads the picture again, after its means are known. A sum of squares in floats is right only about a number near the mean.
// A workgroup leaves its sums to deviation_finish.glsl.
#include "bench/floor_shape.glsl"
#include "stats/deviation_parts.glsl"
#include "stats/numbers.glsl"

#define each_spread [[unroll]] for (int spread = 0; spread < spread_count; ++spread)

float scales[spread_count], scaled_means[spread_count];
vec2 sums[spread_count];

void add(vec4 c) {
  each_spread {
    const float number = clamp(number_of(spread, c), -most, most);
    const float from_mean = is_finite(spread, c) ? scales[spread] * number - scaled_means[spread] : 0.0;
    sums[spread] += vec2(from_mean, from_mean * from_mean);
  }
}

void main() {
  const int thread = int(gl_LocalInvocationIndex), group = int(gl_WorkGroupID.x);
  each_spread {
    scales[spread] = two_to(-exponent_of(spread));
    scaled_means[spread] = scales[spread] * number_at(mean_of(statistics_at, spread));
    sums[spread] = vec2(0.0);
  }
  for (int tile = group; tile < tile_count; tile += part_count) {
    const ivec2 corner = ivec2(tile % tile_columns, tile / tile_columns) * tile_size;
    for (int index = 0; index < EACH; ++index) {
      const ivec2 at = corner + place_in_tile(index);
      if (inside(at)) add(load_rgb(at));
    }
  }
  each_spread {
    const vec2 sum = sum_of_group(sums[spread], thread);
    if (thread < 2) statistics[part_at(group, spread) + thread] = floatBitsToUint(sum[thread]);
  }
}
