// What a ZIP or ZIPS chunk of an EXR file holds.
#pragma once

#include "core/codec/common/bytes.h"

#include <memory>

namespace gpupost {

// EXR packs the differences of bytes, those at even places first, then those at odd ones. tinyexr 1.0.1 undoes this byte by
// byte through memory, which is a fifth of its time for a file; it is given the bytes undone.
class Unzipped {
 public:
  // Room for chunks of up to `most_bytes`, used again for each; even, as chunks are.
  explicit Unzipped(size_t most_bytes) : bytes_(std::make_unique_for_overwrite<std::byte[]>(most_bytes)) {}
  // False: the data are damaged, or yield another number of bytes.
  bool unpack(Bytes packed, size_t raw_bytes);
  // `count` of the bytes from `first` on, both even.
  void copy(size_t first, size_t count, std::byte* to) const;

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t raw_bytes_ = 0;
  bool is_split_ = false;
};

}  // namespace gpupost
