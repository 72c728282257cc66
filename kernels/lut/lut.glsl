// Colors through a curve of each channel, then through a cube. @curve(i) and @cube(i) read the entries. The planner replaces @
// by a prefix. core/ops/lut/row.cpp puts constants before this text: what the call and its file say.

// Position of a color between the entries, and the entry before it.
vec3 @place(vec3 c, vec3 low, vec3 high, int size, out ivec3 entry) {
  const vec3 place = clamp((c - low) / (high - low), 0.0, 1.0) * float(size - 1);
  entry = clamp(ivec3(place), ivec3(0), ivec3(size - 2));
  return clamp(place - vec3(entry), 0.0, 1.0);
}

vec3 @through_curve(vec3 c) {
  ivec3 entry;
  const vec3 share = @place(c, @curve_min, @curve_max, @curve_size, entry);
  const ivec3 at = 3 * entry + ivec3(0, 1, 2);
  return (1.0 - share) * vec3(@curve(at.r), @curve(at.g), @curve(at.b)) +
         share * vec3(@curve(at.r + 3), @curve(at.g + 3), @curve(at.b + 3));
}

vec3 @corner(int at) { return vec3(@cube(at), @cube(at + 1), @cube(at + 2)); }

vec3 @trilinear(vec3 share, int first, ivec3 step) {
  const vec3 rest = 1.0 - share;
  const int above = first + step.b;
  const vec3 low = rest.g * (rest.r * @corner(first) + share.r * @corner(first + step.r)) +
                   share.g * (rest.r * @corner(first + step.g) + share.r * @corner(first + step.g + step.r));
  const vec3 high = rest.g * (rest.r * @corner(above) + share.r * @corner(above + step.r)) +
                    share.g * (rest.r * @corner(above + step.g) + share.r * @corner(above + step.g + step.r));
  return rest.b * low + share.b * high;
}

// Weights of the four corners are the differences of the sorted fractions.
vec3 @tetrahedral(vec3 share, int first, ivec3 step) {
  const bool is_r_over_g = share.r >= share.g, is_g_over_b = share.g >= share.b, is_r_over_b = share.r >= share.b;
  const int most_step = is_r_over_g && is_r_over_b ? step.r : !is_r_over_g && is_g_over_b ? step.g : step.b;
  const int least_step = is_g_over_b && is_r_over_b ? step.b : is_r_over_g && !is_g_over_b ? step.g : step.r;
  const float most = max(share.r, max(share.g, share.b)), least = min(share.r, min(share.g, share.b));
  const float middle = max(min(share.r, share.g), min(max(share.r, share.g), share.b));
  const int last = first + step.r + step.g + step.b;
  return (1.0 - most) * @corner(first) + (most - middle) * @corner(first + most_step) +
         (middle - least) * @corner(last - least_step) + least * @corner(last);
}

vec3 @through_cube(vec3 c) {
  ivec3 entry;
  const vec3 share = @place(c, @cube_min, @cube_max, @cube_size, entry);
  const ivec3 step = ivec3(3, 3 * @cube_size, 3 * @cube_size * @cube_size);
  const int first = entry.r * step.r + entry.g * step.g + entry.b * step.b;
  return @is_trilinear ? @trilinear(share, first, step) : @tetrahedral(share, first, step);
}

// The curve of ACEScct, whose straight part takes negative numbers too.
vec3 @log_shaped(vec3 c) {
  return mix((log2(max(c, vec3(0.0078125))) + 9.72) / 17.52, 10.5402377416545 * c + 0.0729055341958355,
             lessThanEqual(c, vec3(0.0078125)));
}
vec3 @srgb_encode(vec3 c) {
  return mix(1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055, 12.92 * c,
             lessThanEqual(c, vec3(0.0031308)));
}
vec3 @srgb_decode(vec3 c) {
  return mix(pow((max(c, vec3(0.04045)) + 0.055) / 1.055, vec3(2.4)), c / 12.92, lessThanEqual(c, vec3(0.04045)));
}

// Tests bits, because compilers may assume x == x.
bool @has_nan(vec3 c) { return any(greaterThan(floatBitsToUint(c) & 0x7fffffffu, uvec3(0x7f800000u))); }

struct @lut_params { int none; };
vec4 @lut(vec4 c, @lut_params p) {
  if (@has_nan(c.rgb)) return vec4(vec3(uintBitsToFloat(0x7fc00000u)), c.a);
  vec3 color = c.rgb;
  if (@is_srgb) color = @srgb_encode(color);
  if (@is_log) color = @log_shaped(color);
  if (@curve_size > 0) color = @through_curve(color);
  if (@cube_size > 0) color = @through_cube(color);
  return vec4(@is_srgb ? @srgb_decode(color) : color, c.a);
}
