// The statistics of a picture from the parts that workgroups have kept.
#include "statistics_parts.glsl"

void main() { finish(int(gl_LocalInvocationIndex)); }
