// What OpenEXR makes of a file that we have read.
#pragma once

#include "tests/codec/make_files.h"

#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputFile.h>

namespace gpupost {

class MemoryInput : public Imf::IStream {
 public:
  explicit MemoryInput(const File& file) : IStream("memory"), file_(file) {}
  bool read(char bytes[], int count) override;
  uint64_t tellg() override { return at_; }
  void seekg(uint64_t at) override { at_ = at; }

 private:
  const File& file_;
  size_t at_ = 0;
};

// "" if the picture has the windows, the channels and bit by bit the numbers that OpenEXR reads; else the first that differs.
// Numbers that we hold wider must be equal. Throws what OpenEXR throws.
std::string difference_from_openexr(Imf::InputFile& file, const Picture& picture);

}  // namespace gpupost
