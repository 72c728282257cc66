// Checks that all chunks of an EXR file exist and where they are.
#include "core/codec/exr/header.h"

#include "core/base/math.h"

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

size_t raw_bytes_of(const ExrHeader& header, const ExrPlace& place) {
  if (!header.is_subsampled()) return texel_count(place.size) * header.bytes_per_texel();
  size_t bytes = 0;
  for (size_t i = 0; i < header.channels.size(); ++i) {
    const auto [across, down] = header.samplings[i];
    const auto lines_before = [down = down](int y) { return size_t(div_ceil(y, down)); };
    const size_t lines = lines_before(place.y + place.size.height) - lines_before(place.y);
    bytes += lines * size_t(place.size.width / across) * bytes_of(header.channels[i].depth);
  }
  return bytes;
}

size_t offset_of_chunk(Bytes file, const ExrHeader& header, size_t chunk) {
  return little_at<uint64_t>(file, header.table_at + 8 * chunk);
}

Bytes data_of_chunk(Bytes file, const ExrHeader& header, size_t chunk) {
  const size_t at = offset_of_chunk(file, header, chunk) + chunk_head_bytes(header);
  return part_of(file, at, little_at<uint32_t>(file, at - 4));
}

Bytes whole_chunk(Bytes file, const ExrHeader& header, size_t chunk) {
  const size_t part_bytes = header.has_part_numbers ? 4 : 0;
  const size_t at = offset_of_chunk(file, header, chunk) + part_bytes,
               head_bytes = chunk_head_bytes(header) - part_bytes;
  if (!header.is_deep) return part_of(file, at, head_bytes + little_at<uint32_t>(file, at + head_bytes - 4));
  const size_t sizes_at = at + head_bytes - 4;
  const size_t count_bytes = little_at<uint64_t>(file, sizes_at),
               sample_bytes = little_at<uint64_t>(file, sizes_at + 8);
  return part_of(file, at, head_bytes - 4 + 24 + count_bytes + sample_bytes);
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
  int part;  // -1: the file has no part numbers
};

std::string name_of(const ChunkWanted& wanted) {
  return fmt::format("chunk {} of {}{}", wanted.number + 1, wanted.count,
                     wanted.part < 0 ? "" : fmt::format(" of part {}", wanted.part));
}

void check_coordinates(Bytes file, const ExrHeader& header, const ChunkWanted& wanted, size_t at) {
  if (header.has_part_numbers) {
    const int found = little_at<int32_t>(file, at);
    if (found != header.part) fail(Exit::input, "{} claims to belong to part {}", name_of(wanted), found);
    at += 4;
  }
  if (!header.is_tiled) {
    const int y = header.data_window.min_y + wanted.row * header.chunk_size.height;
    const int found = little_at<int32_t>(file, at);
    if (found != y) fail(Exit::input, "{} claims to be line {}; it must be {}", name_of(wanted), found, y);
    return;
  }
  const int want[] = {wanted.column, wanted.row, wanted.level.x, wanted.level.y};
  for (size_t i = 0; i < 4; ++i)
    if (little_at<int32_t>(file, at + 4 * i) != want[i])
      fail(Exit::input, "{} is not the tile ({}, {}) of level ({}, {}) that it must be", name_of(wanted), want[0],
           want[1], want[2], want[3]);
}

// Position of a chunk, which must have space for `head_bytes`.
uint64_t start_of_chunk(Bytes file, const ExrHeader& header, const ChunkWanted& wanted, size_t head_bytes) {
  const uint64_t at = offset_of_chunk(file, header, wanted.number);
  if (at == 0)
    fail(Exit::input, "is incomplete: its offset table has no entry for {}, so its writer did not close the file",
         name_of(wanted));
  if (at < header.chunks_at) fail(Exit::input, "{} would start at byte {}, inside the header", name_of(wanted), at);
  if (at > file.size() || file.size() - at < head_bytes)
    fail(Exit::input, "is cut off: {} starts at byte {}, the file has {}", name_of(wanted), at, file.size());
  return at;
}

void check_end(Bytes file, const ChunkWanted& wanted, uint64_t data_at, uint64_t bytes) {
  if (bytes > file.size() - data_at)
    fail(Exit::input, "is cut off: {} ends at byte {}, the file has {}", name_of(wanted), data_at + bytes, file.size());
}

void check_chunk(Bytes file, const ExrHeader& header, const ChunkWanted& wanted) {
  const size_t head_bytes = chunk_head_bytes(header);
  const uint64_t at = start_of_chunk(file, header, wanted, head_bytes);
  check_coordinates(file, header, wanted, at);
  const uint32_t bytes = little_at<uint32_t>(file, at + head_bytes - 4);
  const bool is_plain = header.compression == 0;
  const bool is_empty = bytes == 0 && wanted.raw_bytes > 0;
  if (is_empty || bytes > wanted.raw_bytes || (is_plain && bytes != wanted.raw_bytes))
    fail(Exit::input, "{} has {} bytes; it must have {}{}", name_of(wanted), bytes, is_plain ? "" : "1 to ",
         wanted.raw_bytes);
  check_end(file, wanted, at + head_bytes, bytes);
  const bool is_piz = header.compression == 4 && bytes < wanted.raw_bytes;
  if (is_piz && !has_whole_piz_head(part_of(file, at + head_bytes, bytes)))
    fail(Exit::input, "{} has damaged PIZ data", name_of(wanted));
}

// Numbers of samples and the samples themselves, each packed, behind three lengths; the third is of the samples unpacked.
void check_deep_chunk(Bytes file, const ExrHeader& header, const ChunkWanted& wanted) {
  const size_t coordinate_bytes = chunk_head_bytes(header) - 4;
  const size_t head_bytes = coordinate_bytes + 3 * 8;
  const uint64_t at = start_of_chunk(file, header, wanted, head_bytes);
  check_coordinates(file, header, wanted, at);
  const uint64_t count_bytes = little_at<uint64_t>(file, at + coordinate_bytes);
  const uint64_t sample_bytes = little_at<uint64_t>(file, at + coordinate_bytes + 8);
  check_end(file, wanted, at + head_bytes, count_bytes);
  check_end(file, wanted, at + head_bytes + count_bytes, sample_bytes);
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
        const ChunkWanted wanted = {.number = number++,
                                    .count = count,
                                    .level = level,
                                    .column = column,
                                    .row = row,
                                    .raw_bytes = raw_bytes_of(header, place_of_chunk(header, level, column, row)),
                                    .part = header.has_part_numbers ? header.part : -1};
        if (header.is_deep) check_deep_chunk(file, header, wanted);
        else check_chunk(file, header, wanted);
      }
  }
}

}  // namespace gpupost
