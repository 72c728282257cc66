#include "core/image/display_window.h"

#include "core/base/error.h"
#include "core/image/number.h"

#include <algorithm>
#include <cstring>

namespace gpupost {

namespace {

void fit(Group& group, const Window& from, const Window& to) {
  Level& level = group.levels.front();
  const Size size = size_of(to);
  const size_t texel_bytes = 4 * bytes_of(group.depth);
  Level made{.size = size, .texels = TexelBuffer(texel_count(size) * texel_bytes)};
  std::memset(made.texels.data(), 0, made.texels.size());
  // an alpha that is missing is one, in missing texels too
  if (group.is_color && !group.has_alpha()) fill_alpha(made.texels, group.depth);
  const int left = std::max(from.min_x, to.min_x), right = std::min(from.max_x, to.max_x);
  for (int y = std::max(from.min_y, to.min_y); y <= std::min(from.max_y, to.max_y) && left <= right; ++y) {
    const auto place = [&](const Window& window) {
      const auto width = size_t(size_of(window).width);
      return (size_t(y - window.min_y) * width + size_t(left - window.min_x)) * texel_bytes;
    };
    std::memcpy(made.texels.data() + place(to), level.texels.data() + place(from),
                size_t(right - left + 1) * texel_bytes);
  }
  level = std::move(made);
}

}  // namespace

bool differs_from_display(const Windows& windows, uint64_t most, std::string_view name) {
  const auto& [from, to] = windows;
  if (to.max_x < to.min_x || to.max_y < to.min_y || from == to) return false;
  const auto width = uint64_t(int64_t(to.max_x) - to.min_x + 1), height = uint64_t(int64_t(to.max_y) - to.min_y + 1);
  if (width * height > most)
    fail(Exit::input,
         "{}: its display window has {} x {} texels; the limit is {} (crop it first, or raise --max-texels)", name,
         width, height, most);
  return true;
}

void fit_to_window(Picture& picture, const Window& window) {
  for (Group& group : picture.groups) fit(group, picture.data_window, window);
  picture.data_window = window;
}

bool fit_to_display(Picture& picture, uint64_t most, std::string_view name) {
  const Windows windows{.data = picture.data_window, .display = picture.display_window};
  if (!differs_from_display(windows, most, name)) return false;
  fit_to_window(picture, windows.display);
  return true;
}

}  // namespace gpupost
