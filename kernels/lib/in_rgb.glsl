// Conversion between R, G, B and the values that a kernel gets, which are X, Y, Z for Yxy images.
#ifdef IN_XYZ
vec4 as_rgb(vec4 c) { return rgb_of_xyz(c); }
vec4 of_rgb(vec4 c) { return xyz_of_rgb(c); }
#else
vec4 as_rgb(vec4 c) { return c; }
vec4 of_rgb(vec4 c) { return c; }
#endif
