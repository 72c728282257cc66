#include "core/codec/exr/encode_chunks.h"

#include "core/base/threads.h"
#include "core/codec/exr/chunk_rows.h"
#include "core/codec/exr/pack_block.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace gpupost {
namespace {

constexpr size_t least_bytes_per_thread = 1 << 17;  // of raw texels; for less, starting a thread takes longer

std::vector<Chunk> chunks_of(const Group& group, const ChunkOptions& options) {
  std::vector<Chunk> chunks;
  const auto add = [&](int level, Size whole, Size step) {
    for (int y = 0; y < whole.height; y += step.height)
      for (int x = 0; x < whole.width; x += step.width)
        chunks.push_back(
            {level, x, y, {std::min(step.width, whole.width - x), std::min(step.height, whole.height - y)}});
  };
  if (options.tile.width == 0) {
    const Size size = group.levels[size_t(options.level)].size;
    add(options.level, size, {size.width, options.compression == Compression::zip ? 16 : 1});
    return chunks;
  }
  const int count = level_count_of(group.levels.front().size);
  for (int level = 0; level < count; ++level) add(level, group.levels[size_t(level)].size, options.tile);
  return chunks;
}

// Header of a chunk: its place in the image, and the number of bytes that follow.
struct ChunkHead {
  std::array<int32_t, 5> numbers{};
  size_t count = 0;

  ChunkHead(const Chunk& chunk, size_t bytes, const ChunkOptions& options) {
    const auto size = int32_t(bytes);
    if (options.tile.width == 0) numbers = {chunk.y + options.min_y, size}, count = 2;
    else
      numbers = {chunk.x / options.tile.width, chunk.y / options.tile.height, chunk.level, chunk.level, size},
      count = 5;
  }
  Bytes bytes() const { return std::as_bytes(std::span(numbers).first(count)); }
};

// The file, to which chunks are appended in their order, whichever is ready first.
class ChunkFile {
 public:
  ChunkFile(std::span<const std::byte> header, size_t chunk_count, size_t most_bytes)
      : file_(header.size() + chunk_count * sizeof(uint64_t) + most_bytes),
        table_(header.size()),
        end_(header.size() + chunk_count * sizeof(uint64_t)) {
    std::ranges::copy(header, file_.data());
  }

  void add(size_t index, const ChunkHead& head, Bytes bytes) {
    std::vector<std::byte> chunk(head.bytes().begin(), head.bytes().end());
    chunk.insert(chunk.end(), bytes.begin(), bytes.end());
    // The lock gives places. The bytes are copied without it, because new pages take longer than the bytes.
    for (const auto& [at, own] : placed(index, std::move(chunk))) std::ranges::copy(own, file_.data() + at);
  }

  TexelBuffer finish() { return first_part(std::move(file_), end_); }

 private:
  // The chunks that have a place now, each with its place: `chunk` and those that waited for it.
  std::vector<std::pair<uint64_t, std::vector<std::byte>>> placed(size_t index, std::vector<std::byte> chunk) {
    std::vector<std::pair<uint64_t, std::vector<std::byte>>> found;
    const std::lock_guard lock(mutex_);
    waiting_[index] = std::move(chunk);
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.begin()) {
      const uint64_t at = end_;
      std::memcpy(file_.data() + table_ + next_++ * sizeof at, &at, sizeof at);
      end_ += first->second.size();
      found.emplace_back(at, std::move(first->second));
      waiting_.erase(first);
    }
    return found;
  }

  TexelBuffer file_;  // as large as if nothing gets smaller; pages that are not written take no memory
  size_t table_, end_;
  std::mutex mutex_;
  size_t next_ = 0;
  std::map<size_t, std::vector<std::byte>> waiting_;
};

}  // namespace

EncodedChunks encode_chunks(std::span<const std::byte> header, std::span<const ExrChannel> channels,
                            const ChunkOptions& options) {
  const std::vector<Chunk> chunks = chunks_of(*channels.front().group, options);
  int most_width = 0;
  size_t most_texels = 0, all_texels = 0;
  for (const Chunk& chunk : chunks) {
    most_width = std::max(most_width, chunk.size.width);
    most_texels = std::max(most_texels, texel_count(chunk.size));
    all_texels += texel_count(chunk.size);
  }
  const size_t texel_bytes = bytes_per_texel(channels);
  if (most_texels * texel_bytes > size_t(INT32_MAX))
    fail(Exit::usage, "exr: a chunk of {} bytes is too large for the format", most_texels * texel_bytes);
  ChunkFile file(header, chunks.size(), all_texels * texel_bytes + chunks.size() * sizeof(ChunkHead::numbers));
  std::atomic<size_t> next = 0, clamped_count = 0;
  // Each thread takes the next chunk, so that few wait for their place in the file.
  const size_t most_threads = std::min(chunks.size(), 1 + all_texels * texel_bytes / least_bytes_per_thread);
  parallel_ranges(int(std::min<size_t>(most_threads, size_t(core_count()))), 1, [&](int, int) {
    RowReader reader(channels, most_width);
    BlockPacker packer(options.compression, options.deflate_level, most_texels * texel_bytes);
    for (size_t index = next++; index < chunks.size(); index = next++) {
      packer.start(texel_count(chunks[index].size) * texel_bytes);
      reader.read(chunks[index], [&packer](size_t at, Bytes bytes) { packer.put(at, bytes.data(), bytes.size()); });
      const Bytes packed = packer.packed();
      file.add(index, ChunkHead(chunks[index], packed.size(), options), packed);
    }
    clamped_count += reader.clamped_count;
  });
  return {.file = file.finish(), .clamped_count = clamped_count};
}

}  // namespace gpupost
