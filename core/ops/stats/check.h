// Statistics that a device has made against the definition.
#pragma once

#include "core/ops/stats/reference.h"

#include <string>
#include <vector>

namespace gpupost {

// A number and the bounds that it has to keep to.
struct NumberCheck {
  std::string name;  // "luminance mean", "A zeros", "the number of luminances from 0.5 to 0.545"
  double found = 0, low = 0, high = 0;

  // How far it is off the middle of its bounds as a share of what is allowed: over 1 is a failure.
  double share() const;
};
// "luminance mean is 0.25, outside the allowed 0.5..0.5000001"
std::string describe(const NumberCheck& check);

// Every number of `found`, held against the definition on `picture`, which is off by at most `error`. Means may be off by
// 2^-20 of the mean of the absolute values they are made of, extremes of the luminance by 2^-21 of what the texel's is made
// of; luminances that near to the edge of a bin, or to 0, may be counted on either side; all else is exact.
std::vector<NumberCheck> check_statistics(const Statistics& found, const Planes& picture, const Planes& error,
                                          Measure measure);
// The one that is nearest to its bounds, or farthest outside.
const NumberCheck& worst_of(const std::vector<NumberCheck>& checks);

}  // namespace gpupost
