#include "core/codec/windows.h"

#include <algorithm>

namespace gpupost {

Windows windows_at_level(const Windows& base, int level, Size size) {
  const auto placed = [level](const Window& window, int64_t width, int64_t height) {
    const int x = window.min_x >> level;  // C++20 rounds it down, also below zero
    const int y = window.min_y >> level;
    return Window{x, y, int(x + width - 1), int(y + height - 1)};
  };
  const auto side = [level](int64_t low, int64_t high) { return std::max<int64_t>(1, (high - low + 1) >> level); };
  Windows windows;
  windows.data = windows.display = placed(base.data, size.width, size.height);
  const Window& display = base.display;
  if (display != base.data)  // else they stay equal also where levels are rounded up
    windows.display = placed(display, side(display.min_x, display.max_x), side(display.min_y, display.max_y));
  return windows;
}

}  // namespace gpupost
