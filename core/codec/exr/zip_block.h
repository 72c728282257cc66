// Decodes ZIP, ZIPS and RLE chunks of EXR files.
#pragma once

#include "core/codec/common/bytes.h"

#include <memory>

namespace gpupost {

// EXR stores differences of bytes, first those at even positions, then those at odd ones. tinyexr 1.0.1 reverses this
// byte by byte, which takes a fifth of its time for a file. So tinyexr gets the bytes already reversed.
class Unzipped {
 public:
  // Buffer for chunks of up to `most_bytes`, which must be even. It is reused.
  explicit Unzipped(size_t most_bytes) : bytes_(std::make_unique_for_overwrite<std::byte[]>(most_bytes)) {}
  // Returns false if the data is damaged or has another size.
  bool unpack(Bytes packed, size_t raw_bytes);
  // The same for data that is compressed, with ZIP or RLE, even if that did not make it smaller.
  bool unzip(Bytes packed, size_t raw_bytes);
  bool unpack_runs(Bytes packed, size_t raw_bytes);
  // `count` bytes starting at `first`; both must be even.
  void copy(size_t first, size_t count, std::byte* to) const;

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t raw_bytes_ = 0;
  bool is_split_ = false;
};

}  // namespace gpupost
