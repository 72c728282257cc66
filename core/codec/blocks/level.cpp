#include "core/codec/blocks/level.h"

#include "core/base/threads.h"
#include "core/codec/blocks/bc1_to_bc5.h"
#include "core/codec/blocks/bc6h.h"
#include "core/codec/blocks/bc7.h"

#include <algorithm>
#include <functional>

namespace gpupost {
namespace {

// The blocks of a level, in rows.
struct Grid {
  Size size;
  int columns() const { return (size.width + block_side - 1) / block_side; }
  int rows() const { return (size.height + block_side - 1) / block_side; }
};

// Calls body(x, y, number) for the corner of each block and its number.
void for_each_block(const Grid& grid, const std::function<void(int, int, size_t)>& body) {
  parallel_ranges(grid.rows(), 1, [&](int begin, int end) {
    for (int row = begin; row < end; ++row)
      for (int column = 0; column < grid.columns(); ++column)
        body(column * block_side, row * block_side, size_t(row) * size_t(grid.columns()) + size_t(column));
  });
}

template <class Texels>
using NumberOf = std::remove_cvref_t<decltype(std::declval<Texels>()[0][0])>;

template <class Texels>
void decode_all(const std::function<Texels(const std::byte*)>& decode, BlockFormat format, const Grid& grid,
                size_t component_count, std::span<const std::byte> blocks, std::span<std::byte> texels) {
  auto* const to = reinterpret_cast<NumberOf<Texels>*>(texels.data());
  const int width = grid.size.width, height = grid.size.height;
  for_each_block(grid, [&](int x, int y, size_t number) {
    const Texels made = decode(blocks.data() + number * block_bytes_of(format));
    for (int row = 0; row < std::min(block_side, height - y); ++row)
      for (int column = 0; column < std::min(block_side, width - x); ++column) {
        const size_t at = size_t(y + row) * size_t(width) + size_t(x + column);
        std::copy_n(made[size_t(block_side * row + column)].begin(), component_count, to + at * component_count);
      }
  });
}

template <class Texels>
void encode_all(void (*encode)(const Texels&, std::byte*), BlockFormat format, const Grid& grid,
                std::span<const std::byte> texels, std::span<std::byte> blocks) {
  const auto* const from = reinterpret_cast<const NumberOf<Texels>*>(texels.data());
  const int width = grid.size.width, height = grid.size.height;
  for_each_block(grid, [&](int x, int y, size_t number) {
    Texels given;
    for (int row = 0; row < block_side; ++row)
      for (int column = 0; column < block_side; ++column) {
        const size_t at =
            size_t(std::min(y + row, height - 1)) * size_t(width) + size_t(std::min(x + column, width - 1));
        std::copy_n(from + 4 * at, 4, given[size_t(block_side * row + column)].begin());
      }
    encode(given, blocks.data() + number * block_bytes_of(format));
  });
}

using ByteDecoder = std::function<ByteTexels(const std::byte*)>;
using HalfDecoder = std::function<HalfTexels(const std::byte*)>;

HalfDecoder half_decoder_of(BlockFormat format, bool is_signed) {
  if (format == BlockFormat::bc6h) return [is_signed](const std::byte* block) { return decode_bc6h(block, is_signed); };
  return format == BlockFormat::bc4 ? decode_signed_bc4 : decode_signed_bc5;
}

ByteDecoder byte_decoder_of(BlockFormat format) {
  switch (format) {
    case BlockFormat::bc1: return decode_bc1;
    case BlockFormat::bc2: return decode_bc2;
    case BlockFormat::bc3: return decode_bc3;
    case BlockFormat::bc4: return decode_bc4;
    case BlockFormat::bc5: return decode_bc5;
    default: return decode_bc7;
  }
}

auto byte_encoder_of(BlockFormat format) {
  switch (format) {
    case BlockFormat::bc1: return encode_bc1;
    case BlockFormat::bc3: return encode_bc3;
    case BlockFormat::bc4: return encode_bc4;
    case BlockFormat::bc5: return encode_bc5;
    default: return encode_bc7;
  }
}

}  // namespace

void decode_blocks(BlockFormat format, bool is_signed, Size size, size_t component_count,
                   std::span<const std::byte> blocks, std::span<std::byte> texels) {
  const Grid grid{size};
  if (is_signed || format == BlockFormat::bc6h)
    decode_all(half_decoder_of(format, is_signed), format, grid, component_count, blocks, texels);
  else decode_all(byte_decoder_of(format), format, grid, component_count, blocks, texels);
}

void encode_blocks(BlockFormat format, Size size, std::span<const std::byte> texels, std::span<std::byte> blocks) {
  const Grid grid{size};
  if (format == BlockFormat::bc6h) encode_all(encode_bc6h, format, grid, texels, blocks);
  else encode_all(byte_encoder_of(format), format, grid, texels, blocks);
}

}  // namespace gpupost
