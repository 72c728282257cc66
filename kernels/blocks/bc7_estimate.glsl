// Estimates how well the partitions and rotations of BC7 suit a block, and keeps the best ones as candidates, as
// core/codec/blocks/bc7_estimate.cpp and bc7_candidates.cpp do.
#include "blocks/bc7_fit.glsl"

const int candidate_count = CANDIDATE_COUNT;
uint candidates[candidate_count];
float estimates[candidate_count];

// Puts a candidate behind those that are as good, and moves the rest.
void add_candidate(float estimate, uint candidate) {
  bool is_put = false;
  for (int at = 0; at < candidate_count; ++at) {
    is_put = is_put || estimate < estimates[at];
    if (!is_put) continue;
    const float moved_estimate = estimates[at];
    const uint moved = candidates[at];
    estimates[at] = estimate;
    candidates[at] = candidate;
    estimate = moved_estimate;
    candidate = moved;
  }
}

// Sums over texels, of the channels less `center` and of their products.
struct Moments {
  vec4 sum;
  mat4 products;
  float count;
};

Moments moments_of(uint texels_of_group, vec4 center) {
  Moments moments = Moments(vec4(0.0), mat4(0.0), float(bitCount(texels_of_group)));
  for (uint rest = texels_of_group; rest != 0u; rest &= rest - 1u) {
    const vec4 off = texel(findLSB(rest), 0) - center;
    moments.sum += off;
    moments.products += outerProduct(off, off);
  }
  return moments;
}

// The covariance times the square of the number of texels: exact integers.
mat4 covariance_of(Moments moments) {
  return moments.products * moments.count - outerProduct(moments.sum, moments.sum);
}

mat4 rotated(mat4 covariance, int rotation) {
  mat4 result = covariance;
  if (rotation > 0) {
    result[rotation - 1] = covariance[3];
    result[3] = covariance[rotation - 1];
  }
  for (int c = 0; c < 4; ++c) result[c] = rotated(result[c], rotation);
  return result;
}

mat4 without_alpha(mat4 covariance) {
  for (int c = 0; c < 4; ++c) covariance[c] = c == 3 ? vec4(0.0) : vec4(covariance[c].rgb, 0.0);
  return covariance;
}

// The trace of a * b, for symmetric matrices.
float trace_of_product(mat4 a, mat4 b) {
  const float on = a[0][0] * b[0][0] + a[1][1] * b[1][1] + a[2][2] * b[2][2] + a[3][3] * b[3][3];
  const float off = a[1][0] * b[1][0] + a[2][0] * b[2][0] + a[3][0] * b[3][0] + a[2][1] * b[2][1] +
                    a[3][1] * b[3][1] + a[3][2] * b[3][2];
  return on + off + off;
}

// Sums of squared distances from the best line through texels, and along it from the mean. The largest eigenvalue of the covariance
// is near the quotient of the traces of its fifth and fourth power.
vec2 line_errors(mat4 covariance, float count) {
  const mat4 square = exact_product(covariance, covariance);
  const float eigenvalue = trace_of_product(square, exact_product(square, covariance)) *
                           reciprocal(trace_of_product(square, square) + 1e-20);
  const float trace = covariance[0][0] + covariance[1][1] + covariance[2][2] + covariance[3][3];
  return vec2(trace - eigenvalue, eigenvalue) * reciprocal(count);
}

// Numbers of a mode for estimates: the share of the squared distances along a line that indices leave, for the first and the second
// indices, and the error by endpoints with and without alpha.
float share_of(int mode, int second) { return table[MODES_AT + MODE_NUMBERS * mode + 9 + second]; }
float rounding_of(int mode) { return table[MODES_AT + MODE_NUMBERS * mode + (is_opaque ? 11 : 12)]; }

void add_rotations(int mode, int selection, vec2 errors[4], float singles[4]) {
  for (int rotation = 0; rotation < 4; ++rotation) {
    const float along =
        share_of(mode, selection) * errors[rotation].y + share_of(mode, 1 - selection) * singles[rotation];
    add_candidate(errors[rotation].x + along + rounding_of(mode), candidate_of(mode, 0, rotation, selection));
  }
}

void add_shape(int mode, int shape, vec2 errors) {
  if (shape >= 1 << mode_of(mode).shape_bits) return;
  add_candidate(errors.x + share_of(mode, 0) * errors.y + rounding_of(mode), candidate_of(mode, shape, 0, 0));
}

// The errors of all pairs of a shape. Without pairs, `shape` is a rotation, and `single` the squares of the channel that is apart.
vec2 errors_of(int pair_count, int shape, Moments whole, vec4 center, inout float single) {
  Moments rest = whole;
  vec2 errors = vec2(0.0);
  for (int pair = 1; pair <= pair_count; ++pair) {
    Moments own = rest;
    if (pair < pair_count) {
      own = moments_of(texels_of_pair(pair_count, shape, pair), center);
      rest = Moments(rest.sum - own.sum, rest.products - own.products, rest.count - own.count);
    }
    mat4 covariance = covariance_of(own);
    if (pair_count == 1) {
      covariance = rotated(covariance, shape);
      single = covariance[3][3] * reciprocal_of_count(own.count);
      covariance = without_alpha(covariance);
    }
    errors += line_errors(covariance, own.count);
  }
  return errors;
}

void find_candidates() {
  for (int at = 0; at < candidate_count; ++at) {
    estimates[at] = 1e30;
    candidates[at] = no_candidate;
  }
  const vec4 center = floor(moments_of(0xffffu, vec4(0.0)).sum * 0.0625);
  const Moments whole = moments_of(0xffffu, center);
  vec2 rotation_errors[4];
  float singles[4];
  for (int pair_count = 1; pair_count <= (is_opaque ? 3 : 2); ++pair_count) {
    for (int shape = 0; shape < (pair_count == 1 ? 4 : 64); ++shape) {
      float single = 0.0;
      const vec2 errors = errors_of(pair_count, shape, whole, center, single);
      if (pair_count == 1) {
        rotation_errors[shape] = errors;
        singles[shape] = single;
      } else if (!is_opaque) {
        add_shape(7, shape, errors);
      } else {
        add_shape(pair_count == 2 ? 1 : 0, shape, errors);
        add_shape(pair_count == 2 ? 3 : 2, shape, errors);
      }
    }
    if (pair_count > 1) continue;
    add_rotations(4, 0, rotation_errors, singles);
    add_rotations(4, 1, rotation_errors, singles);
    add_rotations(5, 0, rotation_errors, singles);
  }
}
