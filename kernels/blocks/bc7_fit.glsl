// Fits a pair of endpoints of BC7 to the texels that share it, as core/codec/blocks/bc7_fit.cpp does.
#include "blocks/bc7_modes.glsl"
#include "blocks/exact.glsl"

const float above_all_errors = 1e9;

uint texels[16];  // of the block
bool is_opaque;   // all alphas are 255

// Exchanges the channel of a rotation with alpha.
vec4 rotated(vec4 c, int rotation) {
  return rotation == 0 ? c : rotation == 1 ? c.agbr : rotation == 2 ? c.rabg : c.rgab;
}

// R, G, B and alpha as numbers from 0 to 255.
vec4 texel(int at, int rotation) { return rotated(vec4(unpacked(texels[at])), rotation); }

struct Group {
  uint texels;    // a bit each
  vec4 channels;  // 1 for those that are fitted, else 0
  int rotation;
};

struct Format {
  int bits;  // of an endpoint's channel, without p bit
  int index_bits;
  int p_bits;
  bool p_bits_are_1;
};

struct Fit {
  float error;
  ivec4 first, second;  // endpoints as stored, without p bits
  int p_bits;           // bit 0: of the first
  uvec2 indices;        // 4 bits a texel, 0 for texels of other groups
};

struct Line {
  vec4 first, second;
};

// The error near its least value is a quadratic form of how far the endpoints of a channel are from the best ones.
struct ErrorForm {
  float first, both, second;
};

// Repeats `statements` for each texel `at` of a group.
#define FOR_EACH_TEXEL(group, at, statements) \
  for (uint rest_ = (group).texels; rest_ != 0u; rest_ &= rest_ - 1u) { \
    const int at = findLSB(rest_); \
    statements \
  }

vec4 sum_of_texels(Group group) {
  vec4 sum = vec4(0.0);
  FOR_EACH_TEXEL(group, at, sum += texel(at, group.rotation);)
  return sum * group.channels;
}

// The covariance times the square of the number of texels: exact integers.
mat4 covariance_of(Group group, vec4 sum) {
  mat4 products = mat4(0.0);
  FOR_EACH_TEXEL(group, at, {
    const vec4 color = texel(at, group.rotation) * group.channels;
    products += outerProduct(color, color);
  })
  return products * float(bitCount(group.texels)) - outerProduct(sum, sum);
}

// The direction in which the texels differ most: a row of a power of their covariance.
vec4 principal_axis(mat4 covariance) {
  vec4 axis = covariance[0];
  float widest = covariance[0][0];
  for (int c = 1; c < 4; ++c)
    if (covariance[c][c] > widest) {
      widest = covariance[c][c];
      axis = covariance[c];
    }
  for (int power = 0; power < 4; ++power) axis = exact_product(covariance, axis);
  const vec4 size = abs(axis);
  return axis * reciprocal(max(max(max(size.r, size.g), max(size.b, size.a)), 1e-30));
}

float along_axis(float offset, vec4 color, vec4 axis) {
  const vec4 steps = color * axis;
  return offset + steps.r + steps.g + steps.b + steps.a;
}

// Through the mean, between the outermost projections.
Line first_line(Group group, vec4 sum) {
  const vec4 mean = sum * reciprocal_of_count(float(bitCount(group.texels)));
  const vec4 axis = principal_axis(covariance_of(group, sum)), steps = mean * axis;
  const float size = exact_dot(axis, axis), offset = 0.0 - steps.r - steps.g - steps.b - steps.a;
  if (!(size > 0.0)) return Line(mean, mean);
  float least = 0.0, most = 0.0;
  FOR_EACH_TEXEL(group, at, {
    const float along = along_axis(offset, texel(at, group.rotation), axis);
    least = min(least, along);
    most = max(most, along);
  })
  const float scale = reciprocal(size);
  return Line(mean + least * scale * axis, mean + most * scale * axis);
}

