#include "core/codec/exr/deep_samples.h"

#include "core/codec/exr/block_decoder.h"
#include "core/codec/exr/zip_block.h"

#include <algorithm>
#include <optional>

namespace gpupost {

namespace {

// Bytes that one packed byte can become: 128 of a run have two bytes; Deflate packs at most 1032 to 1.
constexpr uint64_t most_ratio = 1032;

// Unpacks compressed data to `to`. Returns false if it is damaged.
bool decompress(Bytes packed, Compression compression, std::span<std::byte> to) {
  if (compression == Compression::none || to.size() / most_ratio > packed.size()) return false;
  Unzipped unpacked(to.size());
  const bool is_whole =
      compression == Compression::rle ? unpacked.unpack_runs(packed, to.size()) : unpacked.unzip(packed, to.size());
  if (is_whole) unpacked.copy(0, to.size(), to.data());
  return is_whole;
}

// The same for data that is stored as it is if compression does not make it smaller.
bool unpack(Bytes packed, Compression compression, std::span<std::byte> to) {
  if (to.empty()) return true;
  if (packed.size() != to.size()) return packed.size() < to.size() && decompress(packed, compression, to);
  std::ranges::copy(packed, to.begin());
  return true;
}

// The table of a tile at the border. OpenEXR compresses it if that makes it smaller than the table of a whole tile. Without
// compression, it has the size of a whole tile. Other writers may use the size of the tile.
bool unpack_table(Bytes packed, const ExrHeader& header, std::span<std::byte> table) {
  const auto compression = Compression(header.compression);
  const size_t whole = std::max(table.size(), texel_count(header.chunk_size) * 4);
  if (packed.size() == whole) packed = packed.first(table.size());
  else if (packed.size() < whole && decompress(packed, compression, table)) return true;
  return unpack(packed, compression, table);
}

// The file has sums of the sample counts along each row. Returns the number of samples, or nothing if a sum decreases.
std::optional<uint64_t> take_ends(std::span<const std::byte> table, Size size, std::vector<DeepRow>& rows) {
  uint64_t sample_count = 0;
  for (int y = 0; y < size.height; ++y) {
    DeepRow& row = rows.emplace_back();
    row.ends.resize(size_t(size.width));
    std::memcpy(row.ends.data(), table.data() + size_t(y) * size_t(size.width) * 4, size_t(size.width) * 4);
    if (!std::ranges::is_sorted(row.ends)) return std::nullopt;
    sample_count += row.ends.back();
  }
  return sample_count;
}

}  // namespace

DeepChunk unpack_deep_chunk(Bytes file, const ExrHeader& header, const ExrLevel& level, int column, int row,
                            uint64_t most_bytes) {
  const size_t number = level.first_chunk + size_t(row) * size_t(level.columns) + size_t(column);
  const size_t at = offset_of_chunk(file, header, number) + chunk_head_bytes(header) - 4;
  const auto count_bytes = size_t(little_at<uint64_t>(file, at));
  const auto packed_bytes = size_t(little_at<uint64_t>(file, at + 8));
  const auto claimed_bytes = little_at<uint64_t>(file, at + 16);
  const auto compression = Compression(header.compression);

  DeepChunk chunk{.place = place_of_chunk(header, level, column, row)};
  std::vector<std::byte> table(texel_count(chunk.place.size) * 4);
  if (!unpack_table(part_of(file, at + 24, count_bytes), header, table)) refuse_chunk(number);
  const auto sample_count = take_ends(table, chunk.place.size, chunk.rows);
  if (!sample_count || *sample_count * header.bytes_per_texel() != claimed_bytes) refuse_chunk(number);
  if (claimed_bytes > most_bytes)
    fail(Exit::input, "chunk {} has samples of {} bytes; the limit is {} (raise it with --max-decoded)", number + 1,
         claimed_bytes, most_bytes);
  const Bytes packed = part_of(file, at + 24 + count_bytes, packed_bytes);
  if (claimed_bytes / most_ratio > packed.size()) refuse_chunk(number);
  chunk.samples.resize(size_t(claimed_bytes));
  if (!unpack(packed, compression, chunk.samples)) refuse_chunk(number);

  const std::byte* data = chunk.samples.data();
  for (DeepRow& samples : chunk.rows)
    for (const Channel& channel : header.channels) {
      samples.channel_data.push_back(data);
      data += samples.ends.back() * bytes_of(channel.depth);
    }
  return chunk;
}

}  // namespace gpupost
