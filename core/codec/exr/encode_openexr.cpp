#include "core/codec/exr/encode_openexr.h"

#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/exr/chunk_rows.h"
#include "core/codec/exr/header.h"
#include "core/codec/exr/memory_stream.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfCompression.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfThreading.h>
#include <OpenEXR/ImfTiledOutputFile.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

namespace gpupost {

namespace {

// Starts the threads of OpenEXR, which compress chunks. If they cannot be started, it compresses in the calling thread.
void start_threads() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      Imf::setGlobalThreadCount(core_count());
    } catch (const std::system_error&) {
      Imf::setGlobalThreadCount(0);
    }
  });
}

// A file in memory, as large as if nothing got smaller: pages that are not written take no memory.
class FileStream : public Imf::OStream {
 public:
  explicit FileStream(size_t most_bytes) : OStream("memory"), file_(most_bytes) {}
  void write(const char from[], int count) override { put(std::as_bytes(std::span(from, size_t(count)))); }
  void put(Bytes bytes) {
    if (bytes.size() > file_.size() - at_) throw std::runtime_error("the file is larger than its texels");
    std::ranges::copy(bytes, file_.data() + at_);
    at_ += bytes.size();
    end_ = std::max(end_, at_);
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t at) override { at_ = at; }

  Bytes bytes() const { return file_.bytes().first(end_); }
  void clear() { at_ = end_ = 0; }
  TexelBuffer finish() { return first_part(std::move(file_), end_); }

 private:
  TexelBuffer file_;
  size_t at_ = 0, end_ = 0;
};

Imf::Header parsed(Bytes header, std::optional<float> level_of_dwa) {
  MemoryStream stream(header);
  constexpr size_t version_at = 4, attributes_at = 8;
  auto version = int(little_at<uint32_t>(header, version_at));
  stream.seekg(attributes_at);
  Imf::Header parsed;
  parsed.readFrom(stream, version);
  if (level_of_dwa) parsed.dwaCompressionLevel() = *level_of_dwa;
  return parsed;
}

// Some rows of a level at a time, as OpenEXR takes them.
class Rows {
 public:
  Rows(std::span<const ExrChannel> channels, const Imath::Box2i& window)
      : channels_(channels), window_(window), bytes_per_texel_(bytes_per_texel(channels)) {}

  // Reads rows from `first` on, counted from the first row of the level.
  void read(int level, int width, int first, int count) {
    const size_t row_bytes = bytes_of_row(width);
    numbers_.resize(size_t(count) * row_bytes);
    constexpr int least_rows = 8;  // of a thread
    parallel_ranges(count, least_rows, [&](int begin, int end) {
      RowReader reader(channels_, width);
      std::byte* to = numbers_.data() + size_t(begin) * row_bytes;
      reader.read({.level = level, .x = 0, .y = first + begin, .size = {width, end - begin}},
                  [to](size_t at, Bytes bytes) { std::ranges::copy(bytes, to + at); });
      clamped_count_ += reader.clamped_count;
    });
    buffer_ = {};
    size_t before = 0;  // bytes of a texel of the channels before
    for (const ExrChannel& channel : channels_) {
      const size_t bytes = bytes_of(channel.depth);
      const Imf::PixelType type = channel.depth == Depth::half  ? Imf::HALF
                                  : channel.depth == Depth::f32 ? Imf::FLOAT
                                                                : Imf::UINT;
      auto* origin = reinterpret_cast<char*>(numbers_.data()) + int64_t(before * size_t(width)) -
                     int64_t(bytes) * window_.min.x - int64_t(row_bytes) * (int64_t(window_.min.y) + first);
      buffer_.insert(channel.name, Imf::Slice(type, origin, bytes, row_bytes));
      before += bytes;
    }
  }

  size_t bytes_of_row(int width) const { return size_t(width) * bytes_per_texel_; }
  const Imf::FrameBuffer& buffer() const { return buffer_; }
  size_t clamped_count() const { return clamped_count_; }

 private:
  std::span<const ExrChannel> channels_;
  Imath::Box2i window_;
  size_t bytes_per_texel_;
  std::vector<std::byte> numbers_;
  Imf::FrameBuffer buffer_;
  std::atomic<size_t> clamped_count_ = 0;
};

// Rows that are compressed at one time: a chunk of the compression with the most rows for each core, if that is not too much.
int rows_at_once(size_t row_bytes) {
  constexpr int most_rows_of_chunk = 256;
  constexpr size_t most_bytes = 1 << 27;
  const size_t fitting_chunks = most_bytes / (most_rows_of_chunk * row_bytes);
  return most_rows_of_chunk * int(std::clamp<size_t>(fitting_chunks, 1, size_t(core_count())));
}

// Bytes of a file besides its texels: the header with an attribute that OpenEXR may add, and for each chunk its entry in the
// table and its head.
size_t bytes_beside_texels(Bytes head, size_t chunk_count) {
  constexpr size_t added_bytes = 4096, chunk_bytes = 32;
  return head.size() + added_bytes + chunk_count * chunk_bytes;
}

