#include "core/ops/shared/nearest.h"

#include "core/base/threads.h"

#include <cstring>
#include <vector>

namespace gpupost {

int under_middle(int i, int from, int to) { return int(((2 * int64_t(i) + 1) * from - 1) / (2 * int64_t(to))); }

// The texels of a side that stand for those of the side of a result.
static std::vector<int> under_middles(int from, int to) {
  std::vector<int> texels;
  for (int i = 0; i < to; ++i) texels.push_back(under_middle(i, from, to));
  return texels;
}

// A level of the texels in these columns and rows. With `swaps_axes` each column becomes a row.
static Level picked(const Level& from, size_t texel_bytes, std::span<const int> columns, std::span<const int> rows,
                    bool swaps_axes = false) {
  const auto width = int(columns.size()), height = int(rows.size());
  const Size size = swaps_axes ? Size{height, width} : Size{width, height};
  Level level{size, TexelBuffer(texel_count(size) * texel_bytes)};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    std::byte* to = level.texels.data() + size_t(begin) * size_t(size.width) * texel_bytes;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < size.width; ++x) {
        const int column = columns[size_t(swaps_axes ? y : x)], row = rows[size_t(swaps_axes ? x : y)];
        const size_t index = size_t(row) * size_t(from.size.width) + size_t(column);
        std::memcpy(to, from.texels.data() + index * texel_bytes, texel_bytes);
        to += texel_bytes;
      }
  });
  return level;
}

static Level copied_texels(const Level& from, size_t texel_bytes, Size size,
                           const std::function<Position(Position)>& source_of) {
  Level level{size, TexelBuffer(texel_count(size) * texel_bytes)};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    std::byte* to = level.texels.data() + size_t(begin) * size_t(size.width) * texel_bytes;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < size.width; ++x, to += texel_bytes) {
        const auto [column, row] = source_of({x, y});
        if (column < 0) std::memset(to, 0, texel_bytes);
        else
          std::memcpy(to, from.texels.data() + (size_t(row) * size_t(from.size.width) + size_t(column)) * texel_bytes,
                      texel_bytes);
      }
  });
  return level;
}

Level pick_nearest_texels(const Level& base, Depth depth, const Call& call) {
  const Size from = base.size, to = result_size({&call, 1}, from);
  const Footprint footprint = footprint_of(call, from);
  if (footprint.copied) return copied_texels(base, 4 * bytes_of(depth), to, footprint.copied);
  const bool swaps_axes = footprint.swaps_axes;
  std::vector<int> columns = under_middles(from.width, swaps_axes ? to.height : to.width);
  std::vector<int> rows = under_middles(from.height, swaps_axes ? to.width : to.height);
  if (footprint.nearest) {
    for (int i = 0; i < int(columns.size()); ++i)
      columns[size_t(i)] = footprint.nearest(swaps_axes ? Position{0, i} : Position{i, 0}).x;
    for (int i = 0; i < int(rows.size()); ++i)
      rows[size_t(i)] = footprint.nearest(swaps_axes ? Position{i, 0} : Position{0, i}).y;
  }
  return picked(base, 4 * bytes_of(depth), columns, rows, swaps_axes);
}

void follow_by_nearest(Group& group, std::span<const Call> calls) {
  const size_t texel_bytes = 4 * bytes_of(group.depth);
  const int level_count = result_level_count(calls, group.levels[0].size);
  for (const Call& call : calls) {
    Level& base = group.levels[0];
    const Footprint footprint = footprint_of(call, base.size);
    if (footprint.nearest || footprint.copied || result_size({&call, 1}, base.size) != base.size)
      base = pick_nearest_texels(base, group.depth, call);
  }
  while (int(group.levels.size()) < level_count) {
    const Level& above = group.levels.back();
    const Size to = level_size(above.size, 1);
    group.levels.push_back(picked(above, texel_bytes, under_middles(above.size.width, to.width),
                                  under_middles(above.size.height, to.height)));
  }
}

}  // namespace gpupost
