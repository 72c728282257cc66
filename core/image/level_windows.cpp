#include "core/image/level_windows.h"

#include <algorithm>
#include <cstring>

namespace gpupost {

namespace {

constexpr int64_t most_side = 32768;             // of frames that pictures can be
constexpr size_t most_texels = size_t(1) << 28;  // of a picture that is made larger

// A window along one axis.
struct Side {
  int64_t min = 0, max = 0;
  int64_t count() const { return max - min + 1; }
};

struct Sides {
  Side data, display;
};

Sides x_of(const Windows& w) { return {{w.data.min_x, w.data.max_x}, {w.display.min_x, w.display.max_x}}; }
Sides y_of(const Windows& w) { return {{w.data.min_y, w.data.max_y}, {w.display.min_y, w.display.max_y}}; }

int64_t floor_of(int64_t number, int64_t divisor) { return number / divisor - (number % divisor < 0 ? 1 : 0); }

int64_t side_at(const Side& frame, int level) { return std::max<int64_t>(1, frame.count() >> level); }

// Does the frame say how texels of levels lie? Else they lie at multiples of their own side.
bool has_frame(const Sides& sides) {
  const auto& [data, display] = sides;
  return display.min <= data.min && data.max <= display.max && display.count() <= most_side;
}

Side held_at(const Sides& sides, int level) {
  const auto& [data, display] = sides;
  const int64_t first = display.min >> level;  // C++20 rounds it down, also below zero
  const int64_t from = has_frame(sides) ? display.count() : int64_t(1) << level;
  const int64_t to = has_frame(sides) ? side_at(display, level) : 1;
  return {first + floor_of((data.min - display.min) * to, from),
          first + floor_of((data.max + 1 - display.min) * to + from - 1, from) - 1};
}

Side enlarged(const Sides& sides, int level_count) {
  const auto& [data, display] = sides;
  const int64_t step = int64_t(1) << (level_count - 1);
  if (has_frame(sides) && display.count() % step != 0) return display;
  return {display.min + floor_of(data.min - display.min, step) * step,
          display.min + floor_of(data.max - display.min + step, step) * step - 1};
}

Window window_of(const Side& x, const Side& y) { return {int(x.min), int(y.min), int(x.max), int(y.max)}; }

// Fills the level from one that lies at `corner` of it; texels beyond that are the nearest of it.
void place(const Level& from, Position corner, Level& to, size_t texel_bytes) {
  std::byte* at = to.texels.data();
  for (int y = 0; y < to.size.height; ++y)
    for (int x = 0; x < to.size.width; ++x, at += texel_bytes) {
      const size_t row = size_t(std::clamp(y - corner.y, 0, from.size.height - 1));
      const size_t column = size_t(std::clamp(x - corner.x, 0, from.size.width - 1));
      std::memcpy(at, from.texels.data() + (row * size_t(from.size.width) + column) * texel_bytes, texel_bytes);
    }
}

Level placed(const Level& from, Position corner, Size size, Depth depth) {
  const size_t texel_bytes = 4 * bytes_of(depth);
  Level made{size, TexelBuffer(texel_count(size) * texel_bytes)};
  place(from, corner, made, texel_bytes);
  return made;
}

}  // namespace

Window data_window_at_level(const Windows& base, int level) {
  return window_of(held_at(x_of(base), level), held_at(y_of(base), level));
}

Windows windows_at_level(const Windows& base, int level, Size size) {
  const Window corner = data_window_at_level(base, level);
  const auto placed_at = [](int x, int y, int64_t width, int64_t height) {
    return Window{x, y, int(x + width - 1), int(y + height - 1)};
  };
  Windows windows;
  windows.data = windows.display = placed_at(corner.min_x, corner.min_y, size.width, size.height);
  if (base.display != base.data)  // else they stay equal also where levels are rounded up
    windows.display = placed_at(base.display.min_x >> level, base.display.min_y >> level,
                                side_at(x_of(base).display, level), side_at(y_of(base).display, level));
  return windows;
}

Window window_for_levels(const Windows& base, int level_count) {
  if (base.data == base.display) return base.data;
  const Side x = enlarged(x_of(base), level_count), y = enlarged(y_of(base), level_count);
  const bool is_too_large = std::max(x.count(), y.count()) > most_side || size_t(x.count() * y.count()) > most_texels;
  return is_too_large ? base.data : window_of(x, y);
}

void enlarge(Group& group, const Window& from, const Window& to) {
  group.levels[0] = placed(group.levels[0], {from.min_x - to.min_x, from.min_y - to.min_y}, size_of(to), group.depth);
}

void crop_levels(Group& group, const Windows& base, const Window& enlarged_window) {
  for (int level = 0; level < int(group.levels.size()); ++level) {
    const Window held = data_window_at_level(base, level);
    const Window whole = data_window_at_level({.data = enlarged_window, .display = base.display}, level);
    Level& all = group.levels[size_t(level)];
    all = placed(all, {whole.min_x - held.min_x, whole.min_y - held.min_y}, size_of(held), group.depth);
  }
}

}  // namespace gpupost
