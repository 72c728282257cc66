#include "core/codec/exr/zip_block.h"

#include <libdeflate.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gpupost {

namespace {

libdeflate_decompressor* decompressor() {
  thread_local const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> own(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!own) fail(Exit::limit, "out of memory");
  return own.get();
}

// Each byte becomes the sum of all bytes up to it, minus 128 for each but the first.
void undo_delta(uint8_t* bytes, size_t count) {
  uint8_t sum = 128;
  size_t i = 0;
#ifdef __SSE2__
  // Sixteen sums at once: of 2, of 4, of 8, of 16 bytes, then with the last sum before them.
  for (; i + 16 <= count; i += 16) {
    auto* place = reinterpret_cast<__m128i*>(bytes + i);
    __m128i sums = _mm_add_epi8(_mm_loadu_si128(place), _mm_set1_epi8(char(0x80)));
    sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 1));
    sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 2));
    sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 4));
    sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 8));
    sums = _mm_add_epi8(sums, _mm_set1_epi8(char(sum)));
    _mm_storeu_si128(place, sums);
    sum = bytes[i + 15];
  }
#endif
  for (; i < count; ++i) bytes[i] = sum = uint8_t(sum + bytes[i] + 128);
}

}  // namespace

bool Unzipped::unpack(Bytes packed, size_t raw_bytes) {
  if (packed.size() < raw_bytes) return unzip(packed, raw_bytes);
  raw_bytes_ = raw_bytes;
  is_split_ = false;  // data that does not compress is stored unchanged
  std::memcpy(bytes_.get(), packed.data(), raw_bytes);
  return true;
}

bool Unzipped::unzip(Bytes packed, size_t raw_bytes) {
  raw_bytes_ = raw_bytes;
  is_split_ = true;
  if (libdeflate_zlib_decompress(decompressor(), packed.data(), packed.size(), bytes_.get(), raw_bytes, nullptr) !=
      LIBDEFLATE_SUCCESS)
    return false;
  undo_delta(reinterpret_cast<uint8_t*>(bytes_.get()), raw_bytes);
  return true;
}

// A count n from 0 to 127 stands before a byte that is repeated n + 1 times, a negative one before -n bytes. Source: OpenEXR,
// ImfRle.cpp.
bool Unzipped::unpack_runs(Bytes packed, size_t raw_bytes) {
  raw_bytes_ = raw_bytes;
  is_split_ = true;
  size_t from = 0, to = 0;
  while (from < packed.size()) {
    const int count = int8_t(packed[from++]);
    const size_t length = size_t(count < 0 ? -count : count + 1), taken = count < 0 ? length : 1;
    if (packed.size() - from < taken || raw_bytes - to < length) return false;
    if (count < 0) std::memcpy(bytes_.get() + to, packed.data() + from, length);
    else std::memset(bytes_.get() + to, int(packed[from]), length);
    from += taken;
    to += length;
  }
  if (to != raw_bytes) return false;
  undo_delta(reinterpret_cast<uint8_t*>(bytes_.get()), raw_bytes);
  return true;
}

void Unzipped::copy(size_t first, size_t count, std::byte* __restrict to) const {
  if (!is_split_) {
    std::memcpy(to, bytes_.get() + first, count);
    return;
  }
  const std::byte* __restrict even = bytes_.get() + first / 2;
  const std::byte* __restrict odd = bytes_.get() + raw_bytes_ / 2 + first / 2;
  for (size_t i = 0; i < count / 2; ++i) {
    to[2 * i] = even[i];
    to[2 * i + 1] = odd[i];
  }
}

}  // namespace gpupost
