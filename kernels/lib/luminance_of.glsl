#include "generated/color_constants.glsl"

float luminance_of(vec3 light) { return dot(XYZ_OF_REC709[1], light); }  // Rec. 709
