#include "core/codec/blocks/bc6h_residuals.h"

#include "core/codec/blocks/partitions.h"
#include "core/codec/blocks/reciprocal.h"

#include <cmath>

namespace gpupost::bc6h {
namespace {

// Sums over the texels of a pair: of 1, R, G, B, RR, RG, RB, GG, GB and BB.
constexpr size_t moment_count = 10;
using Moments = std::array<PartitionLanes, moment_count>;

struct SymmetricMatrix {
  float rr, rg, rb, gg, gb, bb;
};

inline SymmetricMatrix square(const SymmetricMatrix& m) {
  return {.rr = m.rr * m.rr + m.rg * m.rg + m.rb * m.rb,
          .rg = m.rr * m.rg + m.rg * m.gg + m.rb * m.gb,
          .rb = m.rr * m.rb + m.rg * m.gb + m.rb * m.bb,
          .gg = m.rg * m.rg + m.gg * m.gg + m.gb * m.gb,
          .gb = m.rg * m.rb + m.gg * m.gb + m.gb * m.bb,
          .bb = m.rb * m.rb + m.gb * m.gb + m.bb * m.bb};
}

// An estimate by the matrix to the power of 4, in which the largest eigenvalue outweighs the others.
inline float largest_eigenvalue(const SymmetricMatrix& m, float trace) {
  const float scale = reciprocal(trace + 1);  // keeps powers within floats
  const SymmetricMatrix power =
      square(square({m.rr * scale, m.rg * scale, m.rb * scale, m.gg * scale, m.gb * scale, m.bb * scale}));
  const float diagonal = m.rr * power.rr + m.gg * power.gg + m.bb * power.bb;
  const float others = m.rg * power.rg + m.rb * power.rb + m.gb * power.gb;
  return (diagonal + 2 * others) * reciprocal(power.rr + power.gg + power.bb + 1e-30f);
}

void add_residuals(const Moments& moments, PartitionLanes& residuals) {
  for (size_t i = 0; i < partition_count; ++i) {
    const float scale = reciprocal(moments[0][i]), r = moments[1][i], g = moments[2][i], b = moments[3][i];
    const SymmetricMatrix covariance{moments[4][i] - r * r * scale, moments[5][i] - r * g * scale,
                                     moments[6][i] - r * b * scale, moments[7][i] - g * g * scale,
                                     moments[8][i] - g * b * scale, moments[9][i] - b * b * scale};
    const float trace = std::abs(covariance.rr + covariance.gg + covariance.bb);  // not below 0 by rounding
    residuals[i] += trace - part_on_steps * largest_eigenvalue(covariance, trace);
  }
}

}  // namespace

PartitionLanes residuals_of(const std::array<Lanes, 3>& channels) {
  const std::array<float, 3> mean{sum(channels[0]) / 16, sum(channels[1]) / 16, sum(channels[2]) / 16};
  alignas(16) Moments second{};  // of the second pair of each partition
  std::array<float, moment_count> all{};
  for (size_t texel = 0; texel < 16; ++texel) {
    const float r = channels[0][texel] - mean[0], g = channels[1][texel] - mean[1], b = channels[2][texel] - mean[2];
    const std::array<float, moment_count> products{1, r, g, b, r * r, r * g, r * b, g * g, g * b, b * b};
    alignas(16) PartitionLanes is_second;
    for (size_t i = 0; i < partition_count; ++i) is_second[i] = float(pairs_of_two[i] >> texel & 1);
    for (size_t k = 0; k < moment_count; ++k) {
      all[k] += products[k];
      for (size_t i = 0; i < partition_count; ++i) second[k][i] += is_second[i] * products[k];
    }
  }
  PartitionLanes residuals{};
  add_residuals(second, residuals);
  Moments& first = second;
  for (size_t k = 0; k < moment_count; ++k)
    for (size_t i = 0; i < partition_count; ++i) first[k][i] = all[k] - second[k][i];
  add_residuals(first, residuals);
  return residuals;
}

}  // namespace gpupost::bc6h
