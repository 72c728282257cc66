// Joins the sums of workgroups to standard deviations. One workgroup.
#include "stats/deviation_parts.glsl"
#include "stats/numbers.glsl"

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  for (int spread = 0; spread < spread_count; ++spread) {
    vec2 sum = vec2(0.0);
    for (int group = thread; group < part_count; group += 256)
      sum += vec2(number_at(part_at(group, spread)), number_at(part_at(group, spread) + 1));
    sum = sum_of_group(sum, thread);
    if (thread > 0) continue;
    const uint not_finite =
        statistics[count_of(statistics_at, spread, 0)] + statistics[count_of(statistics_at, spread, 1)];
    const vec2 means = sum / float(max(uint(texel_count) - not_finite, 1u));
    const float deviation = sqrt(max(means.y - means.x * means.x, 0.0)), unit = two_to(exponent_of(spread));
    statistics[deviation_of(statistics_at, spread)] = floatBitsToUint(min(deviation * unit, most));
    statistics[mean_offset_of(statistics_at, spread)] = floatBitsToUint(means.x * unit);
  }
}
