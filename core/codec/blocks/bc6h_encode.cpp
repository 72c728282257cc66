// The encoder of BC6H. It fits lines to the texels of a block, in the space in which the format interpolates, and keeps
// the encoding with the least squared error of the decoded halves, taken as integers.
#include "core/codec/blocks/bc6h.h"
#include "core/codec/blocks/bc6h_limits.h"
#include "core/codec/blocks/bc6h_modes.h"
#include "core/codec/blocks/bc6h_residuals.h"
#include "core/codec/blocks/partitions.h"
#include "core/codec/blocks/reciprocal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace gpupost {
namespace bc6h {
namespace {

constexpr float largest_end = 65535;
constexpr float infinite = std::numeric_limits<float>::max();

using Color = std::array<float, 3>;
using Ends = std::array<Color, 4>;  // as they are interpolated
using EndBits = std::array<std::array<int, 3>, 4>;
using Indices = std::array<uint8_t, 16>;

struct alignas(16) BlockTexels {
  std::array<Lanes, 3> halves;  // the bits as integers
  // The interpolated numbers that decode to these halves, in the middle of their interval.
  std::array<Lanes, 3> targets;
};

// Which texels belong to each pair of endpoints.
struct alignas(16) Shape {
  Lanes is_second{};  // 1 for the texels of the second pair
  uint32_t partition = 0;
  int pair_count = 1;
  std::array<size_t, 2> anchors{};  // of the pairs

