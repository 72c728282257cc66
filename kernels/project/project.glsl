// Projects an environment: each texel of the result is the mean of SAMPLES x SAMPLES bilinear samples of the source. Positions are
// computed from sums and products of floats in the steps of the definition, so that both have the same positions on every device.
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"
#include "lib/storage.glsl"

const int steps_per_texel = 1 << POSITION_BITS;

float reciprocal(float x) {
  precise float r = uintBitsToFloat(0x7ef311c3u - floatBitsToUint(x));
  precise const float first = 2.0 - x * r;
  r = r * first;
  precise const float second = 2.0 - x * r;
  r = r * second;
  precise const float third = 2.0 - x * r;
  r = r * third;
  return r;
}

float root(float x) {
  const float half_x = 0.5 * x;
  precise float r = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(x) >> 1));
  precise const float first = 1.5 - half_x * r * r;
  r = r * first;
  precise const float second = 1.5 - half_x * r * r;
  r = r * second;
  precise const float third = 1.5 - half_x * r * r;
  r = r * third;
  precise const float made = x * r;
  return made;
}

// atan(y, x) as a share of a turn
float turn_of(float y, float x) {
  const float a = abs(x), b = abs(y), most = max(a, b);
  if (most == 0.0) return 0.0;
  precise const float q = min(a, b) * reciprocal(most), s = q * q;
  // written out, because copies that spirv-opt makes of a loop lose `precise`
  precise float sum = table[9] * s + table[8];
  sum = sum * s + table[7];
  sum = sum * s + table[6];
  sum = sum * s + table[5];
  sum = sum * s + table[4];
  sum = sum * s + table[3];
  sum = sum * s + table[2];
  sum = sum * s + table[1];
  sum = sum * s + table[0];
  precise float turn = q * sum;
  if (b > a) turn = 0.25 - turn;
  if (x < 0.0) turn = 0.5 - turn;
  return y < 0.0 ? -turn : turn;
}

vec3 axis_of(int face, int axis) {
  const int at = FACES_AT + 9 * face + 3 * axis;
  return vec3(table[at], table[at + 1], table[at + 2]);
}

// One of three numbers is not multiplied by 0, so that nothing is rounded.
vec3 direction_of(int face, float x, float u, float v) {
  return axis_of(face, 0) * x + axis_of(face, 1) * u + axis_of(face, 2) * v;
}

// -1 to 1 from left to right and from top to bottom of the face
vec2 face_point_of(vec3 d, out int face) {
  const vec3 size = abs(d);
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  face = 2 * axis + (d[axis] < 0.0 ? 1 : 0);
  precise const vec2 point = vec2(dot(d, axis_of(face, 1)), dot(d, axis_of(face, 2))) * reciprocal(size[axis]);
  return point;
}

// The texel before a position, and the steps from its center onwards.
void split(vec2 at, out ivec2 texel, out ivec2 part) {
  const vec2 whole = floor(at);
  const ivec2 steps = ivec2(floor((at - whole) * float(steps_per_texel) + 0.5));
  texel = ivec2(whole) + (steps >> POSITION_BITS);
  part = steps & (steps_per_texel - 1);
}

vec4 texel_at(ivec2 at) { return as_rgb(load(min(at, ivec2(source_width, source_height) - 1))); }

float weight_at(ivec2 at, ivec2 part) {
  const ivec2 parts = mix(steps_per_texel - part, part, equal(at, ivec2(1)));
  return float(parts.x) / float(steps_per_texel) * (float(parts.y) / float(steps_per_texel));
}

#if FROM == FROM_LATLONG
vec4 sampled(vec3 d) {
  precise const float squares = d.x * d.x + d.z * d.z;
  precise const vec2 share = 0.5 + vec2(turn_of(d.x, d.z), -2.0 * turn_of(d.y, root(squares)));
  precise const vec2 scaled = share * vec2(source_width, source_height);
  precise const vec2 place = scaled - 0.5;
  ivec2 base, part;
  split(place, base, part);
  vec4 sum = vec4(0.0);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) {
      const float weight = weight_at(ivec2(x, y), part);
      if (weight == 0.0) continue;
      ivec2 at = base + ivec2(x, y);
      // beyond a pole, half a turn away
      if (at.y < 0 || at.y >= source_height) at = ivec2(at.x + source_width / 2, clamp(at.y, 0, source_height - 1));
      sum += weight * sample_scale * texel_at(ivec2((at.x + source_width) % source_width, at.y));
    }
  return sum;
}
#else
vec4 texel_of_face(int face, ivec2 at) {
  const int corner = CORNERS_AT + 3 * face;
  if (table[corner + 2] != 0.0) at = ivec2(face_width, face_height) - 1 - at;
  return texel_at(ivec2(table[corner], table[corner + 1]) + at);
}

