// Fits endpoints of BC6H to a block whose partition is given, as core/codec/blocks/bc6h_encode.cpp does.
#include "blocks/bc6h_lanes.glsl"

const float largest_end = 65535.0;
const int index_mask = 15, largest_key = 0x7fffffff;

// As they are interpolated: two ends of each pair.
struct Ends {
  vec3 colors[4];
};

// Sums over the texels of a pair: products of the weights of its two ends.
struct Sums {
  float first_first, first_second, second_second;
};

float sum_of_three(vec3 c) { return c.r + c.g + c.b; }

// The direction in which colors differ most, of about length 1, or 0 if they are all the same.
vec3 axis_of(Lanes offsets[3]) {
  mat3 covariance;
  for (int c = 0; c < 3; ++c)
    for (int d = c; d < 3; ++d) covariance[c][d] = covariance[d][c] = sum_of_products(offsets[c], offsets[d]);
  vec3 axis = covariance[0];
  float widest = covariance[0][0];
  for (int c = 1; c < 3; ++c)
    if (covariance[c][c] > widest) {
      widest = covariance[c][c];
      axis = covariance[c];
    }
  for (int step = 0; step < 5; ++step) {
    const float size = sum_of_three(abs(axis));
    if (size == 0.0) return vec3(0.0);
    axis *= reciprocal(size);
    if (step < 4) axis = covariance[0] * axis.r + covariance[1] * axis.g + covariance[2] * axis.b;
  }
  return axis;
}

// The ends of the line nearest to the texels of weight 1; others have weight 0. The anchor is nearer to the first end.
void fit_line(Lanes weights, int anchor, out vec3 first, out vec3 second) {
  const float share = reciprocal_of_count(sum_of(weights));
  vec3 mean;
  Lanes offsets[3];
  for (int c = 0; c < 3; ++c) {
    mean[c] = sum_of_products(targets[c], weights) * share;
    offsets[c] = matrixCompMult(targets[c] - mean[c], weights);
  }
  const vec3 axis = axis_of(offsets);
  float low = 0.0, high = 0.0, of_anchor = 0.0;
  for (int row = 0; row < 4; ++row) {
    const vec4 along = axis.r * offsets[0][row] + axis.g * offsets[1][row] + axis.b * offsets[2][row];
    low = min(low, min(min(along.x, along.y), min(along.z, along.w)));
    high = max(high, max(max(along.x, along.y), max(along.z, along.w)));
    if (row == anchor >> 2) of_anchor = along[anchor & 3];
  }
  if (of_anchor > 0.5 * (low + high)) {
    const float other = low;
    low = high;
    high = other;
  }
  const float size = sum_of_three(axis * axis), scale = size > 0.0 ? reciprocal(size) : 0.0;
  first = clamp(mean + axis * (low * scale), 0.0, largest_end);
  second = clamp(mean + axis * (high * scale), 0.0, largest_end);
}

// Finds the ends with the least squared error, by the weights of the second end, and the sums of a pair. Leaves the ends unchanged if all
// texels have the same weights. Sums of integers are exact.
void solve(Lanes is_in_pair, Lanes weights, out Sums sums, inout vec3 first, inout vec3 second) {
  const float count = sum_of(is_in_pair), total = sum_of(weights), squares = sum_of_products(weights, weights);
  sums = Sums(4096.0 * count - 128.0 * total + squares, 64.0 * total - squares, squares);
  const float determinant = count * squares - total * total;
  if (determinant < 1.0) return;
  const float inverse = reciprocal(determinant), share = reciprocal_of_count(count);
  for (int c = 0; c < 3; ++c) {
    const float target = sum_of_products(targets[c], is_in_pair), center = floor(target * share);
    const float sum_off = target - count * center;
    const float slope = (count * sum_of_products(weights, targets[c] - center) - total * sum_off) * inverse;
    const float start = (sum_off - slope * total) * share + center;
    first[c] = clamp(start, 0.0, largest_end);
    second[c] = clamp(start + 64.0 * slope, 0.0, largest_end);
  }
}

int index_of(uvec2 indices, int texel) { return int(indices[texel >> 3] >> 4 * (texel & 7) & 15u); }

