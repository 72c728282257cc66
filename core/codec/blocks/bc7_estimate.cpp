#include "core/codec/blocks/bc7_estimate.h"

#include "core/codec/blocks/partitions.h"
#include "core/codec/blocks/reciprocal.h"

#include <initializer_list>
#include <utility>

namespace gpupost::bc7 {
namespace {

using Masks = std::array<uint16_t, 64>;  // by partition, bit i: whether texel i is in the pair

// Masks of the second or third of three pairs.
Masks masks_of_three(int pair) {
  Masks masks{};
  for (size_t partition = 0; partition < 64; ++partition)
    for (int texel = 0; texel < 16; ++texel)
      masks[partition] |= uint16_t((pairs_of_three[partition] >> (2 * texel + pair - 1) & 1) << texel);
  return masks;
}

const Masks second_of_three = masks_of_three(1), third_of_three = masks_of_three(2);

// Sums over texels: of each channel, of the products of two channels in the order of `for a, for b >= a`, and of 1.
constexpr size_t moment_count(size_t channels) { return channels + channels * (channels + 1) / 2 + 1; }
constexpr size_t product_at(size_t channels, size_t a, size_t b) {
  return a > b ? product_at(channels, b, a) : channels + a * channels - a * (a + 1) / 2 + b;
}

// Moments of one set of texels, padded.
template <size_t channels>
using Moments = std::array<Four, (moment_count(channels) + 3) / 4>;

// Moments of the texels that a pair has in four partitions.
template <size_t channels>
using PairMoments = std::array<Four, moment_count(channels)>;

// Moments of all subsets of the texels of each row.
template <size_t channels>
using RowMoments = std::array<std::array<Moments<channels>, 16>, 4>;

template <size_t channels>
Moments<channels> moments_of_texel(const Group& all, const std::array<float, channels>& center, size_t texel) {
  std::array<float, channels> value;
  for (size_t c = 0; c < channels; ++c) value[c] = all.values[c][texel / 4][texel % 4] - center[c];
  Moments<channels> moments{};
  constexpr size_t count_at = moment_count(channels) - 1;
  moments[count_at / 4][count_at % 4] = 1;
  for (size_t a = 0; a < channels; ++a) {
    moments[a / 4][a % 4] = value[a];
    for (size_t b = a; b < channels; ++b) {
      const size_t at = product_at(channels, a, b);
      moments[at / 4][at % 4] = value[a] * value[b];
    }
  }
  return moments;
}

template <size_t channels>
RowMoments<channels> row_moments(const Group& all) {
  std::array<float, channels> center{};
  for (size_t c = 0; c < channels; ++c) {
    for (const Four& values : all.values[c]) center[c] += (values[0] + values[1]) + (values[2] + values[3]);
    center[c] = float(int(center[c] / 16));  // an integer, so that the sums are exact
  }
  RowMoments<channels> rows{};
  for (size_t texel = 0; texel < 16; ++texel) {
    const Moments<channels> own = moments_of_texel<channels>(all, center, texel);
    auto& row = rows[texel / 4];
    const size_t bit = size_t(1) << texel % 4;
    for (size_t mask = 0; mask < bit; ++mask)
      for (size_t at = 0; at < own.size(); ++at) row[mask + bit][at] = row[mask][at] + own[at];
  }
  return rows;
}

template <size_t channels>
Moments<channels> moments_of(const RowMoments<channels>& rows, uint16_t mask) {
  Moments<channels> sum;
  for (size_t at = 0; at < sum.size(); ++at)
    sum[at] = (rows[0][mask & 15][at] + rows[1][mask >> 4 & 15][at]) +
              (rows[2][mask >> 8 & 15][at] + rows[3][mask >> 12][at]);
  return sum;
}

// The moments of both pairs of texels, for the four partitions from `first` on.
template <size_t channels>
PairMoments<channels> pair_moments(const RowMoments<channels>& rows, const Masks& masks, size_t first) {
  std::array<Moments<channels>, 4> own;
  PairMoments<channels> result;
  for (size_t lane = 0; lane < 4; ++lane) own[lane] = moments_of<channels>(rows, masks[first + lane]);
  for (size_t at = 0; at < moment_count(channels); ++at) {
    const size_t four = at / 4, part = at % 4;
    result[at] = Four{own[0][four][part], own[1][four][part], own[2][four][part], own[3][four][part]};
  }
  return result;
}

template <size_t channels>
using FourMatrices = std::array<std::array<Four, channels>, channels>;

// Both matrices are symmetric and commute, so that the product is symmetric too.
template <size_t channels>
FourMatrices<channels> product(const FourMatrices<channels>& left, const FourMatrices<channels>& right) {
  FourMatrices<channels> result;
  for (size_t a = 0; a < channels; ++a)
    for (size_t b = a; b < channels; ++b) {
      Four sum = left[a][0] * right[0][b];
      for (size_t c = 1; c < channels; ++c) sum += left[a][c] * right[c][b];
      result[a][b] = result[b][a] = sum;
    }
  return result;
}

template <size_t channels>
Four trace_of_product(const FourMatrices<channels>& left, const FourMatrices<channels>& right) {
  Four on = left[0][0] * right[0][0], off{};
  for (size_t a = 0; a < channels; ++a) {
    if (a > 0) on += left[a][a] * right[a][a];
    for (size_t b = a + 1; b < channels; ++b) off += left[a][b] * right[a][b];
  }
  return on + off + off;
}

// reciprocal() of each.
Four reciprocals(const Four& values) {
  using FourInts = int __attribute__((vector_size(16)));
  Four result = reinterpret_cast<Four>(int(reciprocal_guess) - reinterpret_cast<FourInts>(values));
  for (int step = 0; step < reciprocal_steps; ++step) result = result * (2 - values * result);
  return result;
}

// The largest eigenvalue of the covariance is near the quotient of the traces of its fifth and fourth power. The matrix is the covariance
// times the square of the number of texels: exact integers.
template <size_t channels>
void add_errors(const PairMoments<channels>& moments, Four& off, Four& along) {
  const Four count = moments[moment_count(channels) - 1], share = reciprocals(count);
  FourMatrices<channels> matrix;
  Four trace{};
  for (size_t a = 0; a < channels; ++a) {
    for (size_t b = a; b < channels; ++b)
      matrix[a][b] = matrix[b][a] = count * moments[product_at(channels, a, b)] - moments[a] * moments[b];
    trace += matrix[a][a];
  }
  const FourMatrices<channels> square = product<channels>(matrix, matrix), cube = product<channels>(square, matrix);
  const Four eigenvalue =
      trace_of_product<channels>(square, cube) * reciprocals(trace_of_product<channels>(square, square) + 1e-20f);
  off += (trace - eigenvalue) * share;
  along += eigenvalue * share;
}

template <size_t channels>
LineErrors errors_of_partitions(const RowMoments<channels>& rows, std::initializer_list<const Masks*> pairs) {
  const Moments<channels> whole = moments_of<channels>(rows, 0xffff);
  LineErrors errors;
  for (size_t partition = 0; partition < 64; partition += 4) {
    PairMoments<channels> rest;  // of the first pair, once the others are subtracted
    for (size_t at = 0; at < rest.size(); ++at) rest[at] = Four{} + whole[at / 4][at % 4];
    Four off{}, along{};
    for (const Masks* masks : pairs) {
      const PairMoments<channels> own = pair_moments<channels>(rows, *masks, partition);
      add_errors<channels>(own, off, along);
      for (size_t at = 0; at < rest.size(); ++at) rest[at] -= own[at];
    }
    add_errors<channels>(rest, off, along);
    for (size_t lane = 0; lane < 4; ++lane) {
      errors.off[partition + lane] = off[lane];
      errors.along[partition + lane] = along[lane];
    }
  }
  return errors;
}

// A fourth channel that is not there is constant.
template <size_t channels>
RotationErrors errors_of_rotations(const RowMoments<channels>& rows) {
  const Moments<channels> whole = moments_of<channels>(rows, 0xffff);
  const auto moment = [&](size_t at) { return whole[at / 4][at % 4]; };
  std::array<float, 4> sums{};
  std::array<std::array<float, 4>, 4> products{};
  for (size_t a = 0; a < channels; ++a) {
    sums[a] = moment(a);
    for (size_t b = 0; b < channels; ++b) products[a][b] = moment(product_at(channels, a, b));
  }
  RotationErrors errors;
  PairMoments<3> color;  // lanes are rotations
  color.back() = Four{} + 16;
  for (size_t rotation = 0; rotation < 4; ++rotation) {
    std::array<size_t, 4> order{0, 1, 2, 3};
    if (rotation > 0) std::swap(order[rotation - 1], order[3]);
    for (size_t a = 0; a < 3; ++a) {
      color[a][rotation] = sums[order[a]];
      for (size_t b = a; b < 3; ++b) color[product_at(3, a, b)][rotation] = products[order[a]][order[b]];
    }
    const size_t single = order[3];
    errors.single[rotation] = products[single][single] - sums[single] * sums[single] / 16;
  }
  Four off{}, along{};
  add_errors<3>(color, off, along);
  for (size_t rotation = 0; rotation < 4; ++rotation) {
    errors.off[rotation] = off[rotation];
    errors.along[rotation] = along[rotation];
  }
  return errors;
}

}  // namespace

Estimates estimate(const Group& all) {
  Estimates estimates;
  if (all.channel_count == 4) {
    const RowMoments<4> rows = row_moments<4>(all);
    estimates.rotations = errors_of_rotations<4>(rows);
    estimates.two_pairs = errors_of_partitions<4>(rows, {&pairs_of_two});
  } else {
    const RowMoments<3> rows = row_moments<3>(all);
    estimates.rotations = errors_of_rotations<3>(rows);
    estimates.two_pairs = errors_of_partitions<3>(rows, {&pairs_of_two});
    estimates.three_pairs = errors_of_partitions<3>(rows, {&second_of_three, &third_of_three});
  }
  return estimates;
}

}  // namespace gpupost::bc7