void split_in_face(vec2 point, out ivec2 texel, out ivec2 part) {
  const vec2 half_side = 0.5 * vec2(face_width, face_height);
  precise const vec2 from_corner = point * half_side;
  precise const vec2 place = from_corner + (half_side - 0.5);
  split(place, texel, part);
}

// The texel next to an edge of the face, as the face behind the edge shows it.
vec4 texel_beyond(int face, ivec2 at, bool is_beside) {
  const float side = float(is_beside ? face_width : face_height);
  precise const float shrink = side * reciprocal(side + 1.0);
  const float direction = (is_beside ? at.x : at.y) < 0 ? -1.0 : 1.0;
  const int along = is_beside ? 2 * at.y + 1 - face_height : 2 * at.x + 1 - face_width;
  precise const float middle = float(along) * reciprocal(float(is_beside ? face_height : face_width)) * shrink;
  int other;
  const vec2 point = face_point_of(is_beside ? direction_of(face, shrink, direction, middle)
                                             : direction_of(face, shrink, middle, direction), other);
  ivec2 base, part;
  split_in_face(point, base, part);
  vec4 sum = vec4(0.0);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) {
      const float weight = weight_at(ivec2(x, y), part);
      if (weight == 0.0) continue;
      sum += weight * (sample_scale * texel_of_face(other, clamp(base + ivec2(x, y), ivec2(0), ivec2(face_width, face_height) - 1)));
    }
  return sum;
}

vec4 sampled_at(int face, ivec2 base, ivec2 part) {
  vec4 sum = vec4(0.0);
  float missing = 0.0;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) {
      const float weight = weight_at(ivec2(x, y), part);
      if (weight == 0.0) continue;
      const ivec2 at = base + ivec2(x, y);
      const bool is_beside = at.x < 0 || at.x >= face_width, is_above = at.y < 0 || at.y >= face_height;
      if (is_beside && is_above) missing = weight;  // at a corner of the cube, only three texels meet
      else if (is_beside || is_above) sum += weight * texel_beyond(face, at, is_beside);
      else sum += weight * (sample_scale * texel_of_face(face, at));
    }
  return missing > 0.0 ? sum / (1.0 - missing) : sum;
}

vec4 sampled(vec3 d) {
  int face;
  const vec2 point = face_point_of(d, face);
  ivec2 base, part;
  split_in_face(point, base, part);
  return sampled_at(face, base, part);
}
#endif

void make(ivec2 at) {
  at += ivec2(made_x, made_y);
#if TO != TO_LATLONG
  const ivec2 cell = at / made_side;
  const int face = int(table[CELLS_AT + cell.y * cells_per_row + cell.x]);
  if (face < 0) {
    store(at - ivec2(made_x, made_y), vec4(0.0));
    return;
  }
  const ivec2 first = samples * (at - cell * made_side);
#else
  const ivec2 first = samples * at;
#endif
  vec4 sum = vec4(0.0);
  for (int y = 0; y < samples; ++y) {
    const int row = rows_at + 2 * (first.y + y);
    vec4 row_sum = vec4(0.0);
    for (int x = 0; x < samples; ++x) {
      const int column = COLUMNS_AT + 2 * (first.x + x);
#if TO == TO_LATLONG
      precise const vec2 level = vec2(table[column], table[column + 1]) * table[row + 1];
      row_sum += sampled(vec3(level.x, table[row], level.y));
#elif FROM == FROM_LATLONG
      row_sum += sampled(direction_of(face, 1.0, table[column], table[row]));
#else
      row_sum += sampled_at(face, ivec2(table[column], table[row]), ivec2(table[column + 1], table[row + 1]));
#endif
    }
    sum += row_sum;
  }
  store(at - ivec2(made_x, made_y), of_rgb(within_storage(sum)));
}
