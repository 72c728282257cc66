#include "core/base/half.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

float float_from_half(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {  // zero or denormal: units of 2^-24
    const float magnitude = float(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  if (exponent == 31) {
    const uint32_t quiet = mantissa ? 0x400000 : 0;
    return std::bit_cast<float>(sign | 0x7f800000 | quiet | mantissa << 13);
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

uint16_t half_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude == 0x7f800000) return uint16_t(sign | 0x7c00);
  if (std::bit_cast<float>(magnitude) >= half_max) return uint16_t(sign | 0x7bff);
  if (std::bit_cast<float>(magnitude) < 0x1p-14f) {
    // A denormal: the last place of [0.5, 1) is 2^-24, the unit wanted, so one addition rounds.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(rounded) - std::bit_cast<uint32_t>(0.5f)));
  }
  const uint32_t rebased = magnitude - ((127 - 15) << 23);
  const uint32_t odd = rebased >> 13 & 1;
  return uint16_t(sign | (rebased + 0xfff + odd) >> 13);
}

namespace {

bool is_clamped(float value) {
  return std::abs(value) > half_max && std::abs(value) <= std::numeric_limits<float>::max();
}

#ifdef __x86_64__
bool has_f16c() {
  // clang 14 has no word for f16c, which all processors with AVX2 have
#ifdef __clang__
  static const bool has = __builtin_cpu_supports("avx2");
#else
  static const bool has = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
#endif
  return has;
}

// Both convert a multiple of eight and return how many numbers that was.
__attribute__((target("avx,f16c"))) size_t floats_by_eights(const uint16_t* from, float* to, size_t count) {
  const size_t whole = count / 8 * 8;
  for (size_t i = 0; i < whole; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  return whole;
}

__attribute__((target("avx,f16c"))) size_t halves_by_eights(const float* from, uint16_t* to, size_t count,
                                                            size_t& clamped_count) {
  const __m256 sign_bit = _mm256_set1_ps(-0.0f);
  const __m256 most = _mm256_set1_ps(half_max);
  const __m256 infinity = _mm256_set1_ps(std::numeric_limits<float>::infinity());
  const size_t whole = count / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    __m256 value = _mm256_loadu_ps(from + i);
    const __m256 magnitude = _mm256_andnot_ps(sign_bit, value);
    const __m256 beyond =
        _mm256_and_ps(_mm256_cmp_ps(magnitude, most, _CMP_GT_OQ), _mm256_cmp_ps(magnitude, infinity, _CMP_LT_OQ));
    if (const int mask = _mm256_movemask_ps(beyond)) {
      clamped_count += size_t(std::popcount(unsigned(mask)));
      value = _mm256_blendv_ps(value, _mm256_or_ps(most, _mm256_and_ps(sign_bit, value)), beyond);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
  return whole;
}
#else  // the callers then convert number by number
bool has_f16c() { return false; }
size_t floats_by_eights(const uint16_t*, float*, size_t) { return 0; }
size_t halves_by_eights(const float*, uint16_t*, size_t, size_t&) { return 0; }
#endif

}  // namespace

void floats_from_halves(const uint16_t* from, float* to, size_t count) {
  size_t done = has_f16c() ? floats_by_eights(from, to, count) : 0;
  for (; done < count; ++done) to[done] = float_from_half(from[done]);
}

size_t halves_from_floats(const float* from, uint16_t* to, size_t count) {
  size_t clamped_count = 0;
  size_t done = has_f16c() ? halves_by_eights(from, to, count, clamped_count) : 0;
  for (; done < count; ++done) {
    clamped_count += is_clamped(from[done]);
    to[done] = half_from_float(from[done]);
  }
  return clamped_count;
}

}  // namespace gpupost
