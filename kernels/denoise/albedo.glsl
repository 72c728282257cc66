// The divisor of a texel's light: its albedo, limited to a range.
vec3 divisor_of(vec4 albedo) {
  return mix(vec3(least_albedo), min(albedo.rgb, vec3(most_albedo)), greaterThan(albedo.rgb, vec3(least_albedo)));
}
