// The passes that measure a picture on the device, for the host and for the passes behind them.
#pragma once

#include "core/ops/stats/reference.h"
#include "core/plan/builder.h"

namespace gpupost {

// Footprint::measure of an op that plans the passes below. It measures no standard deviations.
std::function<Call()> measured_by_stats();

// Appends passes that measure all of the current image and leave it as it is; returns where they leave the numbers in the
// plan's statistics, in the layout of core/ops/stats/reference.h. If PlanInput::measured has the numbers, there are no
// passes. Standard deviations need a second reading of the image; without them, their numbers have no meaning.
int plan_statistics(PlanBuilder& builder, bool has_deviations = false);

// Appends a pass that measures the extremes of the current image's luminance and leaves it as it is: what is returned to the
// host are the parts of workgroups. A device would have to wait for the last of them before it joins a few hundred.
void plan_extremes(PlanBuilder& builder);

// Appends passes that average the logarithms of the current image's luminances between two percentiles; returns where they
// leave the average, as a luminance, 0 where there is none above 0.
int plan_log_average(PlanBuilder& builder, double low_percent, double high_percent);

}  // namespace gpupost
