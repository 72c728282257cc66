#include "core/ops/localgamma/reference.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

double adapted_exponent(double adaptation) {
  const double light = adaptation > 0 ? std::min(1.0, adaptation) : 0;
  return 0.444 + 0.045 * std::log(light + 0.6034);
}

double locally_encoded(double light, double adaptation) {
  return light > 0 ? std::pow(std::min(light, 1e15), adapted_exponent(adaptation)) : 0;
}

}  // namespace gpupost
