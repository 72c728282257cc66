// Implements the zlib function with which tinyexr reads files with libdeflate, which is twice as fast. Include before
// <tinyexr.h> in the file that implements it.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <new>

namespace gpupost {

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

#define uncompress(to, to_bytes, from, from_bytes) gpupost::inflate_once(to, to_bytes, from, from_bytes)
