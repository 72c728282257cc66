// The encoder of BC6H. It fits lines to the texels of a block, in the numbers that the format interpolates, and keeps the
// encoding whose decoded halves are nearest as integers.
#include "core/codec/blocks/bc6h.h"
#include "core/codec/blocks/bc6h_modes.h"
#include "core/codec/blocks/partitions.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace gpupost {
namespace bc6h {
namespace {

constexpr float largest_end = 65535;
constexpr float no_error_yet = 1e30f;

using Lanes = std::array<float, 16>;  // a number for each texel
using Color = std::array<float, 3>;
using Ends = std::array<Color, 4>;  // as they are interpolated
using EndBits = std::array<std::array<int, 3>, 4>;
using Indices = std::array<int, 16>;

struct BlockTexels {
  alignas(16) std::array<Lanes, 3> halves;  // the bits as integers
  // What the interpolation should give: it decodes to the middle of the half.
  alignas(16) std::array<Lanes, 3> targets;
};

struct Shape {  // which texels the pairs have
  int pair_count = 1;
  uint32_t partition = 0;
  uint32_t second = 0;               // bit i: texel i has the second pair
  std::array<size_t, 2> anchors{};  // of the pairs

  uint32_t texels_of(size_t pair) const { return pair == 1 ? second : ~second & 0xffff; }
};

struct Encoding {
  float error = no_error_yet;
  const Mode* mode = nullptr;
  Shape shape;
  EndBits ends{};
  Indices indices{};
};

// Sums over the texels of a pair for the endpoints with the least squares of error, by weights in parts of 64.
struct Sums {
  float first = 0, mixed = 0, second = 0;
  Color first_targets{}, second_targets{};
};

// From the most endpoint bits to the fewest.
constexpr std::array<size_t, 4> modes_of_one_pair{13, 12, 11, 10};
constexpr std::array<size_t, 10> modes_of_two_pairs{2, 3, 4, 0, 5, 6, 7, 8, 1, 9};

std::span<const size_t> modes_of(const Shape& shape) {
  if (shape.pair_count == 1) return modes_of_one_pair;
  return modes_of_two_pairs;
}

uint16_t representable(uint16_t half) {
  if (half >= 0x8000 || half > 0x7c00) return 0;
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
  return {2, partition, pairs_of_two[partition], {0, anchors_of_two[partition]}};
}

// The line of the texels along which they differ most. The anchor is nearer to the first end.
void fit_line(const BlockTexels& texels, uint32_t members, size_t anchor, Color& first, Color& second) {
  Color mean{};
  float count = 0;
  for (size_t texel = 0; texel < 16; ++texel) {
    if (!(members >> texel & 1)) continue;
    count += 1;
    for (size_t c = 0; c < 3; ++c) mean[c] += texels.targets[c][texel];
  }
  for (float& value : mean) value /= count;
  std::array<Color, 3> covariance{};
  for (size_t texel = 0; texel < 16; ++texel) {
    if (!(members >> texel & 1)) continue;
    for (size_t c = 0; c < 3; ++c)
      for (size_t d = c; d < 3; ++d)
        covariance[c][d] += (texels.targets[c][texel] - mean[c]) * (texels.targets[d][texel] - mean[d]);
  }
  covariance[1][0] = covariance[0][1];
  covariance[2][0] = covariance[0][2];
  covariance[2][1] = covariance[1][2];
  size_t widest = 0;
  for (size_t c = 1; c < 3; ++c)
    if (covariance[c][c] > covariance[widest][widest]) widest = c;
  Color axis = covariance[widest];
  for (int round = 0; round < 5; ++round) {
    const float size = std::max({std::abs(axis[0]), std::abs(axis[1]), std::abs(axis[2])});
    if (size == 0) break;
    const Color unit{axis[0] / size, axis[1] / size, axis[2] / size};
    for (size_t c = 0; c < 3; ++c)
      axis[c] = covariance[c][0] * unit[0] + covariance[c][1] * unit[1] + covariance[c][2] * unit[2];
  }
  const float square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  if (square > 0)
    for (const float size = std::sqrt(square); float& value : axis) value /= size;
  const auto along = [&](size_t texel) {
    return axis[0] * (texels.targets[0][texel] - mean[0]) + axis[1] * (texels.targets[1][texel] - mean[1]) +
           axis[2] * (texels.targets[2][texel] - mean[2]);
  };
  float low = no_error_yet, high = -no_error_yet;
  for (size_t texel = 0; texel < 16; ++texel) {
    if (!(members >> texel & 1)) continue;
    low = std::min(low, along(texel));
    high = std::max(high, along(texel));
  }
  if (along(anchor) > (low + high) / 2) std::swap(low, high);
  for (size_t c = 0; c < 3; ++c) {
    first[c] = std::clamp(mean[c] + axis[c] * low, 0.0f, largest_end);
    second[c] = std::clamp(mean[c] + axis[c] * high, 0.0f, largest_end);
  }
}

int quantize(float value, int bits) {
  if (bits == 16) return int(value);
  const int last = (1 << bits) - 1, result = int(value * float(1 << bits) / 65536);
  // the first and the last interval have their numbers at the outer ends
  if (value < 0.75f * 65536 / float(1 << bits)) return 0;
  if (largest_end - value < 0.75f * 65536 / float(1 << bits)) return last;
  return std::clamp(result, 1, last - 1);
}

struct Range {
  int lowest, highest;
};

// What an endpoint after the first can be.
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
  const std::span<const size_t> rows = modes_of(shape);
  for (const size_t row : rows)
    if (fits(ends, 2 * size_t(shape.pair_count), modes[row])) return modes[row];
  return modes[rows.back()];
}

EndBits quantize_ends(const Ends& ends, size_t end_count, const Mode& mode) {
  EndBits result{};
  for (size_t c = 0; c < 3; ++c) {
    result[0][c] = quantize(ends[0][c], mode.endpoint_bits);
    const Range range = range_beside(result[0][c], mode, c);
    for (size_t end = 1; end < end_count; ++end)
      result[end][c] = std::clamp(quantize(ends[end][c], mode.endpoint_bits), range.lowest, range.highest);
  }
  return result;
}

struct Palette {
  std::array<std::array<float, 16>, 3> halves;
};

template <size_t count>
void fill_palette(const std::array<int, 3>& first, const std::array<int, 3>& second, int bits,
                  const std::array<int, count>& weights, Palette& palette) {
  for (size_t c = 0; c < 3; ++c) {
    const int a = unquantize(first[c], bits), b = unquantize(second[c], bits);
    for (size_t i = 0; i < count; ++i)
      palette.halves[c][i] = float(((a * (64 - weights[i]) + b * weights[i] + 32) >> 6) * 31 >> 6);
  }
}

float error_at(const BlockTexels& texels, size_t texel, const Palette& palette, size_t index) {
  float error = 0;
  for (size_t c = 0; c < 3; ++c) {
    const float difference = texels.halves[c][texel] - palette.halves[c][index];
    error += difference * difference;
  }
  return error;
}

// The nearest color of a palette for all texels.
void choose(const BlockTexels& texels, const Palette& palette, int count, Lanes& errors, Indices& indices) {
  errors.fill(no_error_yet);
  indices.fill(0);
  for (int i = 0; i < count; ++i) {
    const float r = palette.halves[0][size_t(i)], g = palette.halves[1][size_t(i)], b = palette.halves[2][size_t(i)];
    for (size_t texel = 0; texel < 16; ++texel) {
      const float dr = texels.halves[0][texel] - r, dg = texels.halves[1][texel] - g, db = texels.halves[2][texel] - b;
      const float error = dr * dr + dg * dg + db * db;
      indices[texel] = error < errors[texel] ? i : indices[texel];
      errors[texel] = error < errors[texel] ? error : errors[texel];
    }
  }
}

// The index of an anchor lacks its highest bit.
void choose_anchor(const BlockTexels& texels, const Palette& palette, int count, size_t anchor, Lanes& errors,
                   Indices& indices) {
  if (indices[anchor] < count / 2) return;
  errors[anchor] = no_error_yet;
  for (int i = 0; i < count / 2; ++i) {
    const float error = error_at(texels, anchor, palette, size_t(i));
    if (error >= errors[anchor]) continue;
    errors[anchor] = error;
    indices[anchor] = i;
  }
}

void assign_indices(const BlockTexels& texels, Encoding& encoding) {
  const int count = encoding.shape.pair_count == 1 ? 16 : 8;
  alignas(16) Lanes errors;
  for (size_t pair = 0; pair < size_t(encoding.shape.pair_count); ++pair) {
    alignas(16) Palette palette;
    const auto &first = encoding.ends[2 * pair], &second = encoding.ends[2 * pair + 1];
    if (count == 16) fill_palette(first, second, encoding.mode->endpoint_bits, weights_of_16, palette);
    else fill_palette(first, second, encoding.mode->endpoint_bits, weights_of_8, palette);
    alignas(16) Lanes pair_errors;
    alignas(16) Indices pair_indices;
    choose(texels, palette, count, pair_errors, pair_indices);
    choose_anchor(texels, palette, count, encoding.shape.anchors[pair], pair_errors, pair_indices);
    const uint32_t members = encoding.shape.texels_of(pair);
    for (size_t texel = 0; texel < 16; ++texel) {
      if (!(members >> texel & 1)) continue;
      errors[texel] = pair_errors[texel];
      encoding.indices[texel] = pair_indices[texel];
    }
  }
  encoding.error = 0;
  for (const float error : errors) encoding.error += error;
}

void write(const Encoding& encoding, std::byte* bytes) {
  const Mode& mode = *encoding.mode;
  Fields fields{};
  fields[partition_field] = encoding.shape.partition;
  for (size_t i = 0; i < 6 * size_t(mode.pair_count); ++i) {
    const int value = encoding.ends[i / 3][i % 3];
    fields[i] = uint32_t(mode.has_deltas && i >= 3 ? value - encoding.ends[0][i % 3] : value);
  }
  Block block{};
  put_fields(fields, mode, block);
  size_t position = size_t(mode.index_start());
  for (size_t texel = 0; texel < 16; ++texel) {
    const bool is_anchor = texel == 0 || texel == encoding.shape.anchors[size_t(mode.pair_count) - 1];
    for (int bit = 0; bit < mode.index_bits() - is_anchor; ++bit, ++position)
      block[position / 64] |= uint64_t(encoding.indices[texel] >> bit & 1) << position % 64;
  }
  for (size_t i = 0; i < 16; ++i) bytes[i] = std::byte(block[i / 8] >> 8 * (i % 8));
}

}  // namespace
}  // namespace bc6h

void encode_bc6h(const HalfTexels& texels, std::byte* block) {
  using namespace bc6h;
  const BlockTexels numbers = block_texels(texels);
  Encoding encoding;
  Ends ends{};
  fit_line(numbers, 0xffff, 0, ends[0], ends[1]);
  encoding.mode = &finest_mode(ends, encoding.shape);
  encoding.ends = quantize_ends(ends, 2, *encoding.mode);
  assign_indices(numbers, encoding);
  write(encoding, block);
}

}  // namespace gpupost
