#include "core/base/half.h"

#include <doctest/doctest.h>
#include <half.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace gpupost;

namespace {

// The definition of binary16, in double.
double value_of(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

bool is_finite_half(uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }

// Every float that is hard: halves, what lies halfway between two, and their neighbors.
std::vector<float> hard_floats() {
  std::vector<float> floats{std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            65519.99f,
                            65520.0f,
                            1e10f,
                            1e-10f,
                            0x1p-25f,
                            0x1.000002p-25f,
                            std::numeric_limits<float>::infinity()};
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const auto low = float(value_of(bits));
    const auto high = float(value_of(uint16_t(bits + 1)));
    const float middle = (low + high) / 2;
    for (const float value : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)})
      floats.push_back(value);
  }
  const size_t count = floats.size();
  for (size_t i = 0; i < count; ++i) floats.push_back(-floats[i]);
  uint32_t seed = 1;
  for (int i = 0; i < 1'000'000; ++i) floats.push_back(std::bit_cast<float>(seed = seed * 1664525u + 1013904223u));
  return floats;
}

uint16_t clamped(uint16_t bits, float value) {
  return std::isfinite(value) && !is_finite_half(bits) ? uint16_t((bits & 0x8000) | 0x7bff) : bits;
}

}  // namespace

TEST_CASE("every half is the float that the standard defines") {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = uint16_t(i);
    CAPTURE(bits);
    const float value = float_from_half(bits);
    if (is_finite_half(bits)) REQUIRE(double(value) == value_of(bits));
    else if (bits & 0x3ff) REQUIRE(std::isnan(value));
    else REQUIRE(value == (bits & 0x8000 ? -1 : 1) * std::numeric_limits<float>::infinity());
    REQUIRE(std::signbit(value) == bool(bits & 0x8000));
  }
}

TEST_CASE("every half survives the way to float and back") {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = uint16_t(i);
    const bool is_nan = !is_finite_half(bits) && (bits & 0x3ff);
    CAPTURE(bits);
    REQUIRE(half_from_float(float_from_half(bits)) == (is_nan ? bits | 0x200 : bits));
  }
}

TEST_CASE("floats become the nearest half, ties to even, as Imath does it") {
  for (const float value : hard_floats()) {
    CAPTURE(value);
    const uint16_t bits = half_from_float(value);
    if (std::isnan(value)) REQUIRE(std::isnan(float_from_half(bits)));
    else REQUIRE(bits == clamped(Imath::half(value).bits(), value));
  }
}

TEST_CASE("runs of numbers are converted as single numbers are, whatever their length") {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = uint16_t(i);
  std::vector<float> floats(halves.size());
  floats_from_halves(halves.data(), floats.data(), floats.size());
  for (const uint16_t bits : halves)
    REQUIRE(std::bit_cast<uint32_t>(floats[bits]) == std::bit_cast<uint32_t>(float_from_half(bits)));

  const std::vector<float> hard = hard_floats();
  for (const size_t count : {size_t(0), size_t(1), size_t(7), size_t(8), size_t(17), hard.size()}) {
    std::vector<uint16_t> made(count);
    size_t clamped_count = 0;
    for (size_t i = 0; i < count; ++i) clamped_count += std::isfinite(hard[i]) && std::abs(hard[i]) > half_max;
    CHECK(halves_from_floats(hard.data(), made.data(), count) == clamped_count);
    for (size_t i = 0; i < count; ++i) {
      CAPTURE(hard[i]);
      REQUIRE(made[i] == half_from_float(hard[i]));
    }
  }
}

TEST_CASE("finite floats beyond 65504 clamp and are counted; infinities stay") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> floats{65504, 65505, -1e9f, infinity, -infinity, 1, std::nanf(""), 2, 70000};
  std::vector<uint16_t> halves(floats.size());
  CHECK(halves_from_floats(floats.data(), halves.data(), floats.size()) == 3);
  CHECK(halves[1] == 0x7bff);
  CHECK(halves[2] == 0xfbff);
  CHECK(halves[3] == 0x7c00);
  CHECK(halves[4] == 0xfc00);
  CHECK(halves[8] == 0x7bff);
}
