// Parallel zlib compression for PNG.
#pragma once

#include "core/base/memory.h"

#include <cstddef>
#include <span>
#include <vector>

namespace gpupost {

// Receives a part of the zlib stream; parts can end anywhere.
struct ZlibStream {
  TexelBuffer room;
  std::vector<std::span<const std::byte>> pieces;
};

// Uses only run lengths and Huffman codes (Z_RLE): smaller and faster than level 1 for filtered images. The output does
// not depend on the number of cores.
ZlibStream zlib_compress(std::span<const std::byte> bytes);

// For stb_image_write: returns one block from malloc(), or nullptr if memory runs out.
unsigned char* zlib_compress_for_stb(const unsigned char* bytes, int count, int* compressed_count) noexcept;

}  // namespace gpupost