// Assigns the best of the indices at most `reach` off the projections. Returns the error of the decoded integers.
float assign(Group group, Line line, int index_bits, int reach, out uvec2 indices) {
  const float last = float((1 << index_bits) - 1);
  const vec4 difference = line.second - line.first;
  const float size = exact_dot(difference, difference);
  const vec4 axis = size > 0.0 ? difference * (last * reciprocal(size)) : vec4(0.0), steps = line.first * axis;
  // if the endpoints are equal: between, where endpoints give finer steps
  const float offset =
      size > 0.0 ? 0.5 - steps.r - steps.g - steps.b - steps.a : float(1 << index_bits - 2) + 0.5;
  const vec4 slope = difference * 0.015625, rounded = line.first + 0.5;
  indices = uvec2(0u);
  float sum = 0.0;
  FOR_EACH_TEXEL(group, at, {
    const vec4 color = texel(at, group.rotation);
    const float projected = floor(clamp(along_axis(offset, color, axis), 0.0, last));
    float least = above_all_errors;
    float best = 0.0;
    for (int off = -reach; off <= reach; ++off) {
      const float index = clamp(projected + float(off), 0.0, last);
      const vec4 apart = (color - floor(weight_of(index, index_bits) * slope + rounded)) * group.channels;
      const float error = exact_dot(apart, apart);
      if (error < least) {
        least = error;
        best = index;
      }
    }
    indices[at >> 3] |= uint(best) << 4 * (at & 7);
    sum += least;
  })
  return sum;
}

// The best endpoints for the indices, by least squares.
Line solved(Group group, vec4 sum, uvec2 indices, int index_bits, out ErrorForm form) {
  float weights = 0.0, squares = 0.0;
  vec4 products = vec4(0.0);
  FOR_EACH_TEXEL(group, at, {
    const float weight = weight_of(float(index_of(indices, at)), index_bits);
    weights += weight;
    squares += weight * weight;
    products += weight * texel(at, group.rotation);
  })
  const float count = float(bitCount(group.texels));
  form.second = squares * (1.0 / 4096.0);
  form.both = weights * 0.015625 - form.second;
  form.first = count - 2.0 * (weights * 0.015625) + form.second;
  const float determinant = count * squares - weights * weights;  // an exact integer
  const float inverse = determinant > 0.0 ? reciprocal(determinant) : 0.0;
  const vec4 slope = (count * products * group.channels - weights * sum) * inverse;
  const vec4 first = (sum - slope * weights) * reciprocal_of_count(count);
  return Line(first, first + 64.0 * slope);
}

int scales_of(Format format) { return SCALES_AT + 4 * format.bits + (format.p_bits == P_BITS_NONE ? 0 : 2); }

// Numbers that a channel of an endpoint can have.
vec4 stored(vec4 value, Format format, int p_bit) {
  const vec4 exact = value * table[scales_of(format)] - (format.p_bits == P_BITS_NONE ? 0.0 : 0.5 * float(p_bit));
  return floor(clamp(exact, vec4(0.0), vec4(float((1 << format.bits) - 1))));
}
vec4 decoded(ivec4 number, Format format, int p_bit) {
  const bool has_p_bit = format.p_bits != P_BITS_NONE;
  return vec4(has_p_bit ? widen(number << 1 | p_bit, format.bits + 1) : widen(number, format.bits));
}

// Endpoints with the p bits `p_bits`. Returns the error beyond that of the unquantized ones.
float quantize(Group group, Line line, ErrorForm form, Format format, int p_bits, out ivec4 first, out ivec4 second) {
  const float shift = form.second > 0.0 ? form.both * reciprocal(form.second) : 0.0;
  const float half_step = table[scales_of(format) + 1];
  const vec4 lower = stored(line.first, format, p_bits & 1);
  vec4 least = vec4(above_all_errors);
  first = second = ivec4(0);
  for (int upper = 0; upper < 2; ++upper) {
    const ivec4 near = min(ivec4(lower) + upper, (1 << format.bits) - 1);
    const vec4 off_first = decoded(near, format, p_bits & 1) - line.first;
    const ivec4 other = ivec4(stored(line.second + half_step - shift * off_first, format, p_bits >> 1));
    const vec4 off_second = decoded(other, format, p_bits >> 1) - line.second;
    const vec4 error = off_first * off_first * form.first + off_first * off_second * (2.0 * form.both) +
                       off_second * off_second * form.second;
    const bvec4 is_better = lessThan(error, least);
    least = mix(least, error, is_better);
    first = mix(first, near, is_better);
    second = mix(second, other, is_better);
  }
  return sum_of(least * group.channels);
}

bool is_allowed(Format format, int p_bits) {
  if (format.p_bits == P_BITS_NONE) return p_bits == 0;
  if (format.p_bits_are_1) return p_bits == 3;
  return format.p_bits == P_BITS_OWN || p_bits == 0 || p_bits == 3;
}

