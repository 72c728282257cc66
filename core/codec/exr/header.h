// Parses EXR headers. Nothing in a header is trusted further than the file's bytes confirm it.
#pragma once

#include "core/base/printable.h"
#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <string>
#include <vector>

namespace gpupost {

// Flags after the magic number; the lowest byte is the version.
enum ExrFlags : uint32_t {
  exr_is_tiled = 0x200,
  exr_has_long_names = 0x400,
  exr_is_deep = 0x800,
  exr_has_parts = 0x1000
};

enum class ExrLevels { one, mipmap, ripmap };

// One level of a file: its size, and its `columns` by `rows` chunks, starting at `first_chunk` of the table.
struct ExrLevel {
  int x = 0, y = 0;  // level along x and y; they differ only in a ripmap
  Size size;
  int columns = 0;
  int rows = 0;
  size_t first_chunk = 0;
};

// The header of one part. Some members differ for files with several parts.
struct ExrHeader {
  std::string name;  // of the part; "" where it has none
  std::string type;  // of a part of several: "scanlineimage", "tiledimage", "deepscanline", "deeptile"
  int part = 0;
  bool has_part_numbers = false;  // each chunk begins with its part number
  bool is_deep = false;
  size_t claimed_chunk_count = 0;  // from the header of a multi-part file
  Window data_window;
  Window display_window;
  int compression = 0;  // as in the file; `name_of_compression` has the word
  int line_order = 0;   // 0 increasing, 1 decreasing, 2 random
  bool is_tiled = false;
  ExrLevels level_mode = ExrLevels::one;
  bool rounds_up = false;
  Size chunk_size;                    // a tile, or the lines of one chunk
  std::vector<Channel> channels;      // as in the file, alphabetical
  std::vector<Size> samplings;        // sampling of each channel: one value for this many columns and lines
  Bytes channel_list;                 // the channel list as in the file
  Bytes raw;                          // all attributes as in the file, without the zero byte at their end
  std::vector<ExrLevel> levels;       // in the order of the chunk table
  std::vector<Attribute> attributes;  // attributes that describe the image, not its storage
  size_t table_at = 0;                // position of the chunk table
  size_t chunks_at = 0;               // end of all chunk tables, before which no chunk can be

  Size size() const { return {data_window.max_x - data_window.min_x + 1, data_window.max_y - data_window.min_y + 1}; }
  size_t bytes_per_texel() const;  // if every channel has a value
  bool is_subsampled() const;
  size_t chunk_count() const;
};

// "none", "rle", "zips", "zip", "piz", "pxr24", ...
std::string_view name_of_compression(int compression);
// Scan lines of a chunk with this compression.
int lines_of_exr_chunk(int compression);

// Region of a chunk in its level, clipped to the level.
struct ExrPlace {
  int x = 0, y = 0;
  Size size;
};
ExrPlace place_of_chunk(const ExrHeader& header, const ExrLevel& level, int column, int row);
// Uncompressed size of a chunk in bytes.
size_t raw_bytes_of(const ExrHeader& header, const ExrPlace& place);

// Size of the fields before a chunk's data: part, coordinates and length.
inline size_t chunk_head_bytes(const ExrHeader& header) {
  return (header.has_part_numbers ? 4 : 0) + (header.is_tiled ? 20 : 8);
}
// Offset of a chunk in the file, by its index in the table. Valid after check_exr_chunks.
size_t offset_of_chunk(Bytes file, const ExrHeader& header, size_t chunk);
// The compressed data of a chunk.
Bytes data_of_chunk(Bytes file, const ExrHeader& header, size_t chunk);
// A whole chunk, flat or deep, without its part number.
Bytes whole_chunk(Bytes file, const ExrHeader& header, size_t chunk);

// Reads the header of one part at `at`. The next header follows it.
ExrHeader parse_exr_header(Bytes file, size_t& at, bool is_one_of_several, const Limits& limits);

// Reads the headers of all parts. Throws Error(Exit::input) if they are damaged, above the limits or not supported.
std::vector<ExrHeader> parse_exr_headers(Bytes file, const Limits& limits);

// Selects a part by number or name; "": the first. Throws Error(Exit::input) if it does not exist, with the names of
// all parts, or if it holds deep data and `flattens` is false.
ExrHeader& part_wanted(std::vector<ExrHeader>& parts, const std::string& wanted, bool flattens);

// Checks that each chunk of a part is where the table says, with the required coordinates and a valid size.
void check_exr_chunks(Bytes file, const ExrHeader& header);

}  // namespace gpupost
