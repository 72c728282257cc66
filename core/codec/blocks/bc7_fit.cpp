#include "core/codec/blocks/bc7_fit.h"

#include "core/codec/blocks/reciprocal.h"

#include <algorithm>
#include <cmath>

namespace gpupost::bc7 {
namespace {

using FourInts = int __attribute__((vector_size(16)));

constexpr float above_all_errors = 1e9f;

// Sums of integers below 2^24 are exact in any order.
float total(const Four& four) { return (four[0] + four[1]) + (four[2] + four[3]); }
Four all_of(float value) { return Four{} + value; }
Four at_least(const Four& a, const Four& b) { return a > b ? a : b; }
Four at_most(const Four& a, const Four& b) { return a < b ? a : b; }
FourInts to_ints(const Four& four) { return __builtin_convertvector(four, FourInts); }
Four to_floats(const FourInts& ints) { return __builtin_convertvector(ints, Four); }
Four truncate(const Four& four) { return to_floats(to_ints(four)); }

template <size_t channels>
using Vector = std::array<float, channels>;

template <size_t channels>
struct Line {
  Vector<channels> first, second;
};

// The index of each texel, and its weight in the color.
struct Assigned {
  Quads indices, weights;  // weights of the second endpoint in 64ths
};

template <size_t channels>
Vector<channels> sums_of(const Group& group) {
  Vector<channels> sums;
  for (size_t c = 0; c < channels; ++c) {
    Four sum{};
    for (int quad = 0; quad < group.quad_count; ++quad) sum += group.values[c][quad] * group.is_used[quad];
    sums[c] = total(sum);
  }
  return sums;
}

template <size_t channels>
using Matrix = std::array<Vector<channels>, channels>;

// The covariance times the square of the number of texels: exact integers.
template <size_t channels>
Matrix<channels> covariance_of(const Group& group, const Vector<channels>& sums) {
  std::array<std::array<Four, channels>, channels> products{};
  for (int quad = 0; quad < group.quad_count; ++quad)
    for (size_t a = 0; a < channels; ++a) {
      const Four value = group.values[a][quad] * group.is_used[quad];
      for (size_t b = a; b < channels; ++b) products[a][b] += value * group.values[b][quad];
    }
  Matrix<channels> covariance;
  for (size_t a = 0; a < channels; ++a)
    for (size_t b = a; b < channels; ++b)
      covariance[a][b] = covariance[b][a] = float(group.texel_count) * total(products[a][b]) - sums[a] * sums[b];
  return covariance;
}

// The direction in which the texels differ most: a row of a power of their covariance.
template <size_t channels>
Vector<channels> principal_axis(const Matrix<channels>& covariance) {
  size_t widest = 0;
  for (size_t c = 1; c < channels; ++c)
    if (covariance[c][c] > covariance[widest][widest]) widest = c;
  Vector<channels> axis = covariance[widest];
  for (int power = 0; power < 4; ++power) {  // it stays below 10^37
    Vector<channels> next{};
    for (size_t a = 0; a < channels; ++a)
      for (size_t b = 0; b < channels; ++b) next[a] += covariance[a][b] * axis[b];
    axis = next;
  }
  float largest = 1e-30f;
  for (const float part : axis) largest = std::max(largest, std::abs(part));
  const float scale = reciprocal(largest);
  for (float& part : axis) part *= scale;
  return axis;
}

// Through the mean, between the outermost projections.
template <size_t channels>
Line<channels> first_line(const Group& group, const Vector<channels>& sums) {
  Vector<channels> mean;
  for (size_t c = 0; c < channels; ++c) mean[c] = sums[c] * reciprocals_of_counts[size_t(group.texel_count)];
  const Vector<channels> axis = principal_axis<channels>(covariance_of<channels>(group, sums));
  float length = 0, offset = 0;
  for (size_t c = 0; c < channels; ++c) {
    length += axis[c] * axis[c];
    offset -= mean[c] * axis[c];
  }
  if (!(length > 0)) return {mean, mean};
  Four least{}, most{};
  for (int quad = 0; quad < group.quad_count; ++quad) {
    Four along = all_of(offset);
    for (size_t c = 0; c < channels; ++c) along += group.values[c][quad] * axis[c];
    least = at_most(least, along);
    most = at_least(most, along);
  }
  const float scale = reciprocal(length);
  const float start = std::min({least[0], least[1], least[2], least[3]}) * scale;
  const float end = std::max({most[0], most[1], most[2], most[3]}) * scale;
  Line<channels> line;
  for (size_t c = 0; c < channels; ++c) {
    line.first[c] = mean[c] + start * axis[c];
    line.second[c] = mean[c] + end * axis[c];
  }
  return line;
}

// Indices of the colors that are next to the projections of texels on a line.
template <size_t channels>
struct Projection {
  float last;  // index
  Vector<channels> axis;
  float offset = 0.5f;

