#include "core/codec/exr/planes.h"

#include "core/base/half.h"
#include "core/base/math.h"
#include "core/base/threads.h"

#include <algorithm>
#include <atomic>

namespace gpupost {
namespace {

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
  std::array<size_t, 4> indices{};  // index of the channels in the file
};

std::vector<Part> parts_of(const std::vector<ExrChannel>& channels) {
  std::vector<Part> parts;
  for (size_t i = 0; i < channels.size(); ++i) {
    const ExrChannel& channel = channels[i];
    auto part = std::ranges::find(parts, channel.group, &Part::group);
    if (part == parts.end()) part = parts.insert(part, Part{.group = channel.group});
    part->channels[channel.component] = &channel;
    part->indices[channel.component] = i;
  }
  return parts;
}

// Four buffers of `tile.width` values for conversion.
using Scratch = std::vector<float>;

// Converts texels from (x, y) in one row of one tile.
size_t split_run(const Part& part, const Level& level, Planes& planes, int x, int y, Scratch& scratch) {
  const Depth from_depth = part.group->depth;
  const auto count = size_t(std::min(planes.tile.width, planes.size.width - x));
  const size_t row_in_tile = size_t(y % planes.tile.height) * size_t(planes.tile.width);
  std::array<std::byte*, 4> places{};
  std::array<std::byte*, 4> split_to{};
  for (size_t c = 0; c < 4; ++c) {
    split_to[c] = reinterpret_cast<std::byte*>(&scratch[c * size_t(planes.tile.width)]);
    const ExrChannel* channel = part.channels[c];
    if (!channel) continue;
    places[c] = planes.plane(x / planes.tile.width, y / planes.tile.height, part.indices[c]) +
                row_in_tile * bytes_of(channel->depth);
    if (channel->depth == from_depth) split_to[c] = places[c];
  }
  const size_t first = size_t(y) * size_t(planes.size.width) + size_t(x);
  const std::byte* texels = level.texels.data() + first * 4 * bytes_of(from_depth);
  if (from_depth == Depth::half) split<uint16_t>(texels, split_to, count);
  else split<uint32_t>(texels, split_to, count);
  size_t clamped_count = 0;
  for (size_t c = 0; c < 4; ++c)
    if (places[c] && places[c] != split_to[c])
      clamped_count += change_run(split_to[c], places[c], part.channels[c]->depth, count);
  return clamped_count;
}

}  // namespace

Planes make_planes(const std::vector<ExrChannel>& channels, int level, Size tile) {
  Planes planes{.size = channels.front().group->levels[size_t(level)].size, .tile = tile};
  planes.tile_count = {div_ceil(planes.size.width, tile.width), div_ceil(planes.size.height, tile.height)};
  for (const ExrChannel& channel : channels) {
    planes.offsets.push_back(planes.tile_bytes);
    planes.tile_bytes += round_up(texel_count(tile) * bytes_of(channel.depth), size_t(64));  // whole cache lines
  }
  planes.numbers = TexelBuffer(texel_count(planes.tile_count) * planes.tile_bytes);

  const std::vector<Part> parts = parts_of(channels);
  std::atomic<size_t> clamped_count = 0;
  parallel_ranges(planes.size.height, std::max(1, 65536 / planes.size.width), [&](int begin, int end) {
    Scratch scratch(4 * size_t(tile.width));
    size_t count = 0;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < planes.size.width; x += tile.width)
        for (const Part& part : parts)
          count += split_run(part, part.group->levels[size_t(level)], planes, x, y, scratch);
    clamped_count += count;
  });
  planes.clamped_count = clamped_count;
  return planes;
}

}  // namespace gpupost