Lanes weights_of(uvec2 indices, int last) {
  Lanes weights;
  for (int at = 0; at < 16; ++at)
    weights[at >> 2][at & 3] = floor(float(index_of(indices, at)) * (64.0 / float(last)) + 0.5);
  return weights;
}

// Finds the ends of each pair: by their line in the first round, then by the indices.
void find_ends(Shape shape, int round_number, uvec2 indices, inout Ends ends, inout Sums sums[2]) {
  for (int pair = 0; pair < (shape.has_two_pairs ? 2 : 1); ++pair) {
    const Lanes is_in_pair = pair == 1 ? shape.is_second : all_lanes(1.0) - shape.is_second;
    vec3 first = ends.colors[2 * pair], second = ends.colors[2 * pair + 1];
    if (round_number == 0) {
      fit_line(is_in_pair, pair == 1 ? shape.second_anchor : 0, first, second);
      sums[pair] = Sums(1.0, 0.0, 1.0);
    } else {
      const Lanes weights = matrixCompMult(weights_of(indices, shape.has_two_pairs ? 7 : 15), is_in_pair);
      solve(is_in_pair, weights, sums[pair], first, second);
    }
    ends.colors[2 * pair] = first;
    ends.colors[2 * pair + 1] = second;
  }
}

int unquantized(int value, int bits) {
  if (bits >= 15 || value == 0) return value;
  if (value == (1 << bits) - 1) return 0xffff;
  return (value << 15) + 0x4000 >> bits - 1;
}

int quantized(float value, int bits) {
  if (bits == 16) return int(value);
  const float scaled = value * (1.0 / 65536.0) * float(1 << bits);
  const int last = (1 << bits) - 1;
  // the first and the last step decode to 0 and the largest number, all others to their middle
  if (scaled < 0.75) return 0;
  if (scaled > float(last) + 0.25) return last;
  return clamp(int(scaled), 1, last - 1);
}

// The range of an endpoint after the first.
ivec2 range_beside(int first, Mode mode, int channel) {
  const int last = (1 << mode.endpoint_bits) - 1, half_range = 1 << mode.delta_bits[channel] - 1;
  return mode.has_deltas ? ivec2(max(first - half_range, 0), min(first + half_range - 1, last)) : ivec2(0, last);
}

bool fits(Ends ends, Mode mode) {
  for (int c = 0; c < 3; ++c) {
    const ivec2 range = range_beside(quantized(ends.colors[0][c], mode.endpoint_bits), mode, c);
    for (int end = 1; end < 2 * mode.pair_count; ++end) {
      const int value = quantized(ends.colors[end][c], mode.endpoint_bits);
      if (value < range.x || value > range.y) return false;
    }
  }
  return true;
}

int finest_mode(Ends ends, bool has_two_pairs) {
  const int count = has_two_pairs ? MODES_OF_TWO_PAIRS : MODES_OF_ONE_PAIR;
  const int at = has_two_pairs ? MODES_OF_TWO_PAIRS_AT : MODES_OF_ONE_PAIR_AT;
  int number = 0;
  while (number < count - 1 && !fits(ends, mode_of(int(table[at + number])))) ++number;
  return int(table[at + number]);
}

// The two quantized numbers around `value`, clamped to the range.
ivec2 neighbors(float value, int bits, ivec2 range) {
  const int nearest = clamp(quantized(value, bits), range.x, range.y);
  return ivec2(nearest, clamp(nearest + (float(unquantized(nearest, bits)) < value ? 1 : -1), range.x, range.y));
}

// Quantizes two ends together for the least squared error with the same indices.
ivec2 quantized_pair(Sums sums, float first, float second, Mode mode, int channel, bool is_second_pair, int very_first) {
  const int bits = mode.endpoint_bits;
  const ivec2 own_range = is_second_pair ? range_beside(very_first, mode, channel) : ivec2(0, (1 << bits) - 1);
  const ivec2 firsts = neighbors(first, bits, own_range);
  ivec2 result = ivec2(0);
  float least = 3.4028235e38;
  for (int a = 0; a < 2; ++a) {
    const float da = float(unquantized(firsts[a], bits)) - first;
    const ivec2 range = is_second_pair ? own_range : range_beside(firsts[a], mode, channel);
    const ivec2 seconds = neighbors(second, bits, range);
    for (int b = 0; b < 2; ++b) {
      const float db = float(unquantized(seconds[b], bits)) - second;
      const float error =
          sums.first_first * da * da + 2.0 * sums.first_second * da * db + sums.second_second * db * db;
      if (error >= least) continue;
      least = error;
      result = ivec2(firsts[a], seconds[b]);
    }
  }
  return result;
}

