#include "core/codec/exr/chunk_rows.h"

#include "core/base/half.h"
#include "core/base/math.h"

#include <algorithm>

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

}  // namespace

std::vector<RowReader::Part> RowReader::parts_of(std::span<const ExrChannel> channels) {
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

size_t bytes_per_texel(std::span<const ExrChannel> channels) {
  size_t bytes = 0;
  for (const ExrChannel& channel : channels) bytes += bytes_of(channel.depth);
  return bytes;
}

RowReader::RowReader(std::span<const ExrChannel> channels, int most_width)
    : parts_(parts_of(channels)), bytes_per_texel_(bytes_per_texel(channels)), split_(5 * size_t(most_width)) {}

void RowReader::split_row(const Part& part, const Chunk& chunk, int row) {
  const Level& level = part.group->levels[size_t(chunk.level)];
  const Depth depth = part.group->depth;
  const auto count = size_t(chunk.size.width);
  const size_t first = size_t(chunk.y + row) * size_t(level.size.width) + size_t(chunk.x);
  const std::byte* texels = level.texels.data() + first * 4 * bytes_of(depth);
  const std::array planes{plane(0, count), plane(1, count), plane(2, count), plane(3, count)};
  if (depth == Depth::half) split<uint16_t>(texels, planes, count);
  else split<uint32_t>(texels, planes, count);
}

Bytes RowReader::numbers_of(const Part& part, size_t component, size_t width) {
  const Depth written = part.channels[component]->depth;
  std::byte* numbers = plane(component, width);
  if (written != part.group->depth) {
    clamped_count += change_run(numbers, plane(4, width), written, width);
    numbers = plane(4, width);
  }
  return {numbers, width * bytes_of(written)};
}

}  // namespace gpupost
