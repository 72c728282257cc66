// The part of an image that shows something, against its definition: every texel is asked.
#include "core/image/content_window.h"

#include "core/image/display_window.h"
#include "core/image/number.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace gpupost;

namespace {

struct Kind {
  std::string_view channels;
  Depth depth;
  Alpha alpha;
};

constexpr Kind kinds[] = {{"RGBA", Depth::u8, Alpha::straight},      {"RGBA", Depth::u8, Alpha::premultiplied},
                          {"RGBA", Depth::u16, Alpha::straight},     {"RGBA", Depth::half, Alpha::premultiplied},
                          {"RGBA", Depth::half, Alpha::straight},    {"RGBA", Depth::f32, Alpha::premultiplied},
                          {"YA", Depth::u8, Alpha::straight},        {"YA", Depth::half, Alpha::premultiplied},
                          {"A", Depth::half, Alpha::premultiplied},  {"RGB", Depth::u8, Alpha::straight},
                          {"RGB", Depth::f32, Alpha::premultiplied}, {"Y", Depth::u16, Alpha::straight},
                          {"GB", Depth::half, Alpha::premultiplied}};

std::byte* component_at(Picture& picture, Position at, size_t component) {
  Level& level = picture.groups[0].levels[0];
  const size_t texel = size_t(at.y) * size_t(level.size.width) + size_t(at.x);
  return level.texels.data() + (4 * texel + component) * bytes_of(picture.groups[0].depth);
}

// An image without content: 0, and straight color where alpha hides it.
Picture empty_image(const Kind& kind, Size size) {
  Picture picture = noise_of_channels(kind.channels, kind.depth, Transfer::linear, size);
  picture.alpha = kind.alpha;
  picture.groups[0].levels.resize(1);
  const bool has_alpha = kind.channels.ends_with('A');
  const bool is_hidden = has_alpha && kind.alpha == Alpha::straight;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (size_t c = 0; c < 4; ++c)
        if (c == 3 ? has_alpha : !is_hidden) put_number(component_at(picture, {x, y}, c), kind.depth, 0);
  return picture;
}

// Gives the texel content by its last channel.
void add_content(Picture& picture, const Kind& kind, Position at, double number = 0.5) {
  const size_t last = std::string_view("RGBA").find(kind.channels.back());
  if (kind.channels == "Y")
    for (size_t c = 0; c < 3; ++c) put_number(component_at(picture, at, c), kind.depth, number);
  else put_number(component_at(picture, at, last), kind.depth, number);
}

bool has_content(Picture& picture, const Kind& kind, Position at, bool alpha_is_data) {
  const bool has_alpha = kind.channels.ends_with('A');
  const auto is_set = [&](size_t c) { return !(number_at(component_at(picture, at, c), kind.depth) == 0); };
  if (has_alpha && is_set(3)) return true;
  const bool counts_colors = !has_alpha || alpha_is_data || kind.alpha == Alpha::premultiplied;
  return counts_colors && (is_set(0) || is_set(1) || is_set(2));
}

std::optional<Window> by_definition(Picture& picture, const Kind& kind, bool alpha_is_data) {
  const auto& [left, top, right, bottom] = picture.data_window;
  Window window{right, bottom, left, top};
  bool is_any = false;
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      if (!has_content(picture, kind, {x - left, y - top}, alpha_is_data)) continue;
      is_any = true;
      window = {std::min(window.min_x, x), std::min(window.min_y, y), std::max(window.max_x, x),
                std::max(window.max_y, y)};
    }
  return is_any ? std::optional(window) : std::nullopt;
}

void move_to(Picture& picture, Position corner) {
  const Size size = picture.size();
  picture.data_window = {corner.x, corner.y, corner.x + size.width - 1, corner.y + size.height - 1};
}

}  // namespace

TEST_CASE("the content window holds every texel with content, for each kind of channels") {
  for (const Kind& kind : kinds)
    for (const Size size : {Size{1, 1}, {1, 4096}, {4096, 1}, {17, 9}, {300, 200}}) {
      const auto [w, h] = size;
      CAPTURE(kind.channels);
      CAPTURE(name_of(kind.depth));
      CAPTURE(w);
      CHECK(!content_window(empty_image(kind, size), false));
      const std::vector<std::vector<Position>> places{{{0, 0}},
                                                      {{w - 1, 0}},
                                                      {{0, h - 1}},
                                                      {{w - 1, h - 1}},
                                                      {{w / 2, h / 3}},
                                                      {{0, 0}, {w - 1, h - 1}},
                                                      {{w / 4, h / 2}, {w / 2, h / 4}, {w / 3, h / 3}}};
      for (const std::vector<Position>& texels : places) {
        Picture picture = empty_image(kind, size);
        move_to(picture, {-5, 7});
        for (const Position at : texels) add_content(picture, kind, at);
        const std::optional<Window> expected = by_definition(picture, kind, false);
        REQUIRE(expected);
        CHECK(content_window(picture, false) == expected);
        CHECK(content_window(picture, true) == by_definition(picture, kind, true));
      }
      Picture full = noise_of_channels(kind.channels, kind.depth, Transfer::linear, size);
      full.alpha = kind.alpha;
      CHECK(content_window(full, false) == by_definition(full, kind, false));
    }
}

TEST_CASE("NaN is content, -0 is none, and neither is a component without a channel") {
  for (const Kind& kind : kinds) {
    if (!is_float(kind.depth)) continue;
    Picture picture = empty_image(kind, {17, 9});
    add_content(picture, kind, {3, 4}, -0.0);
    CHECK(!content_window(picture, false));
    add_content(picture, kind, {5, 6}, std::numeric_limits<double>::quiet_NaN());
    CHECK(content_window(picture, false) == Window{5, 6, 5, 6});
  }
  Picture opaque = empty_image({"RGB", Depth::half, Alpha::premultiplied}, {4, 4});  // its component of alpha is 1
  CHECK(!content_window(opaque, true));
}

TEST_CASE("an image without color has no content window") {
  Picture depth = empty_image({"RGBA", Depth::f32, Alpha::premultiplied}, {3, 3});
  add_content(depth, {"RGBA", Depth::f32, Alpha::premultiplied}, {1, 1});
  CHECK(content_window(depth, false) == Window{1, 1, 1, 1});
  depth.groups[0].is_color = false;
  CHECK(!content_window(depth, false));
}

TEST_CASE("an image that is cropped to its content window keeps the bits and the coordinates of its texels") {
  for (const Kind& kind : kinds) {
    Picture picture = noise_of_channels(kind.channels, kind.depth, Transfer::linear, {17, 9});
    picture.groups[0].levels.resize(1);
    move_to(picture, {-4, 100});
    Picture cropped = noise_of_channels(kind.channels, kind.depth, Transfer::linear, {17, 9});
    cropped.groups[0].levels.resize(1);
    move_to(cropped, {-4, 100});
    const Window window{-1, 103, 9, 104};
    fit_to_window(cropped, window);
    CHECK(cropped.data_window == window);
    CHECK(cropped.groups[0].levels[0].size == Size{11, 2});
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 11; ++x)
        CHECK(std::memcmp(component_at(cropped, {x, y}, 0), component_at(picture, {x + 3, y + 3}, 0),
                          4 * bytes_of(kind.depth)) == 0);
  }
}
