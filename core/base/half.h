// Half precision numbers (IEEE 754 binary16).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gpupost {

inline constexpr float half_max = 65504.0f;

// Exact.
float float_from_half(uint16_t bits);
// Rounds to nearest, ties to even. Finite values above half_max clamp to it; infinities and NaN stay.
uint16_t half_from_float(float value);

// Converts arrays, with instructions of the CPU if it has them.
void floats_from_halves(const uint16_t* from, float* to, size_t count);
// Returns the number of finite values that were clamped.
size_t halves_from_floats(const float* from, uint16_t* to, size_t count);

}  // namespace gpupost