void quantize_ends(Ends ends, Sums sums[2], Mode mode, inout Encoding encoding) {
  for (int c = 0; c < 3; ++c)
    for (int pair = 0; pair < mode.pair_count; ++pair) {
      const ivec2 made = quantized_pair(sums[pair], ends.colors[2 * pair][c], ends.colors[2 * pair + 1][c], mode, c,
                                        pair == 1, encoding.ends[0][c]);
      encoding.ends[2 * pair][c] = made.x;
      encoding.ends[2 * pair + 1][c] = made.y;
    }
}

// The half between two ends, by its index.
vec3 decoded(ivec3 first, ivec3 second, int bits, float weight) {
  vec3 start, end;
  for (int c = 0; c < 3; ++c) {
    start[c] = float(unquantized(first[c], bits));
    end[c] = float(unquantized(second[c], bits));
  }
  const vec3 interpolated = floor((start * 64.0 + (end - start) * weight + 32.0) * (1.0 / 64.0));
  return floor(interpolated * 31.0 * (1.0 / 64.0));
}

// An index in the lowest bits of an error sorts them by the error. Indices of anchors lack their highest bit.
void choose_indices(Shape shape, Mode mode, inout Encoding encoding) {
  const int count = shape.has_two_pairs ? 8 : 16;
  const uint anchors = 1u | 1u << shape.second_anchor;
  ivec4 keys[4] = ivec4[4](ivec4(largest_key), ivec4(largest_key), ivec4(largest_key), ivec4(largest_key));
  for (int index = 0; index < count; ++index) {
    const float weight = floor(float(index) * (64.0 / float(count - 1)) + 0.5);
    const vec3 first = decoded(encoding.ends[0], encoding.ends[1], mode.endpoint_bits, weight);
    const vec3 step = shape.has_two_pairs
                          ? decoded(encoding.ends[2], encoding.ends[3], mode.endpoint_bits, weight) - first
                          : vec3(0.0);
    for (int row = 0; row < 4; ++row) {
      const vec4 r = halves[0][row] - first.r - step.r * shape.is_second[row],
                 g = halves[1][row] - first.g - step.g * shape.is_second[row],
                 b = halves[2][row] - first.b - step.b * shape.is_second[row];
      const ivec4 key = floatBitsToInt(r * r + g * g + b * b) & ~index_mask | index;
      const uvec4 is_anchor = uvec4(anchors) >> (uvec4(0u, 1u, 2u, 3u) + uint(4 * row)) & 1u;
      const bvec4 is_taken = equal(is_anchor * uint(index >= count / 2), uvec4(0u));
      keys[row] = mix(keys[row], min(keys[row], key), is_taken);
    }
  }
  encoding.indices = uvec2(0u);
  Lanes errors;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column)
      encoding.indices[row >> 1] |= uint(keys[row][column] & index_mask) << 16 * (row & 1) + 4 * column;
    errors[row] = intBitsToFloat(keys[row] & ~index_mask);
  }
  encoding.error = sum_of(errors);
}

void try_shape(Shape shape, inout Encoding best) {
  Ends ends;
  Sums sums[2];
  Encoding encoding;
  encoding.partition_number = shape.partition_number;
  for (int round_number = 0; round_number < ROUNDS; ++round_number) {
    find_ends(shape, round_number, encoding.indices, ends, sums);
    encoding.mode = finest_mode(ends, shape.has_two_pairs);
    const Mode mode = mode_of(encoding.mode);
    quantize_ends(ends, sums, mode, encoding);
    choose_indices(shape, mode, encoding);
    if (encoding.error > table[LARGEST_ERROR_RATIO_AT] * best.error) return;
    if (encoding.error < best.error) best = encoding;
    if (encoding.error == 0.0) return;
  }
}
