// Half precision numbers (IEEE 754 binary16) as they stand in files and on the device.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gpupost {

inline constexpr float half_max = 65504.0f;

// Exact.
float float_from_half(uint16_t bits);
// To the nearest, ties to even. Finite values beyond half_max clamp to it; infinities and NaN stay.
uint16_t half_from_float(float value);

// The same for runs of numbers, with the processor's own instructions where it has them.
void floats_from_halves(const uint16_t* from, float* to, size_t count);
// Returns how many finite values were clamped.
size_t halves_from_floats(const float* from, uint16_t* to, size_t count);

}  // namespace gpupost