// Indices scaled so that some are left out at the start and at the end: endpoints lie farther apart then.
uvec2 inner_indices(uvec2 indices, int index_bits, int start, int end) {
  const float last = float((1 << index_bits) - 1), scale = (last - float(start + end)) / last;
  uvec2 inner = uvec2(0u);
  for (int at = 0; at < 16; ++at)
    inner[at >> 3] |= uint(float(index_of(indices, at)) * scale + (float(start) + 0.5)) << 4 * (at & 7);
  return inner;
}

// The tries of a thorough fit: the best indices twice, then inner ones, with all p bits. Then a step of each channel of each endpoint. A
// quick fit has only the first two.
const int projecting = 0, solving = 1, first_set = 2, set_count = 5, first_step = first_set + 4 * set_count,
          try_count = first_step + 16;

struct Search {
  vec4 sum;     // of the texels
  Line exact;   // endpoints of a set of tries, not quantized
  ErrorForm form;
  float error;  // the least one before the set
  bool is_repeat;
};

// Finds the endpoints of a set of tries by its indices. The second set is as the first one if that made nothing better.
void begin_set(inout Search search, Group group, Format format, int set, Fit best) {
  search.is_repeat = set == 1 && best.error == search.error;
  search.error = best.error;
  if (search.is_repeat) return;
  uvec2 indices = best.indices;
  if (set >= 2) indices = inner_indices(indices, format.index_bits, set == 3 ? 0 : 1, set == 2 ? 0 : 1);
  search.exact = solved(group, search.sum, indices, format.index_bits, search.form);
}

// Quantizes endpoints with the best of the p bits from `begin` on. Returns false if none is allowed.
bool quantize_best(Search search, Group group, Format format, int begin, int end, inout Fit fit) {
  float least = 2.0 * above_all_errors;
  for (int p_bits = begin; p_bits < end; ++p_bits) {
    if (!is_allowed(format, p_bits)) continue;
    ivec4 first, second;
    const float error = quantize(group, search.exact, search.form, format, p_bits, first, second);
    if (error >= least) continue;
    least = error;
    fit.first = first;
    fit.second = second;
    fit.p_bits = p_bits;
  }
  return least < 2.0 * above_all_errors;
}

// Returns false if the step leaves the range.
bool make_step(int step, Group group, Format format, inout Fit fit) {
  const int channel = step >> 2, change = (step & 1) * 2 - 1;
  const bool is_first = (step & 2) == 0;
  const int value = (is_first ? fit.first[channel] : fit.second[channel]) + change;
  if (is_first) fit.first[channel] = value;
  else fit.second[channel] = value;
  return group.channels[channel] == 1.0 && value >= 0 && value < 1 << format.bits;
}

// Sets the endpoints of a try. Returns false if there are none.
bool set_endpoints(int number, inout Search search, Group group, Format format, Fit best, inout Fit fit) {
  if (number >= first_step) return make_step(number - first_step, group, format, fit);
  const int set = (number - first_set) >> 2, p_bits = (number - first_set) & 3;
  const bool is_quick = number == solving;
  if (is_quick || p_bits == 0) begin_set(search, group, format, is_quick ? 0 : set, best);
  return !search.is_repeat && quantize_best(search, group, format, is_quick ? 0 : p_bits, is_quick ? 4 : p_bits + 1, fit);
}

// Each function is called in one place, because compilers inline all calls.
Fit fitted(Group group, Format format, bool is_thorough) {
  Fit best = Fit(above_all_errors, ivec4(0), ivec4(0), 0, uvec2(0u));
  Search search;
  search.sum = sum_of_texels(group);
  for (int number = projecting; number < (is_thorough ? try_count : first_set) && best.error > 0.0; ++number) {
    Fit fit = best;
    Line line;
    if (number == projecting) {
      line = first_line(group, search.sum);
    } else {
      if (!set_endpoints(number, search, group, format, best, fit)) continue;
      line = Line(decoded(fit.first, format, fit.p_bits & 1) * group.channels,
                  decoded(fit.second, format, fit.p_bits >> 1) * group.channels);
    }
    fit.error = assign(group, line, format.index_bits, number >= first_set ? 1 : 0, fit.indices);
    if (number == projecting) best.indices = fit.indices;
    else if (fit.error < best.error) best = fit;
  }
  return best;
}
