// make_integers(): linear numbers to the integers of a file, correctly rounded.
#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/image/to_working.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

namespace gpupost {
namespace {

constexpr uint16_t half_one = 0x3c00;

template <class Integer>
constexpr int most = Integer(-1);

// The definition; share in [0, 1].
template <class Integer>
int srgb_integer(float share) {
  return int(std::round(srgb_encode(double(share)) * most<Integer>));
}

// The product is exact in double, so this rounds once.
template <class Integer>
int linear_integer(float share) {
  return int(double(share) * most<Integer> + 0.5);
}

// NaN becomes 0.
float into_unit(float value) { return std::min(1.0f, std::max(0.0f, value)); }

#ifdef __x86_64__
// srgb_encode() of eight numbers in [0, 1], less than 2^-22 off. The power 1/2.4 of a number is the power 5/3 of its
// fourth root; the polynomial interpolates that at the Chebyshev nodes between the fourth roots of 0.0031308 and 1.
[[gnu::target("avx2,fma")]] inline __m256 nearly_encoded(__m256 shares) {
  constexpr std::array<float, 10> factors{-1.7538918e-5f, 3.86833298e-5f, -4.55112083e-5f, 1.23348368e-4f,
                                          -4.1081968e-4f, 1.42163585e-3f, -6.87701672e-3f, 1.00251305e-1f,
                                          4.87125943e-1f, 4.1838996e-1f};
  const __m256 roots = _mm256_sqrt_ps(_mm256_sqrt_ps(shares));
  const __m256 at = _mm256_fmsub_ps(roots, _mm256_set1_ps(2.6196699f), _mm256_set1_ps(1.6196699f));
  __m256 curve = _mm256_set1_ps(factors[0]);
  for (size_t i = 1; i < factors.size(); ++i) curve = _mm256_fmadd_ps(curve, at, _mm256_set1_ps(factors[i]));
  const __m256 line = _mm256_mul_ps(shares, _mm256_set1_ps(12.92f));
  return _mm256_blendv_ps(curve, line, _mm256_cmp_ps(shares, _mm256_set1_ps(0.0031308f), _CMP_LE_OQ));
}

void store_narrow(__m128i words, uint16_t* to) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), words); }
void store_narrow(__m128i words, uint8_t* to) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
}

// Encodes a multiple of eight numbers in [0, 1] and returns how many that was. Where the approximation leaves a doubt
// the definition decides.
template <class Integer>
[[gnu::target("avx2,fma")]] size_t encode_by_eights(const float* shares, Integer* to, size_t count) {
  constexpr float doubt = float(most<Integer>) * 0x1p-22f + 0x1p-8f;  // and the product's own rounding
  const __m256 sign_bit = _mm256_set1_ps(-0.0f);
  const size_t whole = count / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    const __m256 encoded = nearly_encoded(_mm256_loadu_ps(shares + i));
    const __m256 scaled = _mm256_mul_ps(encoded, _mm256_set1_ps(float(most<Integer>)));
    const __m256i integers = _mm256_cvtps_epi32(scaled);
    const __m256 off = _mm256_andnot_ps(sign_bit, _mm256_sub_ps(scaled, _mm256_cvtepi32_ps(integers)));
    store_narrow(_mm_packus_epi32(_mm256_castsi256_si128(integers), _mm256_extracti128_si256(integers, 1)), to + i);
    const __m256 is_doubtful = _mm256_cmp_ps(off, _mm256_set1_ps(0.5f - doubt), _CMP_GT_OQ);
    for (auto mask = unsigned(_mm256_movemask_ps(is_doubtful)); mask != 0; mask &= mask - 1) {
      const size_t at = i + size_t(std::countr_zero(mask));
      to[at] = Integer(srgb_integer<Integer>(shares[at]));
    }
  }
  return whole;
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#else  // the caller then encodes number by number
bool has_avx2() { return false; }
template <class Integer>
size_t encode_by_eights(const float*, Integer*, size_t) {
  return 0;
}
#endif

template <class Integer>
void encode_srgb(const float* shares, Integer* to, size_t count) {
  size_t done = has_avx2() ? encode_by_eights(shares, to, count) : 0;
  for (; done < count; ++done) to[done] = Integer(srgb_integer<Integer>(shares[done]));
}

