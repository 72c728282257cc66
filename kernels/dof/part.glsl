// Weight of a texel in a field of half resolution: a circle hardly larger than a texel stays sharp.
float part_in_half(float radius) { return clamp(abs(radius) - 0.5, 0.0, 1.0); }
