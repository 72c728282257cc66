// Rows of a PNG: undoes their filters, and makes RGBA texels of their samples. For the reader.
#pragma once

#include "core/codec/common/bytes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace gpupost {

// The header chunk. PNG specification, 11.2.1.
struct PngHeader {
  int width = 0, height = 0;
  int bits = 0;   // of a sample
  int color = 0;  // 1 palette, 2 color, 4 alpha
  bool is_interlaced = false;

  bool has_palette() const { return color == 3; }
  // Samples of a texel.
  int channels() const { return has_palette() ? 1 : 1 + (color & 2) + (color & 4 ? 1 : 0); }
  // Distance of the bytes that filters compare.
  size_t texel_bytes() const { return std::max<size_t>(1, size_t(channels()) * size_t(bits) / 8); }
  // Bytes of `texels` of one row with the filter byte before them; none has no filter.
  size_t row_bytes(size_t texels) const {
    return texels == 0 ? 0 : 1 + (texels * size_t(channels()) * size_t(bits) + 7) / 8;
  }
};

// The texels that a pass holds: those at x, x + step_x and so on. PNG specification, 8.
struct PngPass {
  int x, y, step_x, step_y;

  int columns(const PngHeader& header) const { return std::max(0, (header.width - x + step_x - 1) / step_x); }
  int rows(const PngHeader& header) const { return std::max(0, (header.height - y + step_y - 1) / step_y); }
};

// One pass, or the seven of an interlaced image.
std::span<const PngPass> passes_of(const PngHeader& header);

class PngRows {
 public:
  // `palette` and `transparency`: the data of PLTE and tRNS, which must have valid sizes.
  PngRows(const PngHeader& header, std::optional<Bytes> palette, std::optional<Bytes> transparency);

  // Channels of the image: 1 gray, 2 gray and alpha, 3 color, 4 color and alpha.
  int channel_count() const;

  // Undoes the filters of all rows in place, and writes RGBA texels of 8 or 16 bits. Throws Error(Exit::input).
  void read(std::span<std::byte> filtered, std::byte* texels);

 private:
  // Writes the texels of a row, `step` texels apart.
  void write_row(const uint8_t* samples, size_t count, std::byte* to, size_t step);

  PngHeader header_;
  std::vector<std::array<uint8_t, 4>> palette_;         // empty without PLTE
  std::optional<std::array<uint16_t, 3>> transparent_;  // samples of the transparent color
  bool has_alpha_ = false;
  std::vector<uint8_t> indices_;  // samples of a row of less than 8 bits
};

}  // namespace gpupost
