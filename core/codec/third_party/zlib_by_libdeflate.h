// Implements the three zlib functions that tinyexr calls with libdeflate, which is twice as fast. Include before
// <tinyexr.h> in the file that implements it.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <new>

namespace gpupost {

// Level 2: for a 4096x4096 half image in 64x64 tiles, 1 % larger and 14 % faster than level 4, and 2 % smaller than
// zlib at level 4.
inline constexpr int exr_deflate_level = 2;

inline uLong deflate_bound(uLong bytes) { return libdeflate_zlib_compress_bound(nullptr, bytes); }

inline int deflate_once(Bytef* to, uLong* to_bytes, const Bytef* from, uLong from_bytes) {
  struct Compressor {
    libdeflate_compressor* handle = libdeflate_alloc_compressor(exr_deflate_level);
    ~Compressor() { libdeflate_free_compressor(handle); }
  };
  thread_local const Compressor compressor;
  if (!compressor.handle) throw std::bad_alloc();  // tinyexr would ignore an error code
  const size_t written = libdeflate_zlib_compress(compressor.handle, from, from_bytes, to, *to_bytes);
  if (written == 0) return Z_BUF_ERROR;
  *to_bytes = written;
  return Z_OK;
}

// Unlike zlib, refuses data that gives fewer than *to_bytes, because tinyexr would use zeros for the rest.
inline int inflate_once(Bytef* to, const uLong* to_bytes, const Bytef* from, uLong from_bytes) {
  struct Decompressor {
    libdeflate_decompressor* handle = libdeflate_alloc_decompressor();
    ~Decompressor() { libdeflate_free_decompressor(handle); }
  };
  thread_local const Decompressor decompressor;
  if (!decompressor.handle) throw std::bad_alloc();  // an error code would mean damaged data
  const libdeflate_result result =
      libdeflate_zlib_decompress(decompressor.handle, from, from_bytes, to, *to_bytes, nullptr);
  return result == LIBDEFLATE_SUCCESS ? Z_OK : Z_DATA_ERROR;
}

}  // namespace gpupost

#define compressBound(bytes) gpupost::deflate_bound(bytes)
#define compress(to, to_bytes, from, from_bytes) gpupost::deflate_once(to, to_bytes, from, from_bytes)
#define uncompress(to, to_bytes, from, from_bytes) gpupost::inflate_once(to, to_bytes, from, from_bytes)
