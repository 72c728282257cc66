// Where an EXR file's chunks are, and whether they are all there.
#include "core/codec/exr_header.h"

#include <algorithm>

namespace gpupost {

ExrPlace place_of_chunk(const ExrHeader& header, const ExrLevel& level, int column, int row) {
  const int64_t x = int64_t(column) * header.chunk_size.width;
  const int64_t y = int64_t(row) * header.chunk_size.height;
  return {.x = int(x),
          .y = int(y),
          .size = {int(std::min<int64_t>(header.chunk_size.width, level.size.width - x)),
                   int(std::min<int64_t>(header.chunk_size.height, level.size.height - y))}};
}

size_t offset_of_chunk(Bytes file, const ExrHeader& header, size_t chunk) {
  return little_at<uint64_t>(file, header.table_at + 8 * chunk);
}

namespace {

// PIZ, as ImfPizCompressor.cpp of OpenEXR writes it: a bitmap of the values that occur, a length, Huffman data with a head of
// 20 bytes, in it the first and last code. tinyexr 1.0.1 reads all of these before it looks at the chunk's end.
bool has_whole_piz_head(Bytes data) {
  constexpr size_t bitmap_bytes = 8192, huffman_head_bytes = 20, code_count = 65537;
  if (data.size() < 4) return false;
  const size_t first = little_at<uint16_t>(data, 0);
  const size_t last = little_at<uint16_t>(data, 2);
  const size_t bitmap = first <= last ? last - first + 1 : 0;
  if (last >= bitmap_bytes || data.size() < 4 + bitmap + 4 + huffman_head_bytes) return false;
  const uint32_t huffman_bytes = little_at<uint32_t>(data, 4 + bitmap);
  const size_t huffman_at = 4 + bitmap + 4;
  return huffman_bytes >= huffman_head_bytes && huffman_bytes <= data.size() - huffman_at &&
         little_at<uint32_t>(data, huffman_at) < code_count && little_at<uint32_t>(data, huffman_at + 4) < code_count;
}

struct ChunkWanted {
  size_t number;  // in the table
  size_t count;   // of all chunks
  const ExrLevel& level;
  int column, row;
  size_t raw_bytes;
};

void check_coordinates(Bytes file, const ExrHeader& header, const ChunkWanted& wanted, size_t at) {
  if (!header.is_tiled) {
    const int y = header.data_window.min_y + wanted.row * header.chunk_size.height;
    const int found = little_at<int32_t>(file, at);
    if (found != y)
      fail(Exit::input, "chunk {} of {} says it is line {}; it must be {}", wanted.number + 1, wanted.count, found, y);
    return;
  }
  const int want[] = {wanted.column, wanted.row, wanted.level.x, wanted.level.y};
  for (size_t i = 0; i < 4; ++i)
    if (little_at<int32_t>(file, at + 4 * i) != want[i])
      fail(Exit::input, "chunk {} of {} is not the tile ({}, {}) of level ({}, {}) that it must be", wanted.number + 1,
           wanted.count, want[0], want[1], want[2], want[3]);
}

void check_chunk(Bytes file, const ExrHeader& header, const ChunkWanted& wanted) {
  const size_t head_bytes = chunk_head_bytes(header);
  const size_t table_end = header.table_at + 8 * wanted.count;
  const uint64_t at = offset_of_chunk(file, header, wanted.number);
  if (at == 0) fail(Exit::input, "is cut off: chunk {} of {} was never written", wanted.number + 1, wanted.count);
  if (at < table_end)
    fail(Exit::input, "chunk {} of {} is said to start at byte {}, inside the header", wanted.number + 1, wanted.count,
         at);
  if (at > file.size() || file.size() - at < head_bytes)
    fail(Exit::input, "is cut off: chunk {} of {} starts at byte {}, the file has {}", wanted.number + 1, wanted.count,
         at, file.size());
  check_coordinates(file, header, wanted, at);
  const uint32_t bytes = little_at<uint32_t>(file, at + head_bytes - 4);
  const bool is_plain = header.compression == 0;
  if (bytes == 0 || bytes > wanted.raw_bytes || (is_plain && bytes != wanted.raw_bytes))
    fail(Exit::input, "chunk {} of {} has {} bytes; it must have {}{}", wanted.number + 1, wanted.count, bytes,
         is_plain ? "" : "1 to ", wanted.raw_bytes);
  if (bytes > file.size() - at - head_bytes)
    fail(Exit::input, "is cut off: chunk {} of {} ends at byte {}, the file has {}", wanted.number + 1, wanted.count,
         at + head_bytes + bytes, file.size());
  const bool is_piz = header.compression == 4 && bytes < wanted.raw_bytes;
  if (is_piz && !has_whole_piz_head(part_of(file, at + head_bytes, bytes)))
    fail(Exit::input, "chunk {} of {} has damaged PIZ data", wanted.number + 1, wanted.count);
}

}  // namespace

void check_exr_chunks(Bytes file, const ExrHeader& header) {
  const size_t count = header.chunk_count();
  if (file.size() < header.table_at || (file.size() - header.table_at) / 8 < count)
    fail(Exit::input, "is cut off: the table of its {} chunks ends at byte {}, the file has {}", count,
         header.table_at + 8 * count, file.size());
  for (const ExrLevel& level : header.levels) {
    size_t number = level.first_chunk;
    for (int row = 0; row < level.rows; ++row)
      for (int column = 0; column < level.columns; ++column) {
        const size_t texels = texel_count(place_of_chunk(header, level, column, row).size);
        check_chunk(file, header,
                    {.number = number++,
                     .count = count,
                     .level = level,
                     .column = column,
                     .row = row,
                     .raw_bytes = texels * header.bytes_per_texel()});
      }
  }
}

}  // namespace gpupost
