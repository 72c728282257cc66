// Joins the partial statistics of workgroups.
#include "stats/whole.glsl"

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  vec4 own[spreads];
  take_all(own, thread);
  join_group(own, thread);
  write(own, thread);
}
