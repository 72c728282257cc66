// Makes one texel from up to 3x3 texels of the level above.
#include "mips/area_weights.glsl"
#include "mips/reduce_four.glsl"

// Value for a texel that is not covered; `first` is a covered one.
vec4 uncovered(vec4 first) {
#if REDUCE == REDUCE_MEAN
  return vec4(0);
#else
  return first;
#endif
}

// Reduces texels, given row by row; `size` of the level above, `at` of the texel.
vec4 reduce_area(vec4 texels[9], ivec2 size, ivec2 at) {
#if REDUCE == REDUCE_MEAN
  const vec3 columns = area_weights(size.x, at.x), rows = area_weights(size.y, at.y);
  return (texels[0] * columns.x + texels[1] * columns.y + texels[2] * columns.z) * rows.x +
         (texels[3] * columns.x + texels[4] * columns.y + texels[5] * columns.z) * rows.y +
         (texels[6] * columns.x + texels[7] * columns.y + texels[8] * columns.z) * rows.z;
#else
  vec4 result = texels[0];
  for (int index = 1; index < 9; ++index) result = extreme(result, texels[index]);
  return result;
#endif
}
