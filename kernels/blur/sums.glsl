// Sums in shared memory: halves if the cells of a grid are, else floats.
#if CELLS_ARE_HALVES
#include "lib/half_bits.glsl"
#define SUM uvec2
uvec2 packed_sum(vec4 c) { return half_bits(c).xy; }
vec4 color_of_sum(uvec2 bits) { return of_half_bits(bits); }
#else
#define SUM vec4
#define packed_sum(c) c
#define color_of_sum(c) c
#endif
