#include "core/image/content_window.h"

#include "core/base/threads.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>

namespace gpupost {

namespace {

// For each component, the bits that make content: none if the component does not count, and not the sign of a float, because
// -0 is 0.
template <class Bits>
std::array<Bits, 4> masks_of(const Group& color, bool counts_colors) {
  const Bits all = std::numeric_limits<Bits>::max();
  const Bits bits = is_float(color.depth) ? Bits(all >> 1) : all;
  const Bits of_color = counts_colors ? bits : Bits(0);
  return {of_color, of_color, of_color, color.has_alpha() ? bits : Bits(0)};
}

// Enlarges `found` to hold all content. Positions are texels of the level.
template <class Bits>
void find_content(const Group& color, bool counts_colors, Window& found) {
  const Level& level = color.levels.front();
  const std::span<const Bits> numbers = level.texels.as<Bits>();
  const std::array<Bits, 4> masks = masks_of<Bits>(color, counts_colors);
  const auto width = size_t(level.size.width);
  std::mutex mutex;
  parallel_ranges(level.size.height, 64, [&](int begin, int end) {
    Window own{.min_x = level.size.width, .min_y = level.size.height};
    for (int y = begin; y < end; ++y) {
      const std::span<const Bits> row = numbers.subspan(4 * width * size_t(y), 4 * width);
      const auto has_content = [&](int x) {
        const Bits* texel = &row[4 * size_t(x)];
        return ((texel[0] & masks[0]) | (texel[1] & masks[1]) | (texel[2] & masks[2]) | (texel[3] & masks[3])) != 0;
      };
      int left = 0, right = level.size.width - 1;
      while (left <= right && !has_content(left)) ++left;
      if (left > right) continue;
      while (!has_content(right)) --right;
      own = {std::min(own.min_x, left), std::min(own.min_y, y), std::max(own.max_x, right), y};
    }
    const std::lock_guard lock(mutex);
    found = {std::min(found.min_x, own.min_x), std::min(found.min_y, own.min_y), std::max(found.max_x, own.max_x),
             std::max(found.max_y, own.max_y)};
  });
}

}  // namespace

std::optional<Window> content_window(const Picture& picture, bool alpha_is_data) {
  const Group& color = picture.groups.front();
  if (!color.is_color) return std::nullopt;
  const bool counts_colors = !color.has_alpha() || alpha_is_data || picture.alpha != Alpha::straight;
  const Size size = picture.size();
  Window found{.min_x = size.width, .min_y = size.height};
  switch (bytes_of(color.depth)) {
    case 1: find_content<uint8_t>(color, counts_colors, found); break;
    case 2: find_content<uint16_t>(color, counts_colors, found); break;
    default: find_content<uint32_t>(color, counts_colors, found);
  }
  if (found.max_x < found.min_x) return std::nullopt;
  const auto& [left, top, right, bottom] = picture.data_window;
  return Window{left + found.min_x, top + found.min_y, left + found.max_x, top + found.max_y};
}

}  // namespace gpupost
