// Parts of a frame in another size: they lie and look as the frame itself does there.
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/ops/shared/nearest.h"
#include "core/plan/tiling.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace gpupost;

namespace {

double number_at(int x, int y) { return std::sin(0.07 * x * x + 0.3 * y) + 0.1 * x; }

// What a window sees of an endless picture.
Planes seen(const Window& window) {
  Planes planes;
  planes.fill({.size = size_of(window), .values = {}});
  for (int y = window.min_y; y <= window.max_y; ++y)
    for (int x = window.min_x; x <= window.max_x; ++x)
      for (size_t component = 0; component < 4; ++component)
        planes[component].values.push_back(number_at(x, y) + double(component));
  return planes;
}

struct Made {
  Planes planes;
  Windows windows;

  double at(int x, int y) const {
    const Window& data = windows.data;
    return planes[0].values[size_t(y - data.min_y) * size_t(size_of(data).width) + size_t(x - data.min_x)];
  }
};

Made resized(const Windows& windows, const std::string& words) {
  std::vector<Call> calls{parse_call(*op_named("resize"), words)};
  set_windows(calls, windows);
  Made made{calls[0].op->reference.levels(calls[0], seen(windows.data))[0], result_windows(calls, windows)};
  CHECK(size_of(made.windows.data) == size_of(made.planes));
  return made;
}

constexpr Window frame{3, -5, 130, 58};

}  // namespace

TEST_CASE("a part of a frame is resized to what the frame has there") {
  for (const char* size : {"--size 50%", "--size 30%", "--size 77.7%", "--size 130%", "--fit 64x64", "--long-side 50",
                           "--fill 50x40", "--fill 70x30"})
    for (const char* filter : {"box", "triangle", "lanczos3"}) {
      const std::string words = fmt::format("{} --filter {}", size, filter);
      const Made whole = resized({.data = frame, .display = frame}, words);
      for (const Window& data : {Window{40, 7, 101, 50}, Window{41, 8, 100, 49}, Window{42, 9, 103, 51}}) {
        const Made part = resized({.data = data, .display = frame}, words);
        CAPTURE(words);
        CAPTURE(data.min_x);
        CHECK(part.windows.display == whole.windows.display);
        // further from the part's border than any of these filters reaches
        constexpr int border = 5;
        const Window& inner = part.windows.data;
        double most = 0;
        for (int y = inner.min_y + border; y <= inner.max_y - border; ++y)
          for (int x = inner.min_x + border; x <= inner.max_x - border; ++x)
            most = std::max(most, std::abs(part.at(x, y) - whole.at(x, y)));
        CHECK(most <= 1e-9);
      }
    }
}

TEST_CASE("a percentage leaves out nothing of a part, and nothing that is not touched comes in") {
  for (const char* size : {"50%", "33%", "77.7%", "130%"})
    for (int min = 20; min < 28; ++min)
      for (int side = 1; side < 9; ++side) {
        const Window data{min, min, min + side - 1, min + side - 1};
        const Made made = resized({.data = data, .display = frame}, fmt::format("--size {} --filter box", size));
        const Window& to = made.windows.display;
        const double scale = double(size_of(to).width) / size_of(frame).width;
        const double begin = to.min_x + (min - frame.min_x) * scale, end = begin + side * scale;
        CHECK(made.windows.data.min_x == int(std::floor(begin + 1e-9)));
        CHECK(made.windows.data.max_x + 1 == int(std::ceil(end - 1e-9)));
      }
}

TEST_CASE("numbers of texels are those of a part's data window, and its texels lie where the frame's do") {
  const Made part = resized({.data = {21, 10, 31, 20}, .display = frame}, "--size 7x5 --filter triangle");
  CHECK(size_of(part.windows.data) == Size{7, 5});
  // a ramp shows where texels lie
  const auto ramp = [&](const Windows& windows) {
    std::vector<Call> calls{parse_call(*op_named("resize"), "--size 7x5 --filter box")};
    set_windows(calls, windows);
    Planes planes = seen(windows.data);
    for (size_t index = 0; index < planes[0].values.size(); ++index)
      planes[0].values[index] = windows.data.min_x + double(index % size_t(planes[0].size.width)) + 0.5;
    return Made{calls[0].op->reference.levels(calls[0], planes)[0], result_windows(calls, windows)};
  };
  const Made made = ramp({.data = {21, 10, 31, 20}, .display = frame});
  const Window &data = made.windows.data, &display = made.windows.display;
  for (int x = data.min_x + 1; x < data.max_x; ++x) {
    const double source = frame.min_x + (x + 0.5 - display.min_x) * 11 / 7;
    CHECK(std::abs(made.at(x, data.min_y) - source) < 0.12);  // a mean of steps is not quite the ramp
  }
}

