#include "core/nearest.h"

#include "core/threads.h"

#include <cstring>

namespace gpupost {

// The texel of a side of `from` under the middle of texel `i` of a side of `to`, the lower one of two.
static int under_middle(int i, int from, int to) { return int(((2 * int64_t(i) + 1) * from - 1) / (2 * int64_t(to))); }

static Texel under_middle(Texel at, Size from, Size to) {
  return {under_middle(at.x, from.width, to.width), under_middle(at.y, from.height, to.height)};
}

// A level of the texels that `source_texel` names for each place.
template <class SourceTexel>
static Level picked(const Level& from, Size size, size_t texel_bytes, const SourceTexel& source_texel) {
  Level level{size, Memory(texel_count(size) * texel_bytes)};
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    std::byte* to = level.texels.data() + size_t(begin) * size_t(size.width) * texel_bytes;
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < size.width; ++x, to += texel_bytes) {
        const Texel source = source_texel(Texel{x, y});
        const size_t index = size_t(source.y) * size_t(from.size.width) + size_t(source.x);
        std::memcpy(to, from.texels.data() + index * texel_bytes, texel_bytes);
      }
  });
  return level;
}

Level nearest(const Level& base, Depth depth, const Call& call) {
  const Size from = base.size, to = result_size({&call, 1}, from);
  return picked(base, to, 4 * bytes_of(depth), [&](Texel at) {
    return call.op->nearest_texel ? call.op->nearest_texel(call, from, at) : under_middle(at, from, to);
  });
}

void follow_by_nearest(Group& group, std::span<const Call> calls) {
  const size_t texel_bytes = 4 * bytes_of(group.depth);
  const int level_count = result_level_count(calls, group.levels[0].size);
  for (const Call& call : calls) {
    Level& base = group.levels[0];
    if (call.op->nearest_texel || result_size({&call, 1}, base.size) != base.size)
      base = nearest(base, group.depth, call);
  }
  while (int(group.levels.size()) < level_count) {
    const Level& above = group.levels.back();
    const Size to = level_size(above.size, 1);
    group.levels.push_back(picked(above, to, texel_bytes, [&](Texel at) { return under_middle(at, above.size, to); }));
  }
}

}  // namespace gpupost
