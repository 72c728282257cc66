// What the light of a texel is divided by: its albedo, within the range that has light to show.
vec3 divisor_of(vec4 albedo) {
  return mix(vec3(least_albedo), min(albedo.rgb, vec3(most_albedo)), greaterThan(albedo.rgb, vec3(least_albedo)));
}
