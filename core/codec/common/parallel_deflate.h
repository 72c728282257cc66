// Parallel zlib compression for PNG.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace gpupost {

// A zlib stream in pieces, which follow each other.
struct ZlibStream {
  std::vector<std::vector<std::byte>> pieces;
};

// Writes the bytes of rows [begin, end) to `to`. Called by several threads.
using RowWriter = std::function<void(size_t begin, size_t end, std::byte* to)>;

// Compresses rows of equal size, which are made only when they are compressed. Uses only run lengths and Huffman codes
// (Z_RLE): smaller and faster than level 1 for filtered images. The result does not depend on the number of cores.
ZlibStream zlib_compress(size_t row_count, size_t row_bytes, const RowWriter& write_rows);
ZlibStream zlib_compress(std::span<const std::byte> bytes);

}  // namespace gpupost
