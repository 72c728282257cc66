#include "core/ops/shared/nearest.h"

#include "core/base/threads.h"

#include <cstring>
#include <vector>

namespace gpupost {

// The texel of a side of `from` under the middle of texel `i` of a side of `to`, the lower one of two.
static int under_middle(int i, int from, int to) { return int(((2 * int64_t(i) + 1) * from - 1) / (2 * int64_t(to))); }

// The texels of a side that stand for those of the side of a result.
static std::vector<int> under_middles(int from, int to) {
  std::vector<int> texels;
  for (int i = 0; i < to; ++i) texels.push_back(under_middle(i, from, to));
  return texels;
}

// A level of the texels in these columns and rows.
static Level picked(const Level& from, size_t texel_bytes, std::span<const int> columns, std::span<const int> rows) {
  const Size size{int(columns.size()), int(rows.size())};
  Level level{size, TexelBuffer(texel_count(size) * texel_bytes)};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    std::byte* to = level.texels.data() + size_t(begin) * size_t(size.width) * texel_bytes;
    for (int y = begin; y < end; ++y)
      for (const int x : columns) {
        const size_t index = size_t(rows[size_t(y)]) * size_t(from.size.width) + size_t(x);
        std::memcpy(to, from.texels.data() + index * texel_bytes, texel_bytes);
        to += texel_bytes;
      }
  });
  return level;
}

Level pick_nearest_texels(const Level& base, Depth depth, const Call& call) {
  const Size from = base.size, to = result_size({&call, 1}, from);
  std::vector<int> columns = under_middles(from.width, to.width), rows = under_middles(from.height, to.height);
  if (const auto nearest = footprint_of(call, from).nearest) {
    for (int x = 0; x < to.width; ++x) columns[size_t(x)] = nearest({x, 0}).x;
    for (int y = 0; y < to.height; ++y) rows[size_t(y)] = nearest({0, y}).y;
  }
  return picked(base, 4 * bytes_of(depth), columns, rows);
}

void follow_by_nearest(Group& group, std::span<const Call> calls) {
  const size_t texel_bytes = 4 * bytes_of(group.depth);
  const int level_count = result_level_count(calls, group.levels[0].size);
  for (const Call& call : calls) {
    Level& base = group.levels[0];
    if (footprint_of(call, base.size).nearest || result_size({&call, 1}, base.size) != base.size)
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
