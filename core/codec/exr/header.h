// What an EXR file in memory says of itself, believed only as far as its bytes bear it out.
#pragma once

#include "core/base/printable.h"
#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <string>
#include <vector>

namespace gpupost {

// Flags in the four bytes behind the magic number; the lowest of them is the version.
enum ExrFlags : uint32_t {
  exr_is_tiled = 0x200,
  exr_has_long_names = 0x400,
  exr_is_deep = 0x800,
  exr_has_parts = 0x1000
};

enum class ExrLevels { one, mipmap, ripmap };

// One level of a file: its size, and its chunks, `columns` by `rows` of them, from `first_chunk` of the table on.
struct ExrLevel {
  int x = 0, y = 0;  // number of the level; they differ in a ripmap only
  Size size;
  int columns = 0;
  int rows = 0;
  size_t first_chunk = 0;
};

// Of one part; files of one part are all but those that say they have several.
struct ExrHeader {
  std::string name;  // of the part; "" where it has none
  std::string type;  // of a part of several: "scanlineimage", "tiledimage", "deepscanline", "deeptile"
  int part = 0;
  bool has_part_numbers = false;  // before each of its chunks
  bool is_deep = false;
  size_t claimed_chunk_count = 0;  // as a part of several says
  Window data_window;
  Window display_window;
  int compression = 0;  // as in the file; `name_of_compression` has the word
  int line_order = 0;   // 0 increasing, 1 decreasing, 2 random
  bool is_tiled = false;
  ExrLevels level_mode = ExrLevels::one;
  bool rounds_up = false;
  Size chunk_size;                    // a tile; or a whole row's width and the lines that are compressed together
  std::vector<Channel> channels;      // as in the file, alphabetical
  std::vector<Size> samplings;        // of each of them: one number for so many columns and lines
  Bytes channel_list;                 // all that the file says of them
  std::vector<ExrLevel> levels;       // in the order of the chunk table
  std::vector<Attribute> attributes;  // those that say something of the picture
  size_t table_at = 0;                // of the chunk table
  size_t chunks_at = 0;               // no chunk lies before it: the end of all parts' tables

  Size size() const { return {data_window.max_x - data_window.min_x + 1, data_window.max_y - data_window.min_y + 1}; }
  size_t bytes_per_texel() const;  // where every channel has a number
  bool is_subsampled() const;
  size_t chunk_count() const;
};

// "none", "rle", "zips", "zip", "piz", "pxr24", ...
std::string_view name_of_compression(int compression);

// Where a chunk lies in its level, clipped to it.
struct ExrPlace {
  int x = 0, y = 0;
  Size size;
};
ExrPlace place_of_chunk(const ExrHeader& header, const ExrLevel& level, int column, int row);
// Bytes of the numbers there before they are packed.
size_t raw_bytes_of(const ExrHeader& header, const ExrPlace& place);

// Bytes of the numbers that stand before a chunk's data: its part, its coordinates and its length.
inline size_t chunk_head_bytes(const ExrHeader& header) {
  return (header.has_part_numbers ? 4 : 0) + (header.is_tiled ? 20 : 8);
}
// Offset of a chunk in the file, by its number in the table. Right after check_exr_chunks.
size_t offset_of_chunk(Bytes file, const ExrHeader& header, size_t chunk);
// What is packed in it.
Bytes data_of_chunk(Bytes file, const ExrHeader& header, size_t chunk);

// Reads the header at `at`, of one part of several or the only one. What follows it is left for parse_exr_headers to find.
ExrHeader parse_exr_header(Bytes file, size_t& at, bool is_one_of_several, const Limits& limits);

// Reads the headers of all parts. Throws Error(Exit::input) for what is damaged, for what is over the limits, and for what
// is not supported, by name.
std::vector<ExrHeader> parse_exr_headers(Bytes file, const Limits& limits);

// The part that is wanted, by its number or its name; "": the first. Throws Error(Exit::input) for one that is not there,
// naming those that are, and for one of deep data.
ExrHeader& part_wanted(std::vector<ExrHeader>& parts, const std::string& wanted);

// Finds every chunk of a part once, where the table says it is, with the coordinates and a size it must have, inside the
// file.
void check_exr_chunks(Bytes file, const ExrHeader& header);

}  // namespace gpupost
