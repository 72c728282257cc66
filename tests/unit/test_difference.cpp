// Differences of pictures: by the definition, and by what holds whatever the definition is.
#include "core/image/difference.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

Group floats(Size size, const std::function<float(int x, int y, size_t component)>& number) {
  Group group = made_group({{{"R"}, {"G"}, {"B"}, {"A"}}}, Depth::f32, size, 1,
                           [&](int x, int y, size_t c, int) { return bits_of_float(number(x, y, c)); });
  group.is_color = true;
  return group;
}

}  // namespace

TEST_CASE("the difference of two numbers") {
  CHECK(difference_of(1, 3, false) == 2);
  CHECK(difference_of(-1, 3, false) == 4);
  CHECK(difference_of(1, 4, true) == 0.75);
  CHECK(difference_of(-4, 4, true) == 2);
  CHECK(difference_of(0, 1e-30, true) == 1);
  for (const bool is_relative : {false, true}) {
    for (const double same : {0.0, -0.0, 1.0, infinity, -infinity, not_a_number})
      CHECK(difference_of(same, same, is_relative) == 0);
    CHECK(difference_of(0.0, -0.0, is_relative) == 0);
    CHECK(difference_of(not_a_number, 1, is_relative) == infinity);
    CHECK(difference_of(1, not_a_number, is_relative) == infinity);
    CHECK(difference_of(infinity, -infinity, is_relative) == infinity);
    CHECK(difference_of(infinity, 1, is_relative) == infinity);
    CHECK(difference_of(not_a_number, infinity, is_relative) == infinity);
    CHECK(difference_of(2, 5, is_relative) == difference_of(5, 2, is_relative));
  }
}

TEST_CASE("one texel that differs is found, and counts as one of all") {
  for (const Size size : {Size{1, 1}, Size{17, 9}, Size{1, 257}, Size{257, 129}}) {
    const Position at{size.width - 1, size.height / 2};
    const Group a = floats(size, [](int, int, size_t) { return 0.25f; });
    const Group b =
        floats(size, [&](int x, int y, size_t c) { return x == at.x && y == at.y && c == 1 ? 0.75f : 0.25f; });
    const double count = double(texel_count(size));
    const ChannelDifference found = difference_of({&a, 1}, {&b, 1}, {.tolerance = 0.1});
    CHECK(found.maximum == 0.5);
    CHECK(found.worst == at);
    CHECK(found.mean == doctest::Approx(0.5 / count));
    CHECK(found.root_mean_square == doctest::Approx(0.5 / std::sqrt(count)));
    CHECK(found.psnr().value() == doctest::Approx(20 * std::log10(std::sqrt(count) / 0.5)));
    CHECK(found.over_count == 1);
    CHECK(found.over_percent() == doctest::Approx(100 / count));
    CHECK(difference_of({&a, 1}, {&b, 1}, {.tolerance = 0.5}).over_count == 0);
    const ChannelDifference relative = difference_of({&a, 1}, {&b, 1}, {.is_relative = true});
    CHECK(relative.maximum == doctest::Approx(2.0 / 3));
    CHECK(!relative.psnr());
    const ChannelDifference none = difference_of({&a, 0}, {&b, 0}, {});
    CHECK(none.maximum == 0);
    CHECK(none.over_count == 0);
    CHECK(none.psnr() == infinity);
  }
}

TEST_CASE("the peak is the largest finite magnitude of the first picture, at least 1") {
  const Size size{4, 1};
  const Group dark = floats(size, [](int x, int, size_t) { return 0.1f * float(x); });
  const Group bright = floats(size, [](int x, int, size_t) { return x == 3 ? float(infinity) : -8.0f * float(x); });
  CHECK(difference_of({&dark, 0}, {&bright, 0}, {}).peak == 1);
  CHECK(difference_of({&bright, 0}, {&dark, 0}, {}).peak == 16);
}

TEST_CASE("uint numbers are compared exactly") {
  const auto ids = [](uint32_t first) {
    return made_group({{{"id", Depth::u32}, {}, {}, {}}}, Depth::u32, {2, 1}, 1,
                      [=](int x, int, size_t c, int) { return c == 0 && x == 0 ? first : 0; });
  };
  const Group last = ids(4294967295u), before = ids(4294967294u);
  CHECK(difference_of({&last, 0}, {&before, 0}, {}).maximum == 1);
}

TEST_CASE("channels are found by name, in whichever group they are") {
  const auto group = [](const std::array<Channel, 4>& channels, Depth depth, uint32_t bits) {
    return made_group(channels, depth, {2, 1}, 1, [=](int, int, size_t, int) { return bits; });
  };
  Picture a{.data_window = {0, 0, 1, 0}}, b{.data_window = {0, 0, 1, 0}};
  a.groups.push_back(group({{{"Z", Depth::f32}, {"id", Depth::f32}, {}, {}}}, Depth::f32, bits_of_float(7)));
  b.groups.push_back(group({{{"Z", Depth::f32}, {}, {}, {}}}, Depth::f32, bits_of_float(5)));
  b.groups.push_back(group({{{"id", Depth::u32}, {}, {}, {}}}, Depth::u32, 7));
  CHECK(channel_named(b, "id").group == &b.groups[1]);
  CHECK(channel_named(b, "id").is_uint());
  CHECK(channel_named(a, "id").component == 1);
  const Picture ab = picture_of_difference(a, b, false, 1), ba = picture_of_difference(b, a, false, 1);
  CHECK(ab.groups[0].levels[0].texels.as<float>()[0] == 2);
  CHECK(std::isinf(ab.groups[0].levels[0].texels.as<float>()[1]));
  CHECK(ba.groups[0].levels[0].texels.as<float>()[0] == 2);
  CHECK(std::isinf(ba.groups[1].levels[0].texels.as<float>()[0]));
}

TEST_CASE("the picture of differences has them times the scale, and shows those of alpha") {
  const Size size{3, 2};
  const Picture a = picture_of(floats(size, [](int, int, size_t) { return 1.0f; }));
  const Picture b = picture_of(floats(size, [](int x, int y, size_t c) {
    if (x == 1 && y == 0 && c == 0) return 0.75f;  // red
    if (x == 2 && y == 1 && c == 3) return 0.5f;   // alpha
    return 1.0f;
  }));
  const Picture difference = picture_of_difference(a, b, false, 2);
  const Group& group = difference.groups[0];
  CHECK_FALSE(group.has_alpha());
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (size_t c = 0; c < 3; ++c) {
        const double expected = x == 1 && y == 0 && c == 0 ? 0.5 : x == 2 && y == 1 ? 1 : 0;
        CHECK(double(group.levels[0].texels.as<float>()[size_t(4 * (y * size.width + x)) + c]) == expected);
      }
}
