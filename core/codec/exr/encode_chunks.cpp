#include "core/codec/exr/encode_chunks.h"

#include "core/base/half.h"
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/exr/pack_block.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace gpupost {
namespace {

constexpr size_t least_bytes_per_thread = 1 << 17;  // of raw texels; for less, starting a thread takes longer

template <class Number>
void split(const std::byte* texels, const std::array<std::byte*, 4>& to, size_t count) {
  const auto* __restrict from = reinterpret_cast<const Number*>(texels);
  auto* __restrict first = reinterpret_cast<Number*>(to[0]);
  auto* __restrict second = reinterpret_cast<Number*>(to[1]);
  auto* __restrict third = reinterpret_cast<Number*>(to[2]);
  auto* __restrict fourth = reinterpret_cast<Number*>(to[3]);
  for (size_t i = 0; i < count; ++i) {
    first[i] = from[4 * i];
    second[i] = from[4 * i + 1];
    third[i] = from[4 * i + 2];
    fourth[i] = from[4 * i + 3];
  }
}

// From half to f32 or back; returns how many numbers were clamped.
size_t change_run(const std::byte* from, std::byte* to, Depth to_depth, size_t count) {
  if (to_depth == Depth::half)
    return halves_from_floats(reinterpret_cast<const float*>(from), reinterpret_cast<uint16_t*>(to), count);
  floats_from_halves(reinterpret_cast<const uint16_t*>(from), reinterpret_cast<float*>(to), count);
  return 0;
}

// Channels of one group by component; nullptr if the file does not have it.
struct Part {
  const Group* group = nullptr;
  std::array<const ExrChannel*, 4> channels{};
  std::array<size_t, 4> at{};  // bytes of the channels before it, for each texel of a row
};

std::vector<Part> parts_of(std::span<const ExrChannel> channels) {
  std::vector<Part> parts;
  size_t at = 0;
  for (const ExrChannel& channel : channels) {
    auto part = std::ranges::find(parts, channel.group, &Part::group);
    if (part == parts.end()) part = parts.insert(part, Part{.group = channel.group});
    part->channels[channel.component] = &channel;
    part->at[channel.component] = at;
    at += bytes_of(channel.depth);
  }
  return parts;
}

// Scan lines or a tile of a level.
struct Chunk {
  int level = 0;
  int x = 0, y = 0;  // texel at the upper left
  Size size;
};

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

// Reads the rows of chunks, one chunk at a time.
class RowReader {
 public:
  RowReader(std::span<const ExrChannel> channels, int most_width)
      : parts_(parts_of(channels)), split_(8 * size_t(most_width)) {
    for (const ExrChannel& channel : channels) bytes_per_texel += bytes_of(channel.depth);
  }

  void read(const Chunk& chunk, BlockPacker& packer) {
    packer.start(texel_count(chunk.size) * bytes_per_texel);
    for (int row = 0; row < chunk.size.height; ++row)
      for (const Part& part : parts_) read_row(part, chunk, row, packer);
  }

  size_t bytes_per_texel = 0;
  size_t clamped_count = 0;

 private:
  void read_row(const Part& part, const Chunk& chunk, int row, BlockPacker& packer) {
    const Level& level = part.group->levels[size_t(chunk.level)];
    const Depth depth = part.group->depth;
    const auto count = size_t(chunk.size.width);
    const size_t first = size_t(chunk.y + row) * size_t(level.size.width) + size_t(chunk.x);
    const std::byte* texels = level.texels.data() + first * 4 * bytes_of(depth);
    std::array<std::byte*, 4> planes{};
    for (size_t c = 0; c < 4; ++c) planes[c] = reinterpret_cast<std::byte*>(split_.data() + c * count);
    if (depth == Depth::half) split<uint16_t>(texels, planes, count);
    else split<uint32_t>(texels, planes, count);
    const size_t row_at = size_t(row) * count * bytes_per_texel;
    for (size_t c = 0; c < 4; ++c) {
      if (!part.channels[c]) continue;
      const Depth written = part.channels[c]->depth;
      const std::byte* numbers = planes[c];
      if (written != depth) {
        auto* changed = reinterpret_cast<std::byte*>(split_.data() + 4 * count);
        clamped_count += change_run(numbers, changed, written, count);
        numbers = changed;
      }
      packer.put(row_at + part.at[c] * count, numbers, count * bytes_of(written));
    }
  }

  std::vector<Part> parts_;
  std::vector<float> split_;  // rows of the four components, and one for conversion
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

  TexelBuffer finish() {
    auto whole = std::make_shared<TexelBuffer>(std::move(file_));
    return TexelBuffer(whole->data(), end_, [whole] {});
  }

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
  const size_t bytes_per_texel = RowReader(channels, 1).bytes_per_texel;
  if (most_texels * bytes_per_texel > size_t(INT32_MAX))
    fail(Exit::usage, "exr: a chunk of {} bytes is too large for the format", most_texels * bytes_per_texel);
  ChunkFile file(header, chunks.size(), all_texels * bytes_per_texel + chunks.size() * sizeof(ChunkHead::numbers));
  std::atomic<size_t> next = 0, clamped_count = 0;
  // Each thread takes the next chunk, so that few wait for their place in the file.
  const size_t most_threads = std::min(chunks.size(), 1 + all_texels * bytes_per_texel / least_bytes_per_thread);
  parallel_ranges(int(std::min<size_t>(most_threads, size_t(core_count()))), 1, [&](int, int) {
    RowReader reader(channels, most_width);
    BlockPacker packer(options.compression, options.deflate_level, most_texels * bytes_per_texel);
    for (size_t index = next++; index < chunks.size(); index = next++) {
      reader.read(chunks[index], packer);
      const Bytes packed = packer.packed();
      file.add(index, ChunkHead(chunks[index], packed.size(), options), packed);
    }
    clamped_count += reader.clamped_count;
  });
  return {.file = file.finish(), .clamped_count = clamped_count};
}

}  // namespace gpupost
