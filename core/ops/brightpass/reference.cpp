#include "core/ops/brightpass/reference.h"

#include <cmath>

namespace gpupost {

double bright(double luminance, const BrightPass& pass) {
  const double over = luminance * pass.scale - pass.threshold;
  if (!(over > -pass.knee)) return 0;
  const double rise = over + pass.knee;
  const double passed = over < pass.knee ? rise * rise / (4 * pass.knee) : over;
  if (pass.limit == 0) return passed;
  return std::isinf(passed) ? 1 : passed / (pass.limit + passed);
}

}  // namespace gpupost
