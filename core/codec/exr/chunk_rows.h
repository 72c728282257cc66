// Reads the texels of an image as EXR stores them: row by row, and in each row channel after channel.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/exr/write_header.h"

#include <array>
#include <span>
#include <vector>

namespace gpupost {

// Scan lines or a tile of a level.
struct Chunk {
  int level = 0;
  int x = 0, y = 0;  // texel at the upper left
  Size size;
};

// Bytes of a texel of all channels.
size_t bytes_per_texel(std::span<const ExrChannel> channels);

class RowReader {
 public:
  // `most_width`: of the chunks to read.
  RowReader(std::span<const ExrChannel> channels, int most_width);

  // Calls put(size_t at, Bytes numbers) for each row of each channel of a chunk. `at` is its place in the chunk without compression.
  template <class Put>
  void read(const Chunk& chunk, const Put& put) {
    const auto width = size_t(chunk.size.width);
    for (int row = 0; row < chunk.size.height; ++row)
      for (const Part& part : parts_) {
        split_row(part, chunk, row);
        for (size_t c = 0; c < 4; ++c)
          if (part.channels[c]) put((size_t(row) * bytes_per_texel_ + part.at[c]) * width, numbers_of(part, c, width));
      }
  }

  size_t clamped_count = 0;  // finite values that were clamped for half

 private:
  // Channels of one group by component; nullptr if the file does not have it.
  struct Part {
    const Group* group = nullptr;
    std::array<const ExrChannel*, 4> channels{};
    std::array<size_t, 4> at{};  // bytes of the channels before it, for each texel of a row
  };

  static std::vector<Part> parts_of(std::span<const ExrChannel> channels);
  void split_row(const Part& part, const Chunk& chunk, int row);
  // A row of a component after split_row(), in the depth of the file.
  Bytes numbers_of(const Part& part, size_t component, size_t width);
  std::byte* plane(size_t index, size_t width) { return reinterpret_cast<std::byte*>(split_.data() + index * width); }

  std::vector<Part> parts_;
  size_t bytes_per_texel_;
  std::vector<float> split_;  // rows of the four components, and one for conversion
};

}  // namespace gpupost