// The integer of every half, by its bits. Those over one become the most, negative ones and NaN 0.
template <class Integer>
std::vector<Integer> integers_of_halves(Transfer transfer) {
  std::vector<float> shares(half_one + 1);
  for (size_t bits = 0; bits < shares.size(); ++bits) shares[bits] = float_from_half(uint16_t(bits));
  std::vector<Integer> integers(65536);
  if (transfer == Transfer::srgb) encode_srgb(shares.data(), integers.data(), shares.size());
  else std::ranges::transform(shares, integers.begin(), linear_integer<Integer>);
  constexpr uint16_t half_infinity = 0x7c00;
  std::fill(integers.begin() + half_one, integers.begin() + half_infinity + 1, Integer(-1));
  return integers;
}

template <class Integer>
const std::vector<Integer>& half_table(Transfer transfer) {
  if (transfer == Transfer::srgb) {
    static const std::vector<Integer> srgb = integers_of_halves<Integer>(Transfer::srgb);
    return srgb;
  }
  static const std::vector<Integer> linear = integers_of_halves<Integer>(Transfer::linear);
  return linear;
}

struct Counts {
  std::array<std::array<uint32_t, 4>, 3> outliers{};  // above 1, below 0 and NaN, for each component
  uint32_t unseen = 0;                                // texels; see Clipped
};

void count_outliers(const float* row, size_t texel_count, Counts& counts) {
  for (size_t i = 0; i < texel_count; ++i) {
    for (size_t c = 0; c < 4; ++c) {
      const float value = row[4 * i + c];
      counts.outliers[0][c] += value > 1;
      counts.outliers[1][c] += value < 0;
      counts.outliers[2][c] += value != value;
    }
  }
}

// Shares from `least` on are not 0 as integers.
uint32_t count_unseen(const float* row, size_t texel_count, float least) {
  uint32_t count = 0;
  for (size_t i = 0; i < 4 * texel_count; i += 4)
    count += row[i + 3] == 0 && (row[i] >= least || row[i + 1] >= least || row[i + 2] >= least);
  return count;
}

// The least share that becomes 1 as an integer.
template <class Integer>
float least_share(Transfer transfer) {
  constexpr double encoded = 0.5 / most<Integer>;
  switch (transfer) {
    case Transfer::srgb: return float(srgb_decode(encoded));
    case Transfer::pq: return float(pq_decode(encoded) / largest_light(transfer));
    case Transfer::hlg: return float(hlg_decode(encoded) / largest_light(transfer));
    default: return float(encoded);
  }
}

// Back to straight color; texels of alpha 0 or less stay as they stand.
void divide_by_alpha(float* row, size_t texel_count) {
  bool is_opaque = true;
  for (size_t i = 0; i < texel_count; ++i) is_opaque &= row[4 * i + 3] == 1;
  if (is_opaque) return;
  for (size_t i = 0; i < texel_count; ++i) {
    const float alpha = row[4 * i + 3];
    const float divisor = alpha > 0 ? alpha : 1;
    const std::array<float, 4> divisors{divisor, divisor, divisor, 1};
    for (size_t c = 0; c < 4; ++c) row[4 * i + c] /= divisors[c];
  }
}

// Changes `row` on its way.
template <class Integer>
void row_of_floats(float* row, Integer* to, size_t texel_count, Transfer transfer) {
  for (size_t i = 0; i < 4 * texel_count; ++i) row[i] = into_unit(row[i]);
  if (transfer == Transfer::linear) {
    for (size_t i = 0; i < 4 * texel_count; ++i) to[i] = Integer(linear_integer<Integer>(row[i]));
    return;
  }
  if (transfer == Transfer::srgb) {
    encode_srgb(row, to, 4 * texel_count);
  } else {
    const double largest = largest_light(transfer);
    const auto encode = transfer == Transfer::pq ? pq_encode : hlg_encode;
    for (size_t i = 0; i < 4 * texel_count; ++i)
      to[i] = Integer(std::round(encode(double(row[i]) * largest) * most<Integer>));
  }
  for (size_t i = 3; i < 4 * texel_count; i += 4) to[i] = Integer(linear_integer<Integer>(row[i]));
}

// The light of each integer of 8 bits.
const std::array<double, 256>& light_of_bytes(Transfer transfer) {
  const auto made = [](Transfer of) {
    std::array<double, 256> light;
    for (size_t i = 0; i < light.size(); ++i)
      light[i] = of == Transfer::srgb ? srgb_decode(double(i) / 255) : double(i) / 255;
    return light;
  };
  static const std::array<double, 256> srgb = made(Transfer::srgb), linear = made(Transfer::linear);
  return transfer == Transfer::srgb ? srgb : linear;
}

