#include "tests/support/patterns.h"

#include "core/base/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost::test {

std::vector<std::string_view> pattern_names() {
  return {"noise", "ramp", "impulse", "huge", "dark", "constant", "nonfinite"};
}

std::vector<Size> awkward_sizes() { return {{1, 1}, {1, 4096}, {3, 5}, {17, 9}, {64, 64}, {128, 32}, {257, 129}}; }

// A number in [0, 1) of a place, by a hash of it.
static double random_number(int x, int y, int component) {
  uint32_t h = uint32_t(x) * 0x9e3779b1u ^ uint32_t(y) * 0x85ebca77u ^ uint32_t(component) * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return double(h ^ h >> 15) / 4294967296.0;
}

static double value_of(std::string_view name, int x, int y, int component, Size size, Depth depth) {
  const double random = random_number(x, y, component);
  if (name == "noise") return 2 * random - 1;
  if (name == "ramp") return double(component + 1) * (double(x) / size.width + double(y) / size.height);
  if (name == "impulse") return x == size.width / 2 && y == size.height / 2 ? 1000.0 : 0;
  if (name == "huge") return (random < 0.5 ? -1 : 1) * (depth == Depth::half ? 65504.0 : 3e38);
  if (name == "dark") return (depth == Depth::half ? 2e-5 : 1e-30) * random * random;  // into the denormals of half
  if (name == "light") return component == 3 ? 1 : 0.05 + random + (random > 0.97 ? 10 : 0);
  if (name == "constant") return 0.1 * (component + 1);
  // nonfinite: noise with a few numbers that are none, and infinities
  if (random > 0.995) return std::numeric_limits<double>::quiet_NaN();
  if (random > 0.99) return std::numeric_limits<double>::infinity();
  if (random > 0.985) return -std::numeric_limits<double>::infinity();
  return random;
}

Level pattern(std::string_view name, Size size, Depth depth) {
  Level level{size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))};
  size_t index = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int component = 0; component < 4; ++component, ++index) {
        const float value = float(value_of(name, x, y, component, size, depth));
        if (depth == Depth::half) level.texels.as<uint16_t>()[index] = half_from_float(value);
        else level.texels.as<float>()[index] = value;
      }
  return level;
}

std::vector<double> numbers_of(const Level& level, Depth depth) {
  std::vector<double> numbers(texel_count(level.size) * 4);
  for (size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = depth == Depth::half ? double(float_from_half(level.texels.as<uint16_t>()[index]))
                                          : double(level.texels.as<float>()[index]);
  return numbers;
}

template <typename T>
static bool are_equal(const Level& a, const Level& b, bool (*is_nan)(T)) {
  const auto is_same = [&](T x, T y) { return x == y || (is_nan(x) && is_nan(y)); };
  return a.size == b.size && std::ranges::equal(a.texels.as<T>(), b.texels.as<T>(), is_same);
}

bool are_equal(const std::vector<Level>& a, const std::vector<Level>& b, Depth depth) {
  return std::ranges::equal(a, b, [&](const Level& x, const Level& y) {
    if (depth == Depth::half) return are_equal<uint16_t>(x, y, [](uint16_t bits) { return (bits & 0x7fff) > 0x7c00; });
    return are_equal<uint32_t>(x, y, [](uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; });
  });
}

}  // namespace gpupost::test
