#include "core/codec/exr/pack_block.h"

#include <libdeflate.h>

#include <cstring>

namespace gpupost {
namespace {

// Each byte minus the one before it, plus 128; the first stays.
void take_differences(const uint8_t* __restrict from, uint8_t* __restrict to, size_t count) {
  if (count > 0) to[0] = from[0];
  for (size_t i = 1; i < count; ++i) to[i] = uint8_t(from[i] - from[i - 1] + 128);
}

size_t run_at(const uint8_t* bytes, size_t count) {
  size_t length = 1;
  while (length < count && bytes[length] == bytes[0]) ++length;
  return length;
}

// A count n from 0 to 127 stands before a byte that is repeated n + 1 times, a negative one before -n bytes. Returns the
// number of bytes, or 0 if they would be `room` or more. Source: OpenEXR, ImfRle.cpp.
size_t pack_runs(const uint8_t* from, size_t count, uint8_t* to, size_t room) {
  constexpr size_t shortest_run = 3, longest = 127;
  size_t size = 0;
  for (size_t at = 0; at < count;) {
    const size_t run = run_at(from + at, std::min(count - at, longest + 1));
    if (run >= shortest_run) {
      if (size + 2 >= room) return 0;
      to[size++] = uint8_t(run - 1);
      to[size++] = from[at];
      at += run;
      continue;
    }
    size_t length = 0;
    while (length < std::min(count - at, longest) &&
           run_at(from + at + length, std::min(count - at - length, shortest_run)) < shortest_run)
      ++length;
    if (size + 1 + length >= room) return 0;
    to[size++] = uint8_t(-int(length));
    std::memcpy(to + size, from + at, length);
    size += length;
    at += length;
  }
  return size;
}

}  // namespace

BlockPacker::BlockPacker(Compression compression, int level, size_t most_bytes)
    : compression_(compression),
      room_(libdeflate_zlib_compress_bound(nullptr, most_bytes)),
      split_(std::make_unique_for_overwrite<uint8_t[]>(most_bytes)),
      deflater_(nullptr, libdeflate_free_compressor) {
  if (compression == Compression::none) return;
  differences_ = std::make_unique_for_overwrite<uint8_t[]>(most_bytes);
  packed_ = std::make_unique_for_overwrite<uint8_t[]>(room_);
  if (compression == Compression::rle) return;
  deflater_.reset(libdeflate_alloc_compressor(level));
  if (!deflater_) fail(Exit::limit, "out of memory");
}

void BlockPacker::start(size_t raw_bytes) { raw_bytes_ = raw_bytes; }

void BlockPacker::put(size_t at, const std::byte* from, size_t bytes) {
  if (compression_ == Compression::none) {
    std::memcpy(split_.get() + at, from, bytes);
    return;
  }
  const auto* __restrict source = reinterpret_cast<const uint8_t*>(from);
  uint8_t* __restrict even = split_.get() + at / 2;
  uint8_t* __restrict odd = split_.get() + raw_bytes_ / 2 + at / 2;
  for (size_t i = 0; i < bytes / 2; ++i) {
    even[i] = source[2 * i];
    odd[i] = source[2 * i + 1];
  }
}

Bytes BlockPacker::packed() {
  if (compression_ == Compression::none) return raw();
  take_differences(split_.get(), differences_.get(), raw_bytes_);
  const size_t size =
      compression_ == Compression::rle
          ? pack_runs(differences_.get(), raw_bytes_, packed_.get(), raw_bytes_)
          : libdeflate_zlib_compress(deflater_.get(), differences_.get(), raw_bytes_, packed_.get(), room_);
  if (size == 0 || size >= raw_bytes_) return raw();
  return std::as_bytes(std::span(packed_.get(), size));
}

// Readers know a raw block by its size.
Bytes BlockPacker::raw() {
  if (compression_ == Compression::none) return std::as_bytes(std::span(split_.get(), raw_bytes_));
  const uint8_t* __restrict even = split_.get();
  const uint8_t* __restrict odd = split_.get() + raw_bytes_ / 2;
  uint8_t* __restrict to = packed_.get();
  for (size_t i = 0; i < raw_bytes_ / 2; ++i) {
    to[2 * i] = even[i];
    to[2 * i + 1] = odd[i];
  }
  return std::as_bytes(std::span(packed_.get(), raw_bytes_));
}

}  // namespace gpupost