// What is to be cut to an integer of 8 bits; an integer where the share, which may be off by `doubt` of itself, is one's.
double number_of_byte(double share, double doubt, Transfer transfer) {
  const double number = 255 * (transfer == Transfer::srgb ? srgb_encode(share) : share);
  const double nearest = std::round(number);
  return std::abs(light_of_bytes(transfer)[size_t(nearest)] - share) <= doubt * share ? nearest : number;
}

constexpr double half_doubt = 0x1p-11, float_doubt = 0x1p-23;  // of a number that was stored

// The same of every half, by its bits.
const std::vector<float>& number_table(Transfer transfer) {
  const auto made = [](Transfer of) {
    std::vector<float> numbers(65536);
    for (int bits = 0; bits < 65536; ++bits)
      numbers[size_t(bits)] = float(number_of_byte(double(into_unit(float_from_half(uint16_t(bits)))), half_doubt, of));
    return numbers;
  };
  if (transfer == Transfer::srgb) {
    static const std::vector<float> srgb = made(Transfer::srgb);
    return srgb;
  }
  static const std::vector<float> linear = made(Transfer::linear);
  return linear;
}

// The row at `y`: `number(i)` is what becomes number i of red, green and blue, `alpha(i)` an integer.
void dither_row(uint8_t* to, size_t texel_count, int y, const auto& number, const auto& alpha) {
  for (size_t i = 0; i < texel_count; ++i) {
    const double threshold = ordered_threshold(int(i), y);
    for (size_t c = 4 * i; c < 4 * i + 3; ++c) to[c] = uint8_t(number(c) + threshold);
    to[4 * i + 3] = alpha(4 * i + 3);
  }
}

bool is_opaque(const uint16_t* row, size_t texel_count) {
  uint64_t difference = 0;
  for (size_t i = 0; i < texel_count; ++i) {
    uint64_t texel;
    std::memcpy(&texel, row + 4 * i, sizeof texel);
    difference |= texel ^ uint64_t(half_one) << 48;
  }
  return difference >> 48 == 0;
}

// Negative numbers, those over one and NaN all have greater bits than one.
bool is_in_unit(const uint16_t* row, size_t number_count) {
  uint16_t greatest = 0;
  for (size_t i = 0; i < number_count; ++i) greatest = std::max(greatest, row[i]);
  return greatest <= half_one;
}

// How a level's rows are read and encoded.
struct IntegerConversion {
  Depth depth = Depth::half;
  Transfer transfer = Transfer::srgb;
  bool is_premultiplied = true;  // the color is to be divided by the last component
  bool has_alpha_data = false;   // the last component is a number that is not encoded
  Dither dither = Dither::none;
};

// A row that was divided by alpha, which was stored too.
void dither_row(const float* row, uint8_t* to, size_t texel_count, int y, const IntegerConversion& way) {
  const double doubt = (way.depth == Depth::half ? half_doubt : float_doubt) * (way.is_premultiplied ? 2 : 1);
  dither_row(
      to, texel_count, y, [&](size_t i) { return number_of_byte(double(into_unit(row[i])), doubt, way.transfer); },
      [&](size_t i) { return uint8_t(linear_integer<uint8_t>(into_unit(row[i]))); });
}

// A row that is looked up.
void dither_row(const uint16_t* row, uint8_t* to, size_t texel_count, int y, Transfer transfer) {
  const float* numbers = number_table(transfer).data();
  const uint8_t* integers = half_table<uint8_t>(Transfer::linear).data();
  dither_row(
      to, texel_count, y, [&](size_t i) { return double(numbers[row[i]]); },
      [&](size_t i) { return integers[row[i]]; });
}

template <class Integer>
void look_up(const uint16_t* row, Integer* to, size_t texel_count, int y, const IntegerConversion& way) {
  if constexpr (sizeof(Integer) == 1)
    if (way.dither == Dither::ordered) return dither_row(row, to, texel_count, y, way.transfer);
  const Integer* table = half_table<Integer>(way.transfer).data();
  for (size_t i = 0; i < 4 * texel_count; ++i) to[i] = table[row[i]];
  if (!way.has_alpha_data) return;
  const Integer* linear = half_table<Integer>(Transfer::linear).data();
  for (size_t i = 3; i < 4 * texel_count; i += 4) to[i] = linear[row[i]];
}

