// Compresses the chunks of an EXR file: scan lines, or the tiles of all mip levels.
#pragma once

#include "core/codec/common/format.h"
#include "core/codec/exr/write_header.h"

namespace gpupost {

struct ChunkOptions {
  Compression compression = Compression::zip;  // none, rle, zips or zip
  int deflate_level = 0;                       // 1 to 9
  int level = 0;                               // the level of a file of scan lines
  int min_y = 0;                               // of its data window
  Size tile;                                   // of a file with all levels; 0 x 0: scan lines
};

struct EncodedChunks {
  TexelBuffer file;          // `header`, the table of chunks, the chunks
  size_t clamped_count = 0;  // finite values that were clamped for half
};

// All groups of `channels` must have the levels, with the same sizes.
EncodedChunks encode_chunks(std::span<const std::byte> header, std::span<const ExrChannel> channels,
                            const ChunkOptions& options);

}  // namespace gpupost