TEST_CASE("texels that must not be mixed are those under the middles of the frame's") {
  constexpr Window data{41, 8, 100, 49};
  std::vector<Call> calls{parse_call(*op_named("resize"), "--size 30%")};
  set_windows(calls, {.data = data, .display = frame});
  const Size size = size_of(data);
  Level base{size, TexelBuffer(texel_count(size) * 16)};
  for (size_t index = 0; index < texel_count(size); ++index)
    base.texels.as<uint32_t>()[4 * index] = uint32_t(data.min_x) + uint32_t(index % size_t(size.width));
  const Level made = pick_nearest_texels(base, Depth::u32, calls[0]);
  const Windows windows = result_windows(calls, {.data = data, .display = frame});
  REQUIRE(made.size == size_of(windows.data));
  const double scale = double(size_of(frame).width) / size_of(windows.display).width;
  for (int x = 1; x < made.size.width - 1; ++x) {
    const double middle = frame.min_x + (windows.data.min_x + x + 0.5 - windows.display.min_x) * scale;
    CHECK(std::abs(made.texels.as<uint32_t>()[4 * size_t(x)] + 0.5 - middle) <= 0.5 + 1e-9);
  }
}

TEST_CASE("an image is centered on a canvas by its display window") {
  const auto padded = [](const Window& data, std::string_view op, std::string_view words) {
    std::vector<Call> calls{parse_call(*op_named(op), words)};
    set_windows(calls, {.data = data, .display = frame});
    return calls[0].op->reference.levels(calls[0], seen(data))[0];
  };
  constexpr Window data{40, 7, 101, 50};
  for (const auto& [words, width, height] : {std::tuple{"--size 200x90 --color 9,9,9", 200, 90},
                                             {"--size 140x30 --color 9,9,9", 140, 30},
                                             {"--size 50x51 --color 9,9,9", 50, 51}}) {
    const Planes made = padded(data, "pad", words);
    REQUIRE(size_of(made) == Size{width, height});
    const auto begin = [](int min, int from, int to) {
      return min - (to >= from ? (to - from) / 2 : -((from - to) / 2));
    };
    const int left = begin(frame.min_x, 128, width), top = begin(frame.min_y, 64, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const bool is_inside =
            left + x >= data.min_x && left + x <= data.max_x && top + y >= data.min_y && top + y <= data.max_y;
        REQUIRE(made[0].values[size_t(y) * size_t(width) + size_t(x)] ==
                (is_inside ? number_at(left + x, top + y) : 9));
      }
  }
  const Planes whole = padded(frame, "resize", "--fit 100x100 --pad 9,9,9 --filter box");
  const Planes part = padded(data, "resize", "--fit 100x100 --pad 9,9,9 --filter box");
  for (const size_t at : {size_t(50 * 100 + 50), size_t(60 * 100 + 40)})
    CHECK(part[0].values[at] == doctest::Approx(whole[0].values[at]));
}

TEST_CASE("windows that would leave the range of EXR are refused, and frames larger than pictures do not count") {
  const auto windows_of = [](const Window& display, const char* words) {
    const Call call = parse_call(*op_named("resize"), words);
    return result_windows({&call, 1}, {.data = {0, 0, 7, 7}, .display = display});
  };
  constexpr int far = (1 << 30) - 1;
  CHECK_THROWS_AS(windows_of({-far, -far, far, far}, "--size 200%"), Error);
  CHECK_THROWS_AS(windows_of({-far, -far, far, far}, "--size 30000x30000"), Error);
  CHECK(size_of(windows_of({-far, -far, far, far}, "--size 50%").data) == Size{4, 4});
}
