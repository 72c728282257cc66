// Decodes with tinyexr, which gets a file with one block at a time: some whole chunks, or one tile as an image of its
// own, already unzipped. Its buffers thus stay in the cache, gpupost controls the threads, and one level can be read
// without the others.
#include "core/codec/exr/block_decoder.h"

#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/exr/zip_block.h"
#include "core/codec/third_party/tinyexr_settings.h"

#include <tinyexr.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

namespace gpupost {

namespace {

constexpr int lines_a_piece = 16;  // as in ZIP; single lines cost more setup than decoding

// Frees memory of tinyexr on every exit.
class TinyImage {
 public:
  TinyImage() { InitEXRImage(&image); }
  ~TinyImage() { FreeEXRImage(&image); }
  TinyImage(const TinyImage&) = delete;
  TinyImage& operator=(const TinyImage&) = delete;
  EXRImage image;
};

struct TinyHeader {
  std::vector<EXRChannelInfo> channels;
  std::vector<int> types;
  std::vector<int> wanted_types;
  EXRHeader header;
};

TinyHeader tiny_header(std::span<const EXRChannelInfo> channels, int compression) {
  TinyHeader tiny{.channels = {channels.begin(), channels.end()}, .types = {}, .wanted_types = {}, .header = {}};
  for (const EXRChannelInfo& channel : channels) tiny.types.push_back(channel.pixel_type);
  tiny.wanted_types = tiny.types;
  InitEXRHeader(&tiny.header);
  tiny.header.channels = tiny.channels.data();
  tiny.header.pixel_types = tiny.types.data();
  tiny.header.requested_pixel_types = tiny.wanted_types.data();
  tiny.header.num_channels = int(channels.size());
  tiny.header.compression_type = compression;
  tiny.header.line_order = 0;  // tinyexr 1.0.1 turns other orders upside down; see test_decode_exr
  return tiny;
}

// `table_at`: position of the chunk offsets in `file`.
void load(TinyImage& to, TinyHeader& tiny, Bytes file, size_t table_at, size_t chunk) {
  tiny.header.header_len = unsigned(table_at - 8);  // it adds the 8 bytes of the magic number itself
  tinyexr_thread_count = 1;
  const char* message = nullptr;
  const int code = LoadEXRImageFromMemory(&to.image, &tiny.header, unsigned_bytes(file), file.size(), &message);
  if (message) FreeEXRErrorMessage(message);
  tinyexr_thread_count = 0;
  if (code == TINYEXR_SUCCESS) return;
  to.image = {};  // tinyexr has freed the image but kept the pointers
  refuse_chunk(chunk);
}

int tiny_type(Depth depth) {
  return depth == Depth::u32    ? TINYEXR_PIXELTYPE_UINT
         : depth == Depth::half ? TINYEXR_PIXELTYPE_HALF
                                : TINYEXR_PIXELTYPE_FLOAT;
}

// A file of chunks that stand one behind the other, without a header: 16 bytes for its place, the table, the chunks.
class SmallFile {
 public:
  SmallFile(size_t chunk_count, size_t bytes_a_chunk)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(table_at + chunk_count * (8 + bytes_a_chunk))),
        end_(table_at + 8 * chunk_count) {}

  // Space for the next chunk's data, after its `head` and length.
  std::byte* add(std::span<const int> head, size_t data_bytes) {
    const auto length = uint32_t(data_bytes);
    std::memcpy(&bytes_[table_at + 8 * chunk_count_++], &end_, 8);
    std::memcpy(&bytes_[end_], head.data(), head.size_bytes());
    std::memcpy(&bytes_[end_ + head.size_bytes()], &length, 4);
    std::byte* data = &bytes_[end_ + head.size_bytes() + 4];
    end_ += head.size_bytes() + 4 + data_bytes;
    return data;
  }
  Bytes bytes() const { return {bytes_.get(), size_t(end_)}; }
  static constexpr size_t table_at = 16;