  size_t end_count() const { return 2 * size_t(pair_count); }
};

struct Encoding {
  float error = infinite;
  const Mode* mode = nullptr;
  uint32_t partition = 0;
  EndBits ends{};
  Indices indices{};
};

// Sums over the texels of a pair: products of the weights of its two ends.
struct Sums {
  float first_first = 1, first_second = 0, second_second = 1;
};

float sum_of_products(const Lanes& a, const Lanes& b) {
  Lanes products;
  for (size_t i = 0; i < 16; ++i) products[i] = a[i] * b[i];
  return sum(products);
}

uint16_t representable(uint16_t half) {
  if (half > 0x7c00) return 0;
  return std::min<uint16_t>(half, 0x7bff);
}

BlockTexels block_texels(const HalfTexels& texels) {
  BlockTexels result;
  for (size_t texel = 0; texel < 16; ++texel)
    for (size_t c = 0; c < 3; ++c) {
      const int half = representable(texels[texel][c]);
      result.halves[c][texel] = float(half);
      result.targets[c][texel] = float(std::min((half * 64 + 32) / 31, 0xffff));
    }
  return result;
}

Shape shape_of(uint32_t partition) {
  Shape shape{.partition = partition, .pair_count = 2, .anchors = {0, anchors_of_two[partition]}};
  for (size_t texel = 0; texel < 16; ++texel)
    shape.is_second[texel] = pairs_of_two[partition] & 1u << texel ? 1.0f : 0.0f;
  return shape;
}

// Returns the direction in which the colors differ most, of about length 1, or 0 if they are all the same.
Color axis_of(const std::array<Lanes, 3>& offsets) {
  std::array<Color, 3> covariance;
  for (size_t c = 0; c < 3; ++c)
    for (size_t d = c; d < 3; ++d) covariance[c][d] = covariance[d][c] = sum_of_products(offsets[c], offsets[d]);
  size_t widest = 0;
  for (size_t c = 1; c < 3; ++c)
    if (covariance[c][c] > covariance[widest][widest]) widest = c;
  Color axis = covariance[widest];
  for (int round = 0; round < 4; ++round) {
    const float size = std::abs(axis[0]) + std::abs(axis[1]) + std::abs(axis[2]);
    if (size == 0) return {};
    const float scale = reciprocal(size);
    const Color unit{axis[0] * scale, axis[1] * scale, axis[2] * scale};
    for (size_t c = 0; c < 3; ++c)
      axis[c] = covariance[c][0] * unit[0] + covariance[c][1] * unit[1] + covariance[c][2] * unit[2];
  }
  const float size = std::abs(axis[0]) + std::abs(axis[1]) + std::abs(axis[2]);
  if (size == 0) return {};
  const float scale = reciprocal(size);
  for (float& value : axis) value *= scale;
  return axis;
}

// Finds the ends of the line nearest to the texels of weight 1; others have weight 0. The anchor is nearer to the first
// end.
void fit_line(const BlockTexels& texels, const Lanes& weights, size_t anchor, Color& first, Color& second) {
  const float share = reciprocals_of_counts[size_t(sum(weights))];
  Color mean;
  alignas(16) std::array<Lanes, 3> offsets;
  for (size_t c = 0; c < 3; ++c) {
    mean[c] = sum_of_products(texels.targets[c], weights) * share;
    for (size_t i = 0; i < 16; ++i) offsets[c][i] = (texels.targets[c][i] - mean[c]) * weights[i];
  }
  const Color axis = axis_of(offsets);
  float low = 0, high = 0;  // the mean is between the ends
  alignas(16) Lanes along;
  for (size_t i = 0; i < 16; ++i)
    along[i] = axis[0] * offsets[0][i] + axis[1] * offsets[1][i] + axis[2] * offsets[2][i];
  for (const float value : along) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (along[anchor] > (low + high) / 2) std::swap(low, high);
  const float size = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  const float scale = size > 0 ? reciprocal(size) : 0;
  low *= scale;
  high *= scale;
  for (size_t c = 0; c < 3; ++c) {
    first[c] = std::clamp(mean[c] + axis[c] * low, 0.0f, largest_end);
    second[c] = std::clamp(mean[c] + axis[c] * high, 0.0f, largest_end);
  }
}

Ends fit_lines(const BlockTexels& texels, const Shape& shape) {
  Ends ends{};
  alignas(16) Lanes is_first;
  for (size_t i = 0; i < 16; ++i) is_first[i] = 1 - shape.is_second[i];
  fit_line(texels, is_first, shape.anchors[0], ends[0], ends[1]);
  if (shape.pair_count == 2) fit_line(texels, shape.is_second, shape.anchors[1], ends[2], ends[3]);
  return ends;
}

int quantize(float value, int bits) {
  if (bits == 16) return int(value);
  const float scaled = value * (1.0f / 65536) * float(1 << bits);
  const int last = (1 << bits) - 1;
  // The first and the last step decode to 0 and the largest number, all others to their middle.
  if (scaled < 0.75f) return 0;
  if (scaled > float(last) + 0.25f) return last;
  return std::clamp(int(scaled), 1, last - 1);
}

struct Range {
  int lowest, highest;
};

// The range of an endpoint after the first.
Range range_beside(int first, const Mode& mode, size_t c) {
  const int last = (1 << mode.endpoint_bits) - 1;
  if (!mode.has_deltas) return {0, last};
  const int half = 1 << (mode.delta_bits[c] - 1);
  return {std::max(first - half, 0), std::min(first + half - 1, last)};
}

bool fits(const Ends& ends, size_t end_count, const Mode& mode) {
  for (size_t c = 0; c < 3; ++c) {
    const Range range = range_beside(quantize(ends[0][c], mode.endpoint_bits), mode, c);
    for (size_t end = 1; end < end_count; ++end) {
      const int value = quantize(ends[end][c], mode.endpoint_bits);
      if (value < range.lowest || value > range.highest) return false;
    }
  }
  return true;
}

const Mode& finest_mode(const Ends& ends, const Shape& shape) {
  std::span<const size_t> rows = modes_of_one_pair;
  if (shape.pair_count == 2) rows = modes_of_two_pairs;
  for (const size_t row : rows)
    if (fits(ends, shape.end_count(), modes[row])) return modes[row];
  return modes[rows.back()];
}

struct alignas(16) Palette {
  std::array<Lanes, 3> halves;
};

template <size_t count>
void fill_palette(const std::array<int, 3>& first, const std::array<int, 3>& second, int bits,
                  const std::array<int, count>& weights, Palette& palette) {
  for (size_t c = 0; c < 3; ++c) {
    const float start = float(unquantize(first[c], bits)), step = float(unquantize(second[c], bits)) - start;
    for (size_t i = 0; i < count; ++i) {
      const int interpolated = int((start * 64 + step * float(weights[i]) + 32) * (1.0f / 64));
      palette.halves[c][i] = float(int(float(interpolated) * 31 * (1.0f / 64)));
    }
  }
}

// An error with an index in its lowest bits. Floats from 0 on sort as their bits do.
constexpr int index_mask = 15;
using Keys = std::array<int, 16>;

int key_of(float error, int index) { return (std::bit_cast<int>(error) & ~index_mask) | index; }

void choose_of_one(const BlockTexels& texels, const Palette& palette, Keys& keys) {
  for (int index = 0; index < 16; ++index) {
    const float r = palette.halves[0][size_t(index)], g = palette.halves[1][size_t(index)],
                b = palette.halves[2][size_t(index)];
    for (size_t i = 0; i < 16; ++i) {
      const float dr = texels.halves[0][i] - r, dg = texels.halves[1][i] - g, db = texels.halves[2][i] - b;
      keys[i] = std::min(keys[i], key_of(dr * dr + dg * dg + db * db, index));
    }
  }
}

void choose_of_two(const BlockTexels& texels, const std::array<Palette, 2>& palettes, const Lanes& is_second,
                   Keys& keys) {
  for (int index = 0; index < 8; ++index) {
    Color first, step;
    for (size_t c = 0; c < 3; ++c) {
      first[c] = palettes[0].halves[c][size_t(index)];
      step[c] = palettes[1].halves[c][size_t(index)] - first[c];
    }
    for (size_t i = 0; i < 16; ++i) {
      const float dr = texels.halves[0][i] - first[0] - step[0] * is_second[i],
                  dg = texels.halves[1][i] - first[1] - step[1] * is_second[i],
                  db = texels.halves[2][i] - first[2] - step[2] * is_second[i];
      keys[i] = std::min(keys[i], key_of(dr * dr + dg * dg + db * db, index));
    }
  }
}

// Restricts the index of an anchor to less than `count`: its highest bit is not in the block.
void choose_anchor(const BlockTexels& texels, const Palette& palette, int count, size_t anchor, Keys& keys) {
  if ((keys[anchor] & index_mask) < count) return;
  keys[anchor] = std::numeric_limits<int>::max();
  for (int index = 0; index < count; ++index) {
    float error = 0;
    for (size_t c = 0; c < 3; ++c) {
      const float difference = texels.halves[c][anchor] - palette.halves[c][size_t(index)];
      error += difference * difference;
    }
    keys[anchor] = std::min(keys[anchor], key_of(error, index));
  }
}

void choose_indices(const BlockTexels& texels, const Shape& shape, Encoding& encoding) {
  std::array<Palette, 2> palettes;
  alignas(16) Keys keys;
  keys.fill(std::numeric_limits<int>::max());
  const EndBits& ends = encoding.ends;
  const int bits = encoding.mode->endpoint_bits;
  if (shape.pair_count == 1) {
    fill_palette(ends[0], ends[1], bits, weights_of_16, palettes[0]);
    choose_of_one(texels, palettes[0], keys);
  } else {
    fill_palette(ends[0], ends[1], bits, weights_of_8, palettes[0]);
    fill_palette(ends[2], ends[3], bits, weights_of_8, palettes[1]);
    choose_of_two(texels, palettes, shape.is_second, keys);
    choose_anchor(texels, palettes[1], 4, shape.anchors[1], keys);
  }
  choose_anchor(texels, palettes[0], 16 / 2 / shape.pair_count, 0, keys);
  alignas(16) Lanes errors;
  for (size_t i = 0; i < 16; ++i) {
    encoding.indices[i] = uint8_t(keys[i] & index_mask);
    errors[i] = std::bit_cast<float>(keys[i] & ~index_mask);
  }
  encoding.error = sum(errors);
}

// Finds the ends of a pair with the least squared error, by the weights of the second end, and the sums of the pair. `is_in_pair` is 1
// for the texels of the pair, and weights of others are 0. Leaves the ends unchanged if all texels have the same weights. Sums of
// integers are exact.
void solve(const BlockTexels& texels, const Lanes& is_in_pair, const Lanes& weights, Sums& sums, Color& first,
           Color& second) {
  const float count = sum(is_in_pair), total = sum(weights), squares = sum_of_products(weights, weights);
  sums = {.first_first = 4096 * count - 128 * total + squares,
          .first_second = 64 * total - squares,
          .second_second = squares};
  const float determinant = count * squares - total * total;
  if (determinant < 1) return;
  const float inverse = reciprocal(determinant), share = reciprocals_of_counts[size_t(count)];
  for (size_t c = 0; c < 3; ++c) {
    const float target = sum_of_products(texels.targets[c], is_in_pair), center = float(int(target * share));
    alignas(16) Lanes off;
    for (size_t i = 0; i < 16; ++i) off[i] = texels.targets[c][i] - center;
    const float sum_off = target - count * center;
    const float slope = (count * sum_of_products(weights, off) - total * sum_off) * inverse;
    const float start = (sum_off - slope * total) * share + center;
    first[c] = std::clamp(start, 0.0f, largest_end);
    second[c] = std::clamp(start + 64 * slope, 0.0f, largest_end);
  }
}

// Finds the ends for the indices of an encoding.
void solve_pairs(const BlockTexels& texels, const Shape& shape, const Indices& indices, Ends& ends,
                 std::array<Sums, 2>& sums) {
  alignas(16) Lanes all_weights;
  for (size_t i = 0; i < 16; ++i)
    all_weights[i] = float(shape.pair_count == 1 ? weights_of_16[indices[i]] : weights_of_8[indices[i]]);
  for (int pair = 0; pair < shape.pair_count; ++pair) {
    alignas(16) Lanes is_in_pair, weights;
    for (size_t i = 0; i < 16; ++i) is_in_pair[i] = pair == 1 ? shape.is_second[i] : 1 - shape.is_second[i];
    for (size_t i = 0; i < 16; ++i) weights[i] = all_weights[i] * is_in_pair[i];
    const size_t first = 2 * size_t(pair);
    solve(texels, is_in_pair, weights, sums[size_t(pair)], ends[first], ends[first + 1]);
  }
}

// Returns the two quantized numbers around `value`, clamped to the range.
std::array<int, 2> neighbors(float value, int bits, Range range) {
  const int nearest = std::clamp(quantize(value, bits), range.lowest, range.highest);
  const int other = nearest + (float(unquantize(nearest, bits)) < value ? 1 : -1);
  return {nearest, std::clamp(other, range.lowest, range.highest)};
}

// Quantizes two ends together for the least squared error with the same indices. `second_range` returns the range of
// the second end for a first end.
void quantize_pair(const Sums& sums, float first, float second, int bits, Range first_range, const auto& second_range,
                   int& first_bits, int& second_bits) {
  float least = infinite;
  for (const int a : neighbors(first, bits, first_range)) {
    const float da = float(unquantize(a, bits)) - first;
    for (const int b : neighbors(second, bits, second_range(a))) {
      const float db = float(unquantize(b, bits)) - second;
      const float error = sums.first_first * da * da + 2 * sums.first_second * da * db + sums.second_second * db * db;
      if (error >= least) continue;
      least = error;
      first_bits = a;
      second_bits = b;
    }
  }
}

EndBits quantize_ends(const Ends& ends, const std::array<Sums, 2>& sums, const Mode& mode) {
  EndBits result{};
  const int bits = mode.endpoint_bits;
  for (size_t c = 0; c < 3; ++c) {
    const auto beside = [&](int first) { return range_beside(first, mode, c); };
    quantize_pair(sums[0], ends[0][c], ends[1][c], bits, {0, (1 << bits) - 1}, beside, result[0][c], result[1][c]);
    if (mode.pair_count == 1) continue;
    const Range range = beside(result[0][c]);
    const auto same_range = [&](int) { return range; };
    quantize_pair(sums[1], ends[2][c], ends[3][c], bits, range, same_range, result[2][c], result[3][c]);
  }
  return result;
}

void try_shape(const BlockTexels& texels, const Shape& shape, Encoding& best) {
  Ends ends = fit_lines(texels, shape);
  std::array<Sums, 2> sums;
  Encoding encoding{.partition = shape.partition};
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) solve_pairs(texels, shape, encoding.indices, ends, sums);
    encoding.mode = &finest_mode(ends, shape);
    encoding.ends = quantize_ends(ends, sums, *encoding.mode);
    choose_indices(texels, shape, encoding);
    if (encoding.error > largest_error_ratio * best.error) return;
    if (encoding.error < best.error) best = encoding;
    if (encoding.error == 0) return;
  }
}

