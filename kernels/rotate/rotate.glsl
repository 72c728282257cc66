// Rotates by any angle. Products of 64 bits make positions exact. `cosine` and `sine` are in 2^-30, `start` in half texels from the
// center of rotation, `half_step` is half a texel or none.
#include "lib/each_texel.glsl"
#include "shared/sampling.glsl"

// (a x + b y) / 2^16, rounded
int turned(int a, int x, int b, int y) {
  int high_a, low_a, high_b, low_b;
  imulExtended(a, x, high_a, low_a);
  imulExtended(b, y, high_b, low_b);
  uint carry, round_carry;
  const uint sum = uaddCarry(uint(low_a), uint(low_b), carry);
  const uint low = uaddCarry(sum, 32768u, round_carry);
  return ((high_a + high_b + int(carry) + int(round_carry)) << 16) | int(low >> 16);
}

void make(ivec2 at) {
  const ivec2 twice = 2 * at + ivec2(start_x, start_y);
  const ivec2 steps = ivec2(turned(cosine, twice.x, sine, twice.y), turned(-sine, twice.x, cosine, twice.y)) +
                      ivec2(half_step_x, half_step_y);
  store(at, of_rgb(sampled(ivec2(middle_x, middle_y) + (steps >> POSITION_BITS), steps & ((1 << POSITION_BITS) - 1))));
}
