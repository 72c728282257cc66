#include "core/codec/texture/supercompression.h"

#include "core/base/threads.h"

#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>

namespace gpupost {
namespace {

constexpr int usual_zstd_level = 9, usual_zlib_level = 6;

// The result of a function of libzstd that cannot fail for other reasons than memory.
size_t checked(size_t result) {
  if (!ZSTD_isError(result)) return result;
  const bool is_memory = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
  fail(is_memory ? Exit::limit : Exit::bug, "Zstandard: {}", ZSTD_getErrorName(result));
}

// libzstd uses no more threads than there are pieces of this size.
constexpr size_t bytes_of_thread = size_t(1) << 20;

// One frame. Its bytes do not depend on the number of threads, because there is at least one beside the caller's.
TexelBuffer zstd_compressed(Bytes bytes, int effort) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) fail(Exit::limit, "out of memory: Zstandard cannot start");
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, effort > 0 ? effort : usual_zstd_level));
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
  const int thread_count = int(std::clamp(bytes.size() / bytes_of_thread, size_t(1), size_t(core_count())));
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_nbWorkers, thread_count);  // refused by a libzstd without threads
  TexelBuffer packed(ZSTD_compressBound(bytes.size()));
  const size_t count = checked(ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size()));
  return first_part(std::move(packed), count);
}

TexelBuffer zlib_compressed(Bytes bytes, int effort) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(effort > 0 ? effort : usual_zlib_level), libdeflate_free_compressor);
  if (!compressor) fail(Exit::limit, "out of memory: libdeflate cannot start");
  TexelBuffer packed(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  const size_t count =
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (count == 0) fail(Exit::bug, "libdeflate: {} bytes need more than its bound", bytes.size());
  return first_part(std::move(packed), count);
}

[[noreturn]] void refuse_more(int level, size_t byte_count) {
  fail(Exit::input, "its level {} decompresses to more than the {} bytes it must have", level, byte_count);
}

// Both return the number of bytes that they got.
size_t decompress_zstd(Bytes packed, TexelBuffer& to, int level) {
  const size_t result = ZSTD_decompress(to.data(), to.size(), packed.data(), packed.size());
  if (!ZSTD_isError(result)) return result;
  const ZSTD_ErrorCode error = ZSTD_getErrorCode(result);
  if (error == ZSTD_error_memory_allocation) fail(Exit::limit, "out of memory: Zstandard cannot start");
  if (error == ZSTD_error_dstSize_tooSmall) refuse_more(level, to.size());
  fail(Exit::input, "the Zstandard data of its level {} is damaged ({})", level, ZSTD_getErrorName(result));
}

size_t decompress_zlib(Bytes packed, TexelBuffer& to, int level) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) fail(Exit::limit, "out of memory: libdeflate cannot start");
  size_t used = 0, count = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor.get(), packed.data(), packed.size(),
                                                                 to.data(), to.size(), &used, &count);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) refuse_more(level, to.size());
  if (result != LIBDEFLATE_SUCCESS) fail(Exit::input, "the ZLIB data of its level {} is damaged", level);
  if (used != packed.size())
    fail(Exit::input, "the ZLIB data of its level {} ends after {} of {} bytes", level, used, packed.size());
  return count;
}

}  // namespace

TexelBuffer compressed(Bytes bytes, Supercompression supercompression, int effort) {
  return supercompression == Supercompression::zstd ? zstd_compressed(bytes, effort) : zlib_compressed(bytes, effort);
}

TexelBuffer decompressed(Bytes packed, Supercompression supercompression, size_t byte_count, int level) {
  TexelBuffer bytes(byte_count);
  const size_t found = supercompression == Supercompression::zstd ? decompress_zstd(packed, bytes, level)
                                                                  : decompress_zlib(packed, bytes, level);
  if (found != byte_count)
    fail(Exit::input, "its level {} decompresses to {} bytes; expected {}", level, found, byte_count);
  return bytes;
}

}  // namespace gpupost
