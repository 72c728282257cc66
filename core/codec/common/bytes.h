// Reads numbers from a file in memory. Reading past the end throws an Error.
#pragma once

#include "core/base/error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace gpupost {

using Bytes = std::span<const std::byte>;

static_assert(std::endian::native == std::endian::little, "the formats' numbers are copied as they stand");

// `count` bytes starting at `at`.
inline Bytes part_of(Bytes file, size_t at, size_t count) {
  if (at > file.size() || count > file.size() - at)
    fail(Exit::input, "is cut off: byte {} is needed, the file has {}", at + count, file.size());
  return file.subspan(at, count);
}

template <class Number>
Number little_at(Bytes file, size_t at) {
  Number number;
  std::memcpy(&number, part_of(file, at, sizeof number).data(), sizeof number);
  return number;
}

inline uint8_t byte_at(Bytes file, size_t at) { return little_at<uint8_t>(file, at); }
inline uint16_t big_u16_at(Bytes file, size_t at) { return __builtin_bswap16(little_at<uint16_t>(file, at)); }
inline uint32_t big_u32_at(Bytes file, size_t at) { return __builtin_bswap32(little_at<uint32_t>(file, at)); }

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline bool starts_with(Bytes bytes, std::string_view start) { return text_of(bytes).starts_with(start); }

inline const unsigned char* unsigned_bytes(Bytes bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

}  // namespace gpupost
