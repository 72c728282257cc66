// Packs a texel to half, rounded to nearest, for images of two unsigned integers.
uvec4 half_bits(vec4 c) { return uvec4(packHalf2x16(c.rg), packHalf2x16(c.ba), 0, 0); }
// The other way.
vec4 of_half_bits(uvec2 bits) { return vec4(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y)); }
