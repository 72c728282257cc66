// What OpenEXR and libpng make of a file that we have read.
#pragma once

#include "tests/codec/make_files.h"

#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfTiledInputFile.h>

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
std::string difference_from_openexr(Imf::InputPart& part, const Picture& picture);
// The same of a level of a tiled file, without the windows, which OpenEXR does not give for levels.
std::string difference_from_openexr(Imf::TiledInputFile& file, int level, const Picture& picture);
// The same of the color of a file of luminance and chroma, as OpenEXR's reader of halves makes it.
std::string difference_from_rgba(Imf::RgbaInputFile& file, const Group& color);
// The texels of a file of Y, RY and BY that all have every number, made colors by OpenEXR's rule for each.
std::string difference_from_whole_chroma(Imf::InputFile& file, const Group& color);

// The numbers of a PNG as they stand in the file, four a texel, its palette and its transparent color put in; libpng is asked
// for no gamma. Throws std::runtime_error for what is damaged.
std::string texels_by_libpng(const File& file, Depth depth);

}  // namespace gpupost
