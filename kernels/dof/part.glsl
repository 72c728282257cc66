// How much a texel takes part in a field of texels of twice the side: a circle that is hardly larger than a texel stays
// sharp.
float part_in_half(float radius) { return clamp(abs(radius) - 0.5, 0.0, 1.0); }
