// The statistics of a picture from the parts that workgroups have kept.
#include "stats/whole.glsl"

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  vec4 own[spreads];
  take_all(own, thread);
  join_group(own, thread);
  write(own, thread);
}
