// Compression for PNG on every core.
#pragma once

#include "core/base/memory.h"

#include <cstddef>
#include <span>
#include <vector>

namespace gpupost {

// A zlib stream, cut where it likes.
struct ZlibStream {
  TexelBuffer room;
  std::vector<std::span<const std::byte>> pieces;
};

// Run lengths and Huffman codes only (zlib's Z_RLE): of filtered pictures smaller and sooner done than level 1 of the whole
// search. The same bytes give the same stream on any number of cores.
ZlibStream zlib_compress(std::span<const std::byte> bytes);

// The same for stb_image_write: one block from malloc(), nullptr when memory ends.
unsigned char* zlib_compress_for_stb(const unsigned char* bytes, int count, int* compressed_count) noexcept;

}  // namespace gpupost
