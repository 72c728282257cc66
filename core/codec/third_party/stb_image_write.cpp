// Implementation of stb_image_write with our own compression and checksum; those of version 1.16 are slower and
// compress worse.
#include "core/codec/common/parallel_deflate.h"

#include <libdeflate.h>

#define STBIW_ZLIB_COMPRESS(bytes, count, compressed_count, level) \
  gpupost::zlib_compress_for_stb(bytes, count, compressed_count)
#define STBIW_CRC32(bytes, count) libdeflate_crc32(0, bytes, size_t(count))
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

// Filter 1 (Sub) for every line, which is best for run lengths.
[[maybe_unused]] static const int forced_filter = stbi_write_force_png_filter = 1;