// OpenEXR 3.1.5 leaves out a chunk if memory for its compression runs out, without an error, and then misuses the buffer of
// the chunk. So each group of rows is encoded as a file of its own, with new buffers. An entry of 0 in its table is a missing chunk.
void write_lines(const Imf::Header& header, Bytes head, const Level& level, int index, Rows& rows, FileStream& to) {
  const int chunk_lines = lines_of_exr_chunk(int(header.compression()));
  const int step = rows_at_once(rows.bytes_of_row(level.size.width));  // whole chunks
  std::vector<uint64_t> table;
  const size_t table_bytes = size_t(div_ceil(level.size.height, chunk_lines)) * sizeof(uint64_t);
  to.put(head);
  to.seekp(head.size() + table_bytes);
  const auto most_rows = size_t(std::min(step, level.size.height));
  FileStream group(bytes_beside_texels(head, most_rows) + most_rows * rows.bytes_of_row(level.size.width));
  for (int y = 0; y < level.size.height; y += step) {
    const int count = std::min(step, level.size.height - y);
    rows.read(index, level.size.width, y, count);
    Imf::Header group_header = header;
    Imath::Box2i& window = group_header.dataWindow();
    window.min.y += y;
    window.max.y = window.min.y + count - 1;
    group.clear();
    uint64_t chunks_at = 0;
    {
      Imf::OutputFile output(group, group_header, core_count());
      chunks_at = group.tellp();
      output.setFrameBuffer(rows.buffer());
      output.writePixels(count);
    }  // writes the table of chunks
    const auto chunk_count = uint64_t(div_ceil(count, chunk_lines));
    for (uint64_t entry = chunks_at - chunk_count * sizeof entry; entry < chunks_at; entry += sizeof entry) {
      const auto at = little_at<uint64_t>(group.bytes(), entry);
      if (at == 0) throw std::bad_alloc();
      table.push_back(to.tellp() + at - chunks_at);
    }
    to.put(group.bytes().subspan(chunks_at));
  }
  to.seekp(head.size());
  to.put(std::as_bytes(std::span(table)));
}

// If memory for a tile runs out, OpenEXR throws an error at the end of the call, but before that it uses the compressor of the
// tile again, which may crash. So a call gets no more tiles than there are compressors.
void write_tiles(const Imf::Header& header, std::span<const Level> levels, Rows& rows, Imf::OStream& to) {
  const int compressor_count = 8 * core_count();
  Imf::TiledOutputFile output(to, header, compressor_count / 2);  // OpenEXR makes two for each thread
  const int tile_height = int(header.tileDescription().ySize);
  const int tile_rows = std::max(1, rows_at_once(rows.bytes_of_row(levels.front().size.width)) / tile_height);
  for (int index = 0; index < output.numLevels(); ++index) {
    const Size size = levels[size_t(index)].size;
    const int columns = output.numXTiles(index), all_rows = output.numYTiles(index);
    const int columns_a_call = std::min(columns, compressor_count), rows_a_call = compressor_count / columns_a_call;
    for (int tile = 0; tile < all_rows; tile += tile_rows) {
      const int end = std::min(tile + tile_rows, all_rows);
      const int first_row = tile * tile_height;
      rows.read(index, size.width, first_row, std::min(size.height, end * tile_height) - first_row);
      output.setFrameBuffer(rows.buffer());
      for (int y = tile; y < end; y += rows_a_call)
        for (int x = 0; x < columns; x += columns_a_call)
          output.writeTiles(x, std::min(x + columns_a_call, columns) - 1, y, std::min(y + rows_a_call, end) - 1, index);
    }
  }
}

}  // namespace

EncodedChunks encode_by_openexr(Bytes header, std::span<const ExrChannel> channels, const ChunkOptions& options,
                                std::optional<float> level_of_dwa) {
  try {
    start_threads();
    const Imf::Header parsed_header = parsed(header, level_of_dwa);
    const std::span<const Level> levels = channels.front().group->levels;
    const bool is_tiled = options.tile.width > 0;
    size_t texel_bytes = 0, most_chunks = 0;
    for (const Level& level : levels) {
      const size_t tiles = is_tiled ? size_t(div_ceil(level.size.width, options.tile.width)) : 1;
      texel_bytes += texel_count(level.size) * bytes_per_texel(channels);
      most_chunks += tiles * size_t(level.size.height);
    }
    FileStream to(bytes_beside_texels(header, most_chunks) + texel_bytes);
    Rows rows(channels, parsed_header.dataWindow());
    if (is_tiled) write_tiles(parsed_header, levels, rows, to);
    else write_lines(parsed_header, header, levels[size_t(options.level)], options.level, rows, to);
    return {.file = to.finish(), .clamped_count = rows.clamped_count()};
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    rethrow_bad_alloc(error);
    fail(Exit::output, "exr: OpenEXR cannot encode the image: {}", error.what());
  }
}

}  // namespace gpupost
