// A level of a glow, load_second(), spread to the next larger one by quadratic B-splines: three texels a side, clamped at
// the border.

vec3 load_glow(ivec2 at) { return load_second(at).rgb; }

// The texel of a side of `from` that is nearest to texel `at` of a side of `to`.
int nearest_of(int from, int to, int at) { return (2 * at + 1) * from / (2 * to); }

// What that one and its two neighbours count.
vec3 spline_weights(int from, int to, int at, int middle) {
  const float t = float((2 * at + 1) * from - to - 2 * to * middle) / float(2 * to);
  const float low = 0.5 - t, high = 0.5 + t;
  return vec3(0.5 * low * low, 0.75 - t * t, 0.5 * high * high);
}

vec3 spread_row(ivec3 columns, vec3 weights, int row) {
  return weights.x * load_glow(ivec2(columns.x, row)) + weights.y * load_glow(ivec2(columns.y, row)) +
         weights.z * load_glow(ivec2(columns.z, row));
}

vec3 spread(ivec2 at, ivec2 from, ivec2 to) {
  const ivec2 middle = ivec2(nearest_of(from.x, to.x, at.x), nearest_of(from.y, to.y, at.y));
  const vec3 across = spline_weights(from.x, to.x, at.x, middle.x), down = spline_weights(from.y, to.y, at.y, middle.y);
  const ivec3 columns = clamp(ivec3(middle.x) + ivec3(-1, 0, 1), ivec3(0), ivec3(from.x - 1));
  const ivec3 rows = clamp(ivec3(middle.y) + ivec3(-1, 0, 1), ivec3(0), ivec3(from.y - 1));
  return down.x * spread_row(columns, across, rows.x) + down.y * spread_row(columns, across, rows.y) +
         down.z * spread_row(columns, across, rows.z);
}