 private:
  std::unique_ptr<std::byte[]> bytes_;
  uint64_t end_;
  size_t chunk_count_ = 0;
};

// Makes tinyexr's header from ExrHeader, so that the header parser of tinyexr is never used.
class TinyexrBlocks : public BlockDecoder {
 public:
  TinyexrBlocks(Bytes file, const ExrHeader& header, const ExrLevel& level);
  int count() const override { return columns_ * rows_; }
  void decode(int index, const BlockSink& use) const override;

 private:
  void decode_lines(int row, const BlockSink& use) const;
  bool is_zipped() const;
  SmallFile unzipped_lines(size_t chunk, const ExrPlace& place) const;
  SmallFile copied_lines(size_t chunk, const ExrPlace& place) const;
  void decode_tile(int column, int row, const BlockSink& use) const;

  Bytes file_;
  const ExrHeader& header_;
  const ExrLevel& level_;
  std::vector<EXRChannelInfo> channels_;
  int chunks_a_piece_ = 1;
  int columns_ = 1;
  int rows_ = 1;
};

TinyexrBlocks::TinyexrBlocks(Bytes file, const ExrHeader& header, const ExrLevel& level)
    : file_(file), header_(header), level_(level) {
  for (const Channel& channel : header.channels) {
    EXRChannelInfo info = {};
    info.pixel_type = tiny_type(channel.depth);
    info.x_sampling = info.y_sampling = 1;
    channels_.push_back(info);
  }
  if (!header.is_tiled) chunks_a_piece_ = std::max(1, lines_a_piece / header.chunk_size.height);
  columns_ = level.columns;
  rows_ = div_ceil(level.rows, chunks_a_piece_);
}

void TinyexrBlocks::decode(int index, const BlockSink& use) const {
  if (header_.is_tiled) decode_tile(index % columns_, index / columns_, use);
  else decode_lines(index, use);
}

bool TinyexrBlocks::is_zipped() const { return name_of_compression(header_.compression).starts_with("zip"); }

void TinyexrBlocks::decode_lines(int row, const BlockSink& use) const {
  const int lines = chunks_a_piece_ * header_.chunk_size.height;
  const int y = row * lines;
  const ExrPlace place = {.x = 0, .y = y, .size = {level_.size.width, std::min(lines, level_.size.height - y)}};
  const Window& window = header_.data_window;
  TinyHeader tiny = tiny_header(channels_, is_zipped() ? TINYEXR_COMPRESSIONTYPE_NONE : header_.compression);
  tiny.header.data_window = {window.min_x, window.min_y + y, window.max_x, window.min_y + y + place.size.height - 1};
  const size_t first_chunk = size_t(row) * size_t(chunks_a_piece_);
  TinyImage tiny_image;
  if (is_zipped()) {
    const SmallFile unzipped = unzipped_lines(first_chunk, place);
    load(tiny_image, tiny, unzipped.bytes(), SmallFile::table_at, first_chunk);
  } else if (header_.has_part_numbers) {
    const SmallFile copied = copied_lines(first_chunk, place);
    load(tiny_image, tiny, copied.bytes(), SmallFile::table_at, first_chunk);
  } else {
    load(tiny_image, tiny, file_, header_.table_at + 8 * first_chunk, first_chunk);
  }
  use({.place = place, .planes = {tiny_image.image.images, channels_.size()}});
}

// Stores lines as in an uncompressed file.
SmallFile TinyexrBlocks::unzipped_lines(size_t chunk, const ExrPlace& place) const {
  const size_t line_bytes = header_.bytes_per_texel() * size_t(place.size.width);
  SmallFile lines(size_t(place.size.height), 8 + line_bytes);
  Unzipped unzipped(line_bytes * size_t(header_.chunk_size.height));
  for (int y = 0; y < place.size.height; y += header_.chunk_size.height, ++chunk) {
    const int height = std::min(header_.chunk_size.height, place.size.height - y);
    if (!unzipped.unpack(data_of_chunk(file_, header_, chunk), line_bytes * size_t(height))) refuse_chunk(chunk);
    for (int line = 0; line < height; ++line) {
      const int head[] = {header_.data_window.min_y + place.y + y + line};
      unzipped.copy(line_bytes * size_t(line), line_bytes, lines.add(head, line_bytes));
    }
  }
  return lines;
}

// Chunks without part numbers, which tinyexr does not expect.
SmallFile TinyexrBlocks::copied_lines(size_t chunk, const ExrPlace& place) const {
  const int chunk_count = div_ceil(place.size.height, header_.chunk_size.height);
  const size_t chunk_bytes = raw_bytes_of(header_, {.size = header_.chunk_size});
  SmallFile lines(size_t(chunk_count), 8 + chunk_bytes);
  for (int index = 0; index < chunk_count; ++index) {
    const Bytes data = data_of_chunk(file_, header_, chunk + size_t(index));
    const int head[] = {header_.data_window.min_y + place.y + index * header_.chunk_size.height};
    std::memcpy(lines.add(head, data.size()), data.data(), data.size());
  }
  return lines;
}

void TinyexrBlocks::decode_tile(int column, int row, const BlockSink& use) const {
  const ExrPlace place = place_of_chunk(header_, level_, column, row);
  const size_t number = level_.first_chunk + size_t(row) * size_t(level_.columns) + size_t(column);
  const Bytes data = data_of_chunk(file_, header_, number);
  const size_t bytes = is_zipped() ? header_.bytes_per_texel() * texel_count(place.size) : data.size();
  // Makes an image that has only this tile.
  constexpr int head[] = {0, 0, 0, 0};
  SmallFile alone(1, sizeof head + 4 + bytes);
  std::byte* to = alone.add(head, bytes);
  if (is_zipped()) {
    Unzipped unzipped(bytes);
    if (!unzipped.unpack(data, bytes)) refuse_chunk(number);
    unzipped.copy(0, bytes, to);
  } else {
    std::memcpy(to, data.data(), bytes);
  }
  TinyHeader tiny = tiny_header(channels_, is_zipped() ? TINYEXR_COMPRESSIONTYPE_NONE : header_.compression);
  tiny.header.data_window = {0, 0, place.size.width - 1, place.size.height - 1};
  tiny.header.tiled = 1;
  tiny.header.tile_size_x = place.size.width;
  tiny.header.tile_size_y = place.size.height;
  tiny.header.tile_level_mode = TINYEXR_TILE_ONE_LEVEL;
  TinyImage tiny_image;
  load(tiny_image, tiny, alone.bytes(), SmallFile::table_at, number);
  use({.place = place, .planes = {tiny_image.image.tiles[0].images, channels_.size()}});
}

}  // namespace

void refuse_chunk(size_t chunk) {
  fail(Exit::input, "is damaged: chunk {} and the chunks after it cannot be decoded", chunk + 1);
}

// tinyexr 1.0.1 supports the first compressions, and PIZ slowly. It does not support subsampled channels.
std::unique_ptr<BlockDecoder> pieces_of(Bytes file, const ExrHeader& header, const ExrLevel& level) {
  const bool needs_openexr = header.compression > int(Compression::zip) || header.is_subsampled();
  return needs_openexr ? pieces_by_openexr(file, header, level) : pieces_by_tinyexr(file, header, level);
}

// Threads take blocks dynamically, because cores are shared and blocks differ.
void decode_all(const BlockDecoder& blocks, const BlockSink& use) {
  std::atomic<int> next = 0;
  parallel_ranges(std::min(core_count(), blocks.count()), 1, [&](int, int) {
    for (int index = next++; index < blocks.count(); index = next++) blocks.decode(index, use);
  });
}

std::unique_ptr<BlockDecoder> pieces_by_tinyexr(Bytes file, const ExrHeader& header, const ExrLevel& level) {
  return std::make_unique<TinyexrBlocks>(file, header, level);
}

}  // namespace gpupost
