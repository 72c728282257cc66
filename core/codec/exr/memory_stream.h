// For reading and writing with OpenEXR: a stream that reads a file in memory, and handling of errors.
#pragma once

#include "core/codec/common/bytes.h"

#include <OpenEXR/ImfIO.h>

#include <new>
#include <stdexcept>
#include <string_view>

namespace gpupost {

// Throws std::bad_alloc if the text of the error says that memory ran out. OpenEXR 3.1.5 passes on exceptions of its tasks as
// text. Compression by zlib fails only without memory.
inline void rethrow_bad_alloc(const std::exception& error) {
  for (const std::string_view text : {"bad_alloc", "Data compression (zlib) failed"})
    if (std::string_view(error.what()).find(text) != std::string_view::npos) throw std::bad_alloc();
}

class MemoryStream : public Imf::IStream {
 public:
  explicit MemoryStream(Bytes file) : IStream("memory"), file_(file) {}
  bool read(char to[], int count) override {
    if (at_ > file_.size() || size_t(count) > file_.size() - at_) throw std::runtime_error("is cut off");
    std::memcpy(to, file_.data() + at_, size_t(count));
    at_ += size_t(count);
    return at_ < file_.size();
  }
  uint64_t tellg() override { return at_; }
  void seekg(uint64_t at) override { at_ = at; }

 private:
  Bytes file_;
  size_t at_ = 0;
};

}  // namespace gpupost
