// Texels of an EXR file, decoded by tinyexr a few chunks at a time.
#pragma once

#include "core/codec/exr_header.h"

#include <tinyexr.h>

#include <functional>
#include <span>

namespace gpupost {

// A part of a level: where it lies, and a plane of numbers a channel, in the file's depth, rows without padding.
struct ExrPiece {
  ExrPlace place;
  std::span<unsigned char* const> planes;
};

class SmallFile;

// tinyexr's description of a file, made from ours: its own parser of headers is never asked.
class ExrPieces {
 public:
  ExrPieces(Bytes file, const ExrHeader& header, const ExrLevel& level);
  int count() const { return columns_ * rows_; }
  // Decodes piece `index` on the calling thread and shows it to `use`. Throws Error(Exit::input) for damaged data.
  void decode(int index, const std::function<void(const ExrPiece&)>& use) const;

 private:
  void decode_lines(int row, const std::function<void(const ExrPiece&)>& use) const;
  bool is_zipped() const;
  Bytes data_of_chunk(size_t number) const;
  SmallFile unzipped_lines(size_t chunk, const ExrPlace& place) const;
  void decode_tile(int column, int row, const std::function<void(const ExrPiece&)>& use) const;

  Bytes file_;
  const ExrHeader& header_;
  const ExrLevel& level_;
  std::vector<EXRChannelInfo> channels_;
  int chunks_a_piece_ = 1;
  int columns_ = 1;
  int rows_ = 1;
};

}  // namespace gpupost
