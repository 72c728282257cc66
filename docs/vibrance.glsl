//!point vibrance dull colors more saturated, saturated ones less so
//!space rgb
//!alpha straight
//!param amount 0.5 -1..2 how much more saturated

const vec3 luminance = vec3(0.2126, 0.7152, 0.0722);  // Rec. 709

// 0 for a gray, 1 for a color that lacks red, green or blue.
float saturation_of(vec3 light) {
  float most = max(light.r, max(light.g, light.b)), least = min(light.r, min(light.g, light.b));
  return most > 0.0 ? clamp((most - least) / most, 0.0, 1.0) : 0.0;
}

vec4 vibrance(vec4 c, vibrance_params p) {
  float factor = 1.0 + p.amount * (1.0 - saturation_of(c.rgb));
  return vec4(mix(vec3(dot(c.rgb, luminance)), c.rgb, factor), c.a);
}