  Projection(const Line<channels>& line, int index_bits) : last(float((1 << index_bits) - 1)) {
    float length = 0;
    for (size_t c = 0; c < channels; ++c) {
      axis[c] = line.second[c] - line.first[c];
      length += axis[c] * axis[c];
    }
    const float scale = length > 0 ? last * reciprocal(length) : 0;
    for (size_t c = 0; c < channels; ++c) {
      axis[c] *= scale;
      offset -= line.first[c] * axis[c];
    }
    if (!(length > 0)) offset = float(1 << (index_bits - 2)) + 0.5f;  // between, where endpoints give finer steps
  }
  Four clamp(const Four& index) const { return at_most(at_least(index, Four{}), all_of(last)); }
  Four indices(const Group& group, int quad) const {
    Four index = all_of(offset);
    for (size_t c = 0; c < channels; ++c) index += group.values[c][quad] * axis[c];
    return truncate(clamp(index));
  }
};

// Assigns the best of the indices at most `reach` off the projections. Returns the error of the decoded integers.
template <size_t channels, int reach>
float assign(const Group& group, const Line<channels>& line, int index_bits, Assigned& assigned) {
  const Projection<channels> projection(line, index_bits);
  Vector<channels> slope;
  for (size_t c = 0; c < channels; ++c) slope[c] = (line.second[c] - line.first[c]) / 64;
  Four sum{};
  for (int quad = 0; quad < group.quad_count; ++quad) {
    const Four projected = projection.indices(group, quad);
    Four least = all_of(above_all_errors), best_index{}, best_weight{};
    for (int off = -reach; off <= reach; ++off) {
      const Four index = projection.clamp(projected + float(off));
      const Four weight = truncate(index * (64 / projection.last) + 0.5f);
      Four error{};
      for (size_t c = 0; c < channels; ++c) {
        const Four difference = group.values[c][quad] - truncate(weight * slope[c] + (line.first[c] + 0.5f));
        error += difference * difference;
      }
      const FourInts is_better = error < least;
      least = is_better ? error : least;
      best_index = is_better ? index : best_index;
      best_weight = is_better ? weight : best_weight;
    }
    assigned.indices[quad] = best_index;
    assigned.weights[quad] = best_weight;
    sum += least * group.is_used[quad];
  }
  return total(sum);
}

// The error near its least value is a quadratic form of how far the endpoints of a channel are from the best ones.
struct ErrorForm {
  float first, both, second;
};

// The best endpoints for the weights that are assigned, by least squares.
template <size_t channels>
Line<channels> solve(const Group& group, const Vector<channels>& sums, const Assigned& assigned, ErrorForm& form) {
  Four weight_sums{}, square_sums{};
  std::array<Four, channels> product_sums{};
  for (int quad = 0; quad < group.quad_count; ++quad) {
    const Four weight = assigned.weights[quad] * group.is_used[quad];
    weight_sums += weight;
    square_sums += weight * weight;
    for (size_t c = 0; c < channels; ++c) product_sums[c] += weight * group.values[c][quad];
  }
  const float count = float(group.texel_count), weights = total(weight_sums), squares = total(square_sums);
  form.second = squares / 4096;
  form.both = weights / 64 - form.second;
  form.first = count - 2 * (weights / 64) + form.second;
  const float determinant = count * squares - weights * weights;  // an exact integer
  const float inverse = determinant > 0 ? reciprocal(determinant) : 0;
  const float share = reciprocals_of_counts[size_t(group.texel_count)];
  Line<channels> line;
  for (size_t c = 0; c < channels; ++c) {
    const float slope = (count * total(product_sums[c]) - weights * sums[c]) * inverse;
    line.first[c] = (sums[c] - slope * weights) * share;
    line.second[c] = line.first[c] + 64 * slope;
  }
  return line;
}

// Endpoints for the four pairs of p bits: the bits of lane k are those of the first and of the second endpoint.
template <size_t channels>
struct Quantized {
  std::array<Four, channels> first, second;  // as stored, without p bits
  Four error{};                              // beyond that of the unquantized endpoints
};

constexpr Four first_p_bits{0, 1, 0, 1}, second_p_bits{0, 0, 1, 1};

// Values that a channel of an endpoint can have.
struct Grid {
  int bits, p_bit;
  float scale, half_step, last;

