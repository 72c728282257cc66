#include "core/nearest.h"

#include <cstring>

namespace gpupost {

// The texel of a side of `from` under the middle of texel `i` of a side of `to`, the lower one of two.
static int nearest_texel(int i, int from, int to) { return int(((2 * int64_t(i) + 1) * from - 1) / (2 * int64_t(to))); }

void add_nearest_levels(Group& group, int level_count) {
  while (int(group.levels.size()) < level_count) {
    const Level& above = group.levels.back();
    const Size size = level_size(above.size, 1);
    const size_t texel_bytes = 4 * bytes_of(group.depth);
    Level level{size, Memory(texel_count(size) * texel_bytes)};
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const size_t from = size_t(nearest_texel(y, above.size.height, size.height)) * size_t(above.size.width) +
                            size_t(nearest_texel(x, above.size.width, size.width));
        std::memcpy(level.texels.data() + (size_t(y) * size_t(size.width) + size_t(x)) * texel_bytes,
                    above.texels.data() + from * texel_bytes, texel_bytes);
      }
    group.levels.push_back(std::move(level));
  }
}

}  // namespace gpupost
