#include "core/ops/brightpass/reference.h"

#include <cmath>

namespace gpupost {

double bright(double luminance, const BrightPass& pass) {
  const double light = luminance * pass.scale, over = light - pass.threshold;
  const double rise = light - double(float(pass.threshold - pass.knee));  // as on the device: the two may nearly cancel
  if (!(rise > 0)) return 0;
  const double passed = over < pass.knee ? rise * rise / (4 * pass.knee) : over;
  if (pass.limit == 0) return passed;
  return std::isinf(passed) ? 1 : passed / (pass.limit + passed);
}

}  // namespace gpupost
