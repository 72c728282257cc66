// Faces of a cube in the order +X -X +Y -Y +Z -Z. Source: Vulkan 1.3, table "Cube map face and coordinate selection".

// The vector to a point of a face that is `ahead` away; `point` grows to the right and down.
vec3 vector_to(int face, vec2 point, float ahead) {
  const float sign = (face & 1) == 0 ? 1.0 : -1.0;
  if (face < 2) return vec3(sign * ahead, -point.y, -sign * point.x);
  if (face < 4) return vec3(point.x, sign * ahead, sign * point.y);
  return vec3(sign * point.x, -point.y, sign * ahead);
}

// The point of a vector to this face.
vec2 point_of(int face, vec3 v) {
  const float sign = (face & 1) == 0 ? 1.0 : -1.0;
  if (face < 2) return vec2(-sign * v.z, -v.y);
  if (face < 4) return vec2(v.x, sign * v.z);
  return vec2(sign * v.x, -v.y);
}
