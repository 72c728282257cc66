// What an EXR file in memory says of itself, believed only as far as its bytes bear it out.
#pragma once

#include "core/codec/bytes.h"
#include "core/codec/codec.h"

#include <string>
#include <vector>

namespace gpupost {

enum class ExrLevels { one, mipmap, ripmap };

// One level of a file: its size, and its chunks, `columns` by `rows` of them, from `first_chunk` of the table on.
struct ExrLevel {
  int x = 0, y = 0;  // number of the level; they differ in a ripmap only
  Size size;
  int columns = 0;
  int rows = 0;
  size_t first_chunk = 0;
};

struct ExrHeader {
  Window data_window;
  Window display_window;
  int compression = 0;  // as in the file; `name_of_compression` has the word
  int line_order = 0;   // 0 increasing, 1 decreasing, 2 random
  bool is_tiled = false;
  ExrLevels level_mode = ExrLevels::one;
  bool rounds_up = false;
  Size chunk_size;                    // a tile; or a whole row's width and the lines that are compressed together
  std::vector<Channel> channels;      // as in the file, alphabetical
  std::vector<ExrLevel> levels;       // in the order of the chunk table
  std::vector<Attribute> attributes;  // those that say something of the picture
  size_t table_at = 0;                // of the chunk table

  Size size() const { return {data_window.max_x - data_window.min_x + 1, data_window.max_y - data_window.min_y + 1}; }
  size_t bytes_per_texel() const;
  size_t chunk_count() const;
};

// "none", "rle", "zips", "zip", "piz", "PXR24", ...
std::string_view name_of_compression(int compression);

// Where a chunk lies in its level, clipped to it.
struct ExrPlace {
  int x = 0, y = 0;
  Size size;
};
ExrPlace place_of_chunk(const ExrHeader& header, const ExrLevel& level, int column, int row);

// Bytes of the numbers that stand before a chunk's data: its coordinates and its length.
inline size_t chunk_head_bytes(const ExrHeader& header) { return header.is_tiled ? 20 : 8; }
// Offset of a chunk in the file, by its number in the table. Right after check_exr_chunks.
size_t offset_of_chunk(Bytes file, const ExrHeader& header, size_t chunk);

// Reads the header. Throws Error(Exit::input) for what is damaged, for what is over the limits, and for what is not
// supported, by name.
ExrHeader parse_exr_header(Bytes file, const Limits& limits);

// Finds every chunk once, where the table says it is, with the coordinates and a size it must have, inside the file.
void check_exr_chunks(Bytes file, const ExrHeader& header);

}  // namespace gpupost
