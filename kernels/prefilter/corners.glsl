// Makes a level of the pyramid: a value for each corner of CELLS x CELLS cells of each face. A corner at an edge of the cube is in two
// faces, one at a corner of the cube in three. It gets the same value in each, so that interpolation has no seams. IS_FINEST: from the
// image; else from a level with twice as many cells. store_more0() puts the level into the image that holds all levels.
#include "lib/each_texel.glsl"
#include "lib/storage.glsl"
#include "prefilter/cube.glsl"

// NaN counts as 0, and infinity as the largest half. Sums of larger numbers would overflow.
float usable(float value) {
  const float size = abs(value);
  if (size <= largest_float) return clamp(value, -largest_value, largest_value);
  return size > largest_float ? sign(value) * 65504.0 : 0.0;
}

#if IS_FINEST
// Solid angle of a texel, as a share of one in the middle of its face. `point` is from -1 to 1.
float solid_angle(vec2 point) {
  const float squares = 1.0 + dot(point, point);
  return 1.0 / (squares * sqrt(squares));
}

// Adds the texels of `face` that touch the corner.
void add_face(int face, ivec2 corner, inout vec4 sum, inout float weights) {
  const ivec2 size = ivec2(face_width, face_height), after = corner * size / cells;
  for (int k = 0; k < 4; ++k) {
    const ivec2 at = after - ivec2(k & 1, k >> 1);
    if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) continue;
    const float weight = solid_angle((2.0 * vec2(at) + 1.0) / vec2(size) - 1.0);
    const vec4 c = load(min(ivec2(face * face_width, 0) + at, ivec2(source_width, source_height) - 1));
    sum += weight * vec4(usable(c.r), usable(c.g), usable(c.b), usable(c.a));
    weights += weight;
  }
}
#else
// Adds the corners of `face` within a cell of this level, weighted linearly. `table` has the solid angle of each.
void add_face(int face, ivec2 corner, inout vec4 sum, inout float weights) {
  const int fine = 2 * cells;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x) {
      const ivec2 at = 2 * corner + ivec2(x, y);
      if (any(lessThan(at, ivec2(0))) || any(greaterThan(at, ivec2(fine)))) continue;
      const float weight = (x == 0 ? 1.0 : 0.5) * (y == 0 ? 1.0 : 0.5) * table[at.y * (fine + 1) + at.x];
      sum += weight * load(at + ivec2(face * (fine + 1), 0));
      weights += weight;
    }
}
#endif

void make(ivec2 at) {
  const int corners = cells + 1;
  const vec3 corner = vector_to(at.x / corners, vec2(2 * ivec2(at.x % corners, at.y) - cells), float(cells));
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int face = 0; face < 6; ++face)
    if (corner[face >> 1] == float((face & 1) == 0 ? cells : -cells))
      add_face(face, (ivec2(point_of(face, corner)) + cells) / 2, sum, weights);
  const vec4 mean = sum / weights;
  store(at, mean);
  store_more0(at + ivec2(0, first_row), mean);
}
