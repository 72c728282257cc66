// A texel of halves as images of two numbers without sign hold it: each the nearest half.
uvec4 half_bits(vec4 c) { return uvec4(packHalf2x16(c.rg), packHalf2x16(c.ba), 0, 0); }