  explicit Grid(const PairFormat& format)
      : bits(format.bits),
        p_bit(format.p_bits != PBits::none),
        scale(scale_of(bits, p_bit)),
        half_step(half_step_of(bits, p_bit)),
        last(float((1 << bits) - 1)) {}
  // The stored value at or below `value`.
  Four stored(const Four& value, const Four& p_bits) const {
    const Four exact = value * scale - p_bits * (p_bit == 0 ? 0 : 0.5f);
    return truncate(at_most(at_least(exact, Four{}), all_of(last)));
  }
  int decoded(int stored, int own_p_bit) const {
    return p_bit == 0 ? widen(stored, bits) : widen(stored << 1 | own_p_bit, bits + 1);
  }
  Four decoded(const Four& stored, const Four& p_bits) const {
    const FourInts value = p_bit == 0 ? to_ints(stored) : to_ints(stored + stored + p_bits);
    return to_floats((value << (8 - bits - p_bit)) | (value >> (2 * (bits + p_bit) - 8)));
  }
};

template <size_t channels>
Quantized<channels> quantize(const Line<channels>& line, const ErrorForm& form, const Grid& grid) {
  Quantized<channels> result;
  const float shift = form.second > 0 ? form.both * reciprocal(form.second) : 0;
  for (size_t c = 0; c < channels; ++c) {
    const Four lower = grid.stored(all_of(line.first[c]), first_p_bits);
    Four least = all_of(above_all_errors);
    for (int upper = 0; upper < 2; ++upper) {
      const Four first = at_most(lower + float(upper), all_of(grid.last));
      const Four off_first = grid.decoded(first, first_p_bits) - line.first[c];
      const Four second = grid.stored(line.second[c] + grid.half_step - shift * off_first, second_p_bits);
      const Four off_second = grid.decoded(second, second_p_bits) - line.second[c];
      const Four error = off_first * off_first * form.first + off_first * off_second * (2 * form.both) +
                         off_second * off_second * form.second;
      const FourInts is_better = error < least;
      least = is_better ? error : least;
      result.first[c] = is_better ? first : result.first[c];
      result.second[c] = is_better ? second : result.second[c];
    }
    result.error += least;
  }
  return result;
}

bool is_allowed(const PairFormat& format, int k) {
  if (format.p_bits == PBits::none) return k == 0;
  if (format.p_bits_are_1) return k == 3;
  return format.p_bits == PBits::own || k == 0 || k == 3;
}

template <size_t channels>
class Fitter {
 public:
  Fitter(const Group& group, const PairFormat& format)
      : group_(group), format_(format), grid_(format), sums_(sums_of<channels>(group)) {}

  PairFit fit(Effort effort) {
    assign<channels, 0>(group_, first_line<channels>(group_, sums_), format_.index_bits, best_assigned_);
    fit_once();
    if (effort == Effort::thorough && best_.error > 0) improve();
    for (int at = 0; at < group_.texel_count; ++at) best_.indices[at] = uint8_t(best_assigned_.indices[at / 4][at % 4]);
    return best_;
  }

