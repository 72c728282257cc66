// The part of a picture that is to be seen.
#include "core/image/display_window.h"

#include "core/base/error.h"

#include <doctest/doctest.h>

using namespace gpupost;

namespace {

// A picture whose texel at (x, y) is x + 100 y in the first component and 7 in the last.
Picture numbered(const Window& data, const Window& display, bool has_alpha) {
  Picture picture{.data_window = data, .display_window = display};
  Group& group = picture.groups.emplace_back();
  group.is_color = true;
  group.channels[0] = {"R", Depth::f32};
  if (has_alpha) group.channels[3] = {"A", Depth::f32};
  Level& level = group.levels.emplace_back(Level{size_of(data), TexelBuffer(texel_count(size_of(data)) * 16)});
  float* to = level.texels.as<float>().data();
  for (int y = data.min_y; y <= data.max_y; ++y)
    for (int x = data.min_x; x <= data.max_x; ++x, to += 4) {
      to[0] = float(x + 100 * y);
      to[1] = to[2] = 0;
      to[3] = has_alpha ? 7 : 1;
    }
  return picture;
}

}  // namespace

TEST_CASE("a picture becomes its display window, whatever of it there is") {
  const Window data{-3, 2, 9, 12};
  for (const Window& display : {Window{0, 0, 5, 5},
                                {-10, -10, 20, 20},
                                {9, 12, 9, 12},
                                {5, 3, 30, 4},
                                {40, 40, 41, 42},
                                {-3, 2, 9, 12},
                                {-100, 5, 100, 5}})
    for (const bool has_alpha : {false, true}) {
      Picture picture = numbered(data, display, has_alpha);
      CHECK(fit_to_display(picture, 1 << 20, "a.exr") == (display != data));
      CHECK(picture.data_window == display);
      CHECK(picture.groups[0].levels[0].size == size_of(display));
      const float* texel = picture.groups[0].levels[0].texels.as<float>().data();
      size_t differences = 0;
      for (int y = display.min_y; y <= display.max_y; ++y)
        for (int x = display.min_x; x <= display.max_x; ++x, texel += 4) {
          const bool is_there = x >= data.min_x && x <= data.max_x && y >= data.min_y && y <= data.max_y;
          differences += texel[0] != (is_there ? float(x + 100 * y) : 0);
          differences += texel[3] != (!has_alpha ? 1 : is_there ? 7 : 0);
        }
      CHECK(differences == 0);
    }
}

TEST_CASE("a display window that is empty is ignored, and one that is too large refused") {
  Picture empty = numbered({0, 0, 4, 4}, {0, 0, -1, -1}, true);
  CHECK(!fit_to_display(empty, 1 << 20, "a.exr"));
  CHECK(empty.size() == Size{5, 5});
  Picture large = numbered({0, 0, 4, 4}, {0, 0, 999, 999}, true);
  CHECK_THROWS_WITH_AS(
      fit_to_display(large, 999'999, "a.exr"),
      "a.exr: its display window has 1000 x 1000 texels; the limit is 999999 (crop it first, or raise --max-texels)",
      Error);
}
