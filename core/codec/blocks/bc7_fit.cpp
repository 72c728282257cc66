#include "core/codec/blocks/bc7_fit.h"

#include <algorithm>
#include <cmath>

namespace gpupost::bc7 {
namespace {

// Sums of integers below 2^24 are exact in float in any order, so that vectors may add them.
using Partial = std::array<float, 4>;
float total(const Partial& partial) { return (partial[0] + partial[1]) + (partial[2] + partial[3]); }

template <size_t channels>
struct Line {
  std::array<float, channels> first, second;
};

// What the choice of indices leads to.
struct Assigned {
  alignas(16) Lanes indices, weights;  // weights of the second endpoint in 64ths
};

template <size_t channels>
using Sums = std::array<float, channels>;

template <size_t channels>
Sums<channels> sums_of(const Group& group) {
  Sums<channels> sums;
  for (size_t c = 0; c < channels; ++c) {
    Partial partial{};
    for (int at = 0; at < group.padded_count; at += 4)
      for (int lane = 0; lane < 4; ++lane) partial[lane] += group.values[c][at + lane] * group.is_used[at + lane];
    sums[c] = total(partial);
  }
  return sums;
}

// The direction in which the texels differ most: powers of their covariance.
template <size_t channels>
Sums<channels> principal_axis(const Group& group, const Sums<channels>& mean) {
  std::array<std::array<float, channels>, channels> covariance;
  for (size_t a = 0; a < channels; ++a)
    for (size_t b = a; b < channels; ++b) {
      Partial partial{};
      for (int at = 0; at < group.padded_count; at += 4)
        for (int lane = 0; lane < 4; ++lane)
          partial[lane] += (group.values[a][at + lane] - mean[a]) * (group.values[b][at + lane] - mean[b]) *
                           group.is_used[at + lane];
      covariance[a][b] = covariance[b][a] = total(partial);
    }
  size_t widest = 0;
  for (size_t c = 1; c < channels; ++c)
    if (covariance[c][c] > covariance[widest][widest]) widest = c;
  Sums<channels> axis = covariance[widest];
  for (int power = 0; power < 4; ++power) {
    Sums<channels> next{};
    float largest = 0;
    for (size_t a = 0; a < channels; ++a) {
      for (size_t b = 0; b < channels; ++b) next[a] += covariance[a][b] * axis[b];
      largest = std::max(largest, std::abs(next[a]));
    }
    if (!(largest > 0)) return axis;
    for (size_t c = 0; c < channels; ++c) axis[c] = next[c] / largest;
  }
  return axis;
}

template <size_t channels>
Line<channels> first_line(const Group& group, const Sums<channels>& sums) {
  Sums<channels> mean;
  for (size_t c = 0; c < channels; ++c) mean[c] = sums[c] / float(group.texel_count);
  const Sums<channels> axis = principal_axis<channels>(group, mean);
  float length = 0, least = 0, most = 0;
  for (size_t c = 0; c < channels; ++c) length += axis[c] * axis[c];
  if (length > 0) {
    for (int at = 0; at < group.texel_count; ++at) {
      float along = 0;
      for (size_t c = 0; c < channels; ++c) along += (group.values[c][at] - mean[c]) * axis[c];
      least = std::min(least, along);
      most = std::max(most, along);
    }
    least /= length;
    most /= length;
  }
  Line<channels> line;
  for (size_t c = 0; c < channels; ++c) {
    line.first[c] = mean[c] + least * axis[c];
    line.second[c] = mean[c] + most * axis[c];
  }
  return line;
}

// The indices whose colors are next to the texels' projections on the line.
template <size_t channels>
void assign(const Group& group, const Line<channels>& line, int index_bits, Assigned& assigned) {
  const float last = float((1 << index_bits) - 1), weight_step = 64 / last;
  Sums<channels> axis;
  float length = 0, offset = 0.5f;
  for (size_t c = 0; c < channels; ++c) {
    axis[c] = line.second[c] - line.first[c];
    length += axis[c] * axis[c];
  }
  const float scale = length > 0 ? last / length : 0;
  for (size_t c = 0; c < channels; ++c) {
    axis[c] *= scale;
    offset -= line.first[c] * axis[c];
  }
  if (!(length > 0))
    offset = float(1 << (index_bits - 2)) + 0.5f;  // a weight between, for finer steps in the next round
  for (int at = 0; at < group.padded_count; at += 4)
    for (int lane = 0; lane < 4; ++lane) {
      float index = offset;
      for (size_t c = 0; c < channels; ++c) index += group.values[c][at + lane] * axis[c];
      index = index > 0 ? index : 0;
      index = index < last ? index : last;
      index = float(int(index));
      assigned.indices[at + lane] = index;
      assigned.weights[at + lane] = float(int(index * weight_step + 0.5f));
    }
}

// The error of the decoded integers.
template <size_t channels>
float error_of(const Group& group, const Line<channels>& line, const Assigned& assigned) {
  Sums<channels> slope;
  for (size_t c = 0; c < channels; ++c) slope[c] = (line.second[c] - line.first[c]) / 64;
  Partial partial{};
  for (int at = 0; at < group.padded_count; at += 4)
    for (int lane = 0; lane < 4; ++lane) {
      float error = 0;
      for (size_t c = 0; c < channels; ++c) {
        const int decoded = int((line.first[c] + 0.5f) + assigned.weights[at + lane] * slope[c]);
        const float difference = group.values[c][at + lane] - float(decoded);
        error += difference * difference;
      }
      partial[lane] += error * group.is_used[at + lane];
    }
  return total(partial);
}

// The squared error near its least value, as a function of how far the endpoints of a channel are from the best ones.
struct Bowl {
  float first, both, second;
};

// The best endpoints for the weights that are assigned, by least squares.
template <size_t channels>
Line<channels> solve(const Group& group, const Sums<channels>& sums, const Assigned& assigned, Bowl& bowl) {
  Partial weight_sums{}, square_sums{};
  std::array<Partial, channels> product_sums{};
  for (int at = 0; at < group.padded_count; at += 4)
    for (int lane = 0; lane < 4; ++lane) {
      const float weight = assigned.weights[at + lane] * group.is_used[at + lane];
      weight_sums[lane] += weight;
      square_sums[lane] += weight * weight;
      for (size_t c = 0; c < channels; ++c) product_sums[c][lane] += weight * group.values[c][at + lane];
    }
  const float count = float(group.texel_count), weights = total(weight_sums), squares = total(square_sums);
  bowl.second = squares / 4096;
  bowl.both = weights / 64 - bowl.second;
  bowl.first = count - 2 * (weights / 64) + bowl.second;
  const float determinant = count * squares - weights * weights;  // an exact integer
  Line<channels> line;
  for (size_t c = 0; c < channels; ++c) {
    const float slope = determinant > 0 ? (count * total(product_sums[c]) - weights * sums[c]) / determinant : 0;
    line.first[c] = (sums[c] - slope * weights) / count;
    line.second[c] = line.first[c] + 64 * slope;
  }
  return line;
}

// Endpoints as stored, for the four pairs of p bits: the bits of k are those of the first and of the second endpoint.
template <size_t channels>
struct Quantized {
  std::array<std::array<float, 4>, channels> first, second;  // as stored, without p bits
  std::array<float, 4> error{};                              // beyond that of the unquantized endpoints
};

// Values that a channel of an endpoint can have.
struct Grid {
  float scale, step, last;
  int up, down;