 private:
  // With the p bits that have the least error before indices are assigned again.
  void fit_once() {
    const Quantized<channels> quantized = fit_endpoints(best_assigned_);
    int best = -1;
    for (int k = 0; k < 4; ++k)
      if (is_allowed(format_, k) && (best < 0 || quantized.error[k] < quantized.error[best])) best = k;
    set_endpoints(quantized, best, best_);
    best_.error = assign<channels, 0>(group_, line_of(best_), format_.index_bits, best_assigned_);
  }

  void improve() {
    for (int round = 0; round < 2; ++round)
      if (!try_indices(best_assigned_)) break;
    try_indices(inner_indices(1, 0));
    try_indices(inner_indices(0, 1));
    try_indices(inner_indices(1, 1));
    for (size_t c = 0; c < channels; ++c)
      for (size_t end = 0; end < 2; ++end)
        for (const int step : {-1, 1}) try_step(end, c, step);
  }

  // The best indices, scaled so that some are left out at the start and at the end: endpoints lie farther apart then.
  Assigned inner_indices(int start, int end) const {
    const float last = float((1 << format_.index_bits) - 1), scale = (last - float(start + end)) / last;
    Assigned assigned;
    for (int quad = 0; quad < group_.quad_count; ++quad) {
      assigned.indices[quad] = truncate(best_assigned_.indices[quad] * scale + (float(start) + 0.5f));
      assigned.weights[quad] = truncate(assigned.indices[quad] * (64 / last) + 0.5f);
    }
    return assigned;
  }

  // Fits endpoints with all p bits to indices. False if none is better than the best before.
  bool try_indices(const Assigned& assigned) {
    if (best_.error == 0) return false;
    const Quantized<channels> quantized = fit_endpoints(assigned);
    bool is_better = false;
    for (int k = 0; k < 4; ++k) {
      if (!is_allowed(format_, k)) continue;
      PairFit fit;
      set_endpoints(quantized, k, fit);
      is_better |= keep_if_better(fit);
    }
    return is_better;
  }

  void try_step(size_t end, size_t channel, int step) {
    if (best_.error == 0) return;
    PairFit fit = best_;
    int& value = fit.endpoints[end][channel];
    value += step;
    if (value >= 0 && value <= int(grid_.last)) keep_if_better(fit);
  }

  Quantized<channels> fit_endpoints(const Assigned& assigned) const {
    ErrorForm form;
    const Line<channels> line = solve<channels>(group_, sums_, assigned, form);
    return quantize<channels>(line, form, grid_);
  }

  static void set_endpoints(const Quantized<channels>& quantized, int k, PairFit& fit) {
    fit.p_bits = {k & 1, k >> 1};
    for (size_t c = 0; c < channels; ++c) {
      fit.endpoints[0][c] = int(quantized.first[c][k]);
      fit.endpoints[1][c] = int(quantized.second[c][k]);
    }
  }

  Line<channels> line_of(const PairFit& fit) const {
    Line<channels> line;
    for (size_t c = 0; c < channels; ++c) {
      line.first[c] = float(grid_.decoded(fit.endpoints[0][c], fit.p_bits[0]));
      line.second[c] = float(grid_.decoded(fit.endpoints[1][c], fit.p_bits[1]));
    }
    return line;
  }

  bool keep_if_better(PairFit& fit) {
    Assigned assigned;
    fit.error = assign<channels, 1>(group_, line_of(fit), format_.index_bits, assigned);
    if (fit.error >= best_.error) return false;
    best_ = fit;
    best_assigned_ = assigned;
    return true;
  }

  const Group& group_;
  const PairFormat& format_;
  const Grid grid_;
  const Vector<channels> sums_;
  Assigned best_assigned_;
  PairFit best_;
};

}  // namespace

PairFit fit_pair(const Group& group, const PairFormat& format, Effort effort) {
  switch (group.channel_count) {
    case 1: return Fitter<1>(group, format).fit(effort);
    case 2: return Fitter<2>(group, format).fit(effort);
    case 3: return Fitter<3>(group, format).fit(effort);
    default: return Fitter<4>(group, format).fit(effort);
  }
}

}  // namespace gpupost::bc7