// The row at `y`; `scratch` holds as many floats.
template <class Integer>
void row_of_any(const std::byte* from, Integer* to, size_t texel_count, int y, const IntegerConversion& way,
                float* scratch, Counts& counts) {
  const size_t number_count = 4 * texel_count;
  const auto largest = float(largest_light(way.transfer));
  if (way.depth == Depth::half) {
    const auto* halves = reinterpret_cast<const uint16_t*>(from);
    const bool is_looked_up = largest == 1 && (!way.is_premultiplied || is_opaque(halves, texel_count));
    if (is_looked_up) {
      look_up(halves, to, texel_count, y, way);
      if (is_in_unit(halves, number_count)) return;
    }
    floats_from_halves(halves, scratch, number_count);
    if (is_looked_up) return count_outliers(scratch, texel_count, counts);
  } else {
    std::memcpy(scratch, from, number_count * sizeof(float));
  }
  if (way.is_premultiplied) divide_by_alpha(scratch, texel_count);
  if (largest != 1)
    for (size_t i = 0; i < number_count; ++i)
      if (i % 4 != 3) scratch[i] /= largest;
  count_outliers(scratch, texel_count, counts);
  if (way.is_premultiplied) counts.unseen += count_unseen(scratch, texel_count, least_share<Integer>(way.transfer));
  if constexpr (sizeof(Integer) == 1)
    if (way.dither == Dither::ordered) return dither_row(scratch, to, texel_count, y, way);
  row_of_floats(scratch, to, texel_count, way.transfer);
}

// What a file holds of a group: its named channels, a gray picture's value once.
Clipped sum_of(const Counts& counts, const Group& group, size_t texel_count) {
  Clipped clipped{.unseen = counts.unseen, .texel_count = texel_count};
  for (size_t c = 0; c < 4; ++c) {
    if (group.channels[c].name.empty()) continue;
    clipped.above += counts.outliers[0][c];
    clipped.below += counts.outliers[1][c];
    clipped.nan += counts.outliers[2][c];
    clipped.total += texel_count;
  }
  return clipped;
}

template <class Integer>
Clipped integers_of(const Group& group, const Level& from, Transfer transfer, Dither dither, Alpha alpha,
                    std::span<Integer> to) {
  const auto width = size_t(from.size.width);
  const bool is_divided = alpha == Alpha::premultiplied && !group.is_data;
  const IntegerConversion way{.depth = group.depth,
                              .transfer = transfer,
                              .is_premultiplied = group.has_alpha() && is_divided,
                              .has_alpha_data = group.has_alpha() && !is_divided,
                              .dither = dither};
  Counts counts{};
  std::mutex mutex;
  parallel_ranges(from.size.height, std::max(1, 65536 / from.size.width), [&](int begin, int end) {
    Counts own{};
    std::vector<float> scratch(4 * width);
    for (int y = begin; y < end; ++y) {
      const size_t first = size_t(y) * width * 4;
      row_of_any(from.texels.data() + first * bytes_of(group.depth), to.data() + first, width, y, way, scratch.data(),
                 own);
    }
    const std::lock_guard lock(mutex);
    for (size_t kind = 0; kind < own.outliers.size(); ++kind)
      for (size_t c = 0; c < 4; ++c) counts.outliers[kind][c] += own.outliers[kind][c];
    counts.unseen += own.unseen;
  });
  return sum_of(counts, group, texel_count(from.size));
}

}  // namespace

double ordered_threshold(int x, int y) {
  int rank = 0;  // of 64: where the bits of x and y go, the lowest counts the most
  for (int bit = 0; bit < 3; ++bit) rank = 4 * rank + 2 * ((x ^ y) >> bit & 1) + (y >> bit & 1);
  return (rank + 0.5) / 64;
}

Clipped make_integers(const Group& group, const Level& from, Depth depth, Transfer transfer, TexelBuffer& to,
                      Dither dither, Alpha alpha) {
  to = TexelBuffer(texel_count(from.size) * 4 * bytes_of(depth));
  return depth == Depth::u8 ? integers_of(group, from, transfer, dither, alpha, to.as<uint8_t>())
                            : integers_of(group, from, transfer, dither, alpha, to.as<uint16_t>());
}

void change_integer_depth(Group& group, Depth depth) {
  if (group.depth == depth) return;
  for (Level& level : group.levels) {
    TexelBuffer made(texel_count(level.size) * 4 * bytes_of(depth));
    const size_t row = 4 * size_t(level.size.width);
    parallel_ranges(level.size.height, std::max(1, 65536 / level.size.width), [&](int begin, int end) {
      for (size_t i = size_t(begin) * row; i < size_t(end) * row; ++i)
        if (depth == Depth::u16) made.as<uint16_t>()[i] = uint16_t(level.texels.as<uint8_t>()[i] * 257);
        else made.as<uint8_t>()[i] = uint8_t((level.texels.as<uint16_t>()[i] + 128) / 257);
    });
    level.texels = std::move(made);
  }
  group.depth = depth;
}

}  // namespace gpupost