  explicit Grid(const PairFormat& format) {
    const int p_bit = format.p_bits != PBits::none, bits = format.bits + p_bit;
    step = float(1 + p_bit);
    scale = float((1 << bits) - 1) / 255 / step;
    last = float((1 << format.bits) - 1);
    up = 8 - bits;
    down = 2 * bits - 8;
  }
  // The stored value at or below `value`.
  float stored(float value, float p_bit) const {
    float stored = value * scale - p_bit / step;
    stored = stored > 0 ? stored : 0;
    stored = stored < last ? stored : last;
    return float(int(stored));
  }
  float decoded(float stored, float p_bit) const {
    const int value = int(stored * step + p_bit);
    return float((value << up) | (value >> down));
  }
};

constexpr std::array<float, 4> first_p_bits{0, 1, 0, 1}, second_p_bits{0, 0, 1, 1};

template <size_t channels>
void quantize(const Line<channels>& line, const Bowl& bowl, const Grid& grid, Quantized<channels>& result) {
  const float shift = bowl.second > 0 ? bowl.both / bowl.second : 0, half = 0.5f / grid.scale;
  for (size_t c = 0; c < channels; ++c) {
    std::array<float, 4> least;
    for (int upper = 0; upper < 2; ++upper)
      for (int k = 0; k < 4; ++k) {
        float first = grid.stored(line.first[c], first_p_bits[k]) + float(upper);
        first = first < grid.last ? first : grid.last;
        const float off_first = grid.decoded(first, first_p_bits[k]) - line.first[c];
        const float second = grid.stored(line.second[c] - shift * off_first + half, second_p_bits[k]);
        const float off_second = grid.decoded(second, second_p_bits[k]) - line.second[c];
        const float error = bowl.first * off_first * off_first + 2 * bowl.both * off_first * off_second +
                            bowl.second * off_second * off_second;
        const bool is_better = upper == 0 || error < least[k];
        least[k] = is_better ? error : least[k];
        result.first[c][k] = is_better ? first : result.first[c][k];
        result.second[c][k] = is_better ? second : result.second[c][k];
      }
    for (int k = 0; k < 4; ++k) result.error[k] += least[k];
  }
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

  PairFit fit(int rounds) {
    assign(group_, first_line<channels>(group_, sums_), format_.index_bits, assigned_);
    for (int round = 0; round < rounds; ++round)
      if (!improve() || best_.error == 0) break;
    return best_;
  }

 private:
  // Fits endpoints to the indices and then indices to the endpoints. False if that has not made it better.
  bool improve() {
    Bowl bowl;
    const Line<channels> line = solve<channels>(group_, sums_, assigned_, bowl);
    Quantized<channels> quantized;
    quantize<channels>(line, bowl, grid_, quantized);
    int best = -1;
    for (int k = 0; k < 4; ++k)
      if (is_allowed(format_, k) && (best < 0 || quantized.error[k] < quantized.error[best])) best = k;
    return take(quantized, best);
  }

  bool take(const Quantized<channels>& quantized, int k) {
    Line<channels> line;
    for (size_t c = 0; c < channels; ++c) {
      line.first[c] = grid_.decoded(quantized.first[c][k], first_p_bits[k]);
      line.second[c] = grid_.decoded(quantized.second[c][k], second_p_bits[k]);
    }
    assign(group_, line, format_.index_bits, assigned_);
    const float error = error_of(group_, line, assigned_);
    if (has_best_ && error >= best_.error) return false;
    has_best_ = true;
    best_.error = error;
    best_.p_bits = {k & 1, k >> 1};
    for (size_t c = 0; c < channels; ++c) {
      best_.endpoints[0][c] = int(quantized.first[c][k]);
      best_.endpoints[1][c] = int(quantized.second[c][k]);
    }
    for (int at = 0; at < 16; ++at) best_.indices[at] = uint8_t(assigned_.indices[at]);
    return true;
  }

  const Group& group_;
  const PairFormat& format_;
  const Grid grid_;
  const Sums<channels> sums_;
  Assigned assigned_{};
  PairFit best_;
  bool has_best_ = false;
};

}  // namespace

PairFit fit_pair(const Group& group, const PairFormat& format, int rounds) {
  switch (group.channel_count) {
    case 1: return Fitter<1>(group, format).fit(rounds);
    case 2: return Fitter<2>(group, format).fit(rounds);
    case 3: return Fitter<3>(group, format).fit(rounds);
    default: return Fitter<4>(group, format).fit(rounds);
  }
}

}  // namespace gpupost::bc7
