// A stream for OpenEXR that reads a file in memory.
#pragma once

#include "core/codec/common/bytes.h"

#include <OpenEXR/ImfIO.h>

#include <stdexcept>

namespace gpupost {

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
