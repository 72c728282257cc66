// The kernels' own texts of orders and weights, compiled as C++.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

using std::size_t;

namespace {

// What these texts need of GLSL.
struct ivec2 {
  int x = 0, y = 0;
  constexpr ivec2(int x_value, int y_value) : x(x_value), y(y_value) {}
};
struct vec3 {
  float x = 0, y = 0, z = 0;
  template <typename X, typename Y, typename Z>
  vec3(X x_value, Y y_value, Z z_value) : x(float(x_value)), y(float(y_value)), z(float(z_value)) {}
};
vec3 operator/(vec3 a, float divisor) { return {a.x / divisor, a.y / divisor, a.z / divisor}; }
ivec2 operator+(ivec2 a, ivec2 b) { return {a.x + b.x, a.y + b.y}; }
ivec2 operator*(int factor, ivec2 a) { return {factor * a.x, factor * a.y}; }

#include "kernels/lib/order.glsl"
#include "kernels/mips/area_weights.glsl"

// The table of Kramer's talk (Optimizing for the Radeon RDNA Architecture, 2020): the thread at each texel of 8x8.
constexpr std::array<std::array<int, 8>, 8> talk_table = {{{0, 1, 8, 9, 16, 17, 24, 25},
                                                           {2, 3, 10, 11, 18, 19, 26, 27},
                                                           {4, 5, 12, 13, 20, 21, 28, 29},
                                                           {6, 7, 14, 15, 22, 23, 30, 31},
                                                           {32, 33, 40, 41, 48, 49, 56, 57},
                                                           {34, 35, 42, 43, 50, 51, 58, 59},
                                                           {36, 37, 44, 45, 52, 53, 60, 61},
                                                           {38, 39, 46, 47, 54, 55, 62, 63}}};

// The index at each texel of a square of `side`, row by row.
std::vector<int> index_table(int side) {
  std::vector<int> table(size_t(side) * size_t(side), -1);
  for (int index = 0; index < side * side; ++index) {
    const ivec2 at = amd_order(index);
    REQUIRE_MESSAGE((at.x >= 0 && at.x < side && at.y >= 0 && at.y < side), "index ", index, " lies at ", at.x, ", ",
                    at.y);
    table[size_t(at.y) * size_t(side) + size_t(at.x)] = index;
  }
  return table;
}

}  // namespace

TEST_CASE("the order on 8x8 is the table of the talk, all 64 entries") {
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      const int index = talk_table[size_t(y)][size_t(x)];
      const ivec2 at = amd_8x8(index);
      CHECK_MESSAGE((at.x == x && at.y == y), "index ", index, " lies at ", at.x, ", ", at.y, " instead of ", x, ", ",
                    y);
    }
}

TEST_CASE("the first row of the order on 16x16 is that of the talk") {
  const std::vector<int> table = index_table(16);
  const std::vector<int> first_row(table.begin(), table.begin() + 16);
  CHECK(first_row == std::vector<int>{0, 1, 8, 9, 16, 17, 24, 25, 64, 65, 72, 73, 80, 81, 88, 89});
}

TEST_CASE("the order meets every texel of 8x8, 16x16 and 32x32 once") {
  for (const int side : {8, 16, 32}) {
    const std::vector<int> table = index_table(side);
    CHECK_MESSAGE(std::set<int>(table.begin(), table.end()).size() == size_t(side * side), "side ", side);
    CHECK_MESSAGE(*std::min_element(table.begin(), table.end()) == 0, "side ", side);
  }
}

TEST_CASE(
    "any four aligned consecutive indices are a 2x2 quad, on the level below too when a fourth of the threads goes "
    "on") {
  for (const auto& [thread_count, side] : {std::pair{1024, 32}, std::pair{256, 16}, std::pair{64, 8}, std::pair{16, 4}})
    for (int first = 0; first < thread_count; first += 4) {
      const ivec2 corner = amd_order(first);
      CHECK_MESSAGE((corner.x % 2 == 0 && corner.y % 2 == 0 && corner.x < side && corner.y < 2 * side), "index ",
                    first);
      for (int lane = 1; lane < 4; ++lane) {
        const ivec2 at = amd_order(first + lane);
        CHECK_MESSAGE((at.x == corner.x + lane % 2 && at.y == corner.y + lane / 2), "index ", first + lane);
      }
    }
}

TEST_CASE("the area weights of each texel sum to one, and every texel above counts the same") {
  for (int n = 1; n <= 33; ++n) {
    const int count = n > 1 ? n / 2 : 1;
    std::vector<double> shares(size_t(n), 0);
    for (int i = 0; i < count; ++i) {
      double sum = 0;
      const vec3 weights = area_weights(n, i);
      for (int tap = 0; tap < tap_count(n); ++tap) {
        const double weight = double(tap == 0 ? weights.x : tap == 1 ? weights.y : weights.z);
        REQUIRE_MESSAGE((n == 1 ? tap : 2 * i + tap) < n, "n = ", n, ", texel ", i, ", tap ", tap);
        shares[size_t(n == 1 ? tap : 2 * i + tap)] += weight;
        sum += weight;
      }
      CHECK_MESSAGE(sum == doctest::Approx(1).epsilon(1e-6), "n = ", n, ", texel ", i);
    }
    for (size_t texel = 0; texel < shares.size(); ++texel)
      CHECK_MESSAGE(shares[texel] == doctest::Approx(double(count) / n).epsilon(1e-6), "n = ", n, ", texel ", texel);
  }
}

TEST_CASE("the z-curve takes x from every second bit of the index and y from the others, beyond 256 too") {
  for (int index = 0; index < 1 << 16; ++index) {
    int x = 0, y = 0;
    for (int bit = 0; bit < 8; ++bit) {
      x |= (index >> (2 * bit) & 1) << bit;
      y |= (index >> (2 * bit + 1) & 1) << bit;
    }
    const ivec2 at = z_order(index);
    REQUIRE((at.x == x && at.y == y));
  }
}
