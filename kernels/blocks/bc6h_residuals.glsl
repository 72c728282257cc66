// Estimates how well each partition of BC6H suits a block, as core/codec/blocks/bc6h_residuals.cpp does.
#include "blocks/bc6h_lanes.glsl"

struct SymmetricMatrix {
  float rr, rg, rb, gg, gb, bb;
};

SymmetricMatrix squared(SymmetricMatrix m) {
  return SymmetricMatrix(m.rr * m.rr + m.rg * m.rg + m.rb * m.rb, m.rr * m.rg + m.rg * m.gg + m.rb * m.gb,
                         m.rr * m.rb + m.rg * m.gb + m.rb * m.bb, m.rg * m.rg + m.gg * m.gg + m.gb * m.gb,
                         m.rg * m.rb + m.gg * m.gb + m.gb * m.bb, m.rb * m.rb + m.gb * m.gb + m.bb * m.bb);
}

float largest_eigenvalue(SymmetricMatrix m, float trace) {
  const float scale = reciprocal(trace + 1.0);
  const SymmetricMatrix power = squared(squared(
      SymmetricMatrix(m.rr * scale, m.rg * scale, m.rb * scale, m.gg * scale, m.gb * scale, m.bb * scale)));
  const float diagonal = m.rr * power.rr + m.gg * power.gg + m.bb * power.bb;
  const float others = m.rg * power.rg + m.rb * power.rb + m.gb * power.gb;
  return (diagonal + 2.0 * others) * reciprocal(power.rr + power.gg + power.bb + 1e-30);
}

// Sums over texels.
struct Moments {
  float count;
  vec3 sum, squares, products;  // products: RG, RB and GB
};

Moments moments_of(uint texels, vec3 mean) {
  Moments moments = Moments(0.0, vec3(0.0), vec3(0.0), vec3(0.0));
  for (int at = 0; at < 16; ++at) {
    if ((texels >> at & 1u) == 0u) continue;
    const int row = at >> 2, column = at & 3;
    const vec3 off = vec3(halves[0][row][column], halves[1][row][column], halves[2][row][column]) - mean;
    moments.count += 1.0;
    moments.sum += off;
    moments.squares += off * off;
    moments.products += off.rrg * off.gbb;
  }
  return moments;
}

float residual_of(Moments moments) {
  const float scale = reciprocal(moments.count);
  const vec3 sum = moments.sum;
  const vec3 squares = moments.squares - sum * sum * scale, products = moments.products - sum.rrg * sum.gbb * scale;
  const SymmetricMatrix covariance =
      SymmetricMatrix(squares.r, products.x, products.y, squares.g, products.z, squares.b);
  const float trace = abs(covariance.rr + covariance.gg + covariance.bb);
  return trace - table[PART_ON_STEPS_AT] * largest_eigenvalue(covariance, trace);
}

void find_residuals(out float residuals[PARTITION_COUNT]) {
  const vec3 mean = vec3(sum_of(halves[0]), sum_of(halves[1]), sum_of(halves[2])) * 0.0625;
  const Moments all = moments_of(0xffffu, mean);
  for (int number = 0; number < PARTITION_COUNT; ++number) {
    Moments moments = moments_of(uint(table[SECOND_OF_TWO_AT + number]), mean);
    float residual = 0.0;
    for (int pair = 1; pair >= 0; --pair) {
      residual += residual_of(moments);
      moments = Moments(all.count - moments.count, all.sum - moments.sum, all.squares - moments.squares,
                        all.products - moments.products);
    }
    residuals[number] = residual;
  }
}