void write(const Encoding& encoding, std::byte* bytes) {
  const Mode& mode = *encoding.mode;
  Fields fields{};
  fields[partition_field] = encoding.partition;
  for (size_t i = 0; i < 6 * size_t(mode.pair_count); ++i) {
    const int value = encoding.ends[i / 3][i % 3];
    fields[i] = uint32_t(mode.has_deltas && i >= 3 ? value - encoding.ends[0][i % 3] : value);
  }
  Block block{};
  put_fields(fields, mode, block);
  const size_t second_anchor = mode.pair_count == 2 ? anchors_of_two[encoding.partition] : 0;
  size_t position = size_t(mode.index_start());
  for (size_t texel = 0; texel < 16; ++texel) {
    const bool is_anchor = texel == 0 || texel == second_anchor;
    for (int bit = 0; bit < mode.index_bits() - is_anchor; ++bit, ++position)
      block[position / 64] |= uint64_t(encoding.indices[texel] >> bit & 1) << position % 64;
  }
  for (size_t i = 0; i < 16; ++i) bytes[i] = std::byte(block[i / 8] >> 8 * (i % 8));
}

void encode(const BlockTexels& texels, std::byte* block) {
  Encoding best;
  try_shape(texels, {}, best);
  PartitionLanes residuals{};
  if (best.error > 0) residuals = residuals_of(texels.halves);
  for (int i = 0; i < tried_partitions && best.error > 0; ++i) {
    const auto least = std::ranges::min_element(residuals);
    try_shape(texels, shape_of(uint32_t(least - residuals.begin())), best);
    *least = infinite;
  }
  write(best, block);
}

}  // namespace
}  // namespace bc6h

void encode_bc6h(const HalfTexels& texels, std::byte* block) { bc6h::encode(bc6h::block_texels(texels), block); }

}  // namespace gpupost
