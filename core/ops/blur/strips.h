// Blurs in one dispatch through shared memory.
#pragma once

#include "core/ops/blur/reference.h"
#include "core/plan/builder.h"

#include <string>
#include <vector>

namespace gpupost {

// Sums of weighted texels, of any kernel, or sliding sums of a box, whose cost does not grow with the radius.
enum class Stream { taps, sums };

// The input of the plan, with the depth of the current image if that is larger: ops blur floats of their own in a chain of
// halves.
PlanInput input_of_blur(PlanBuilder& builder);

// Why a device cannot do such a blur of such images in one dispatch; "" where it can.
std::string stream_obstacle(const Blur& blur, Stream stream, const PlanInput& input, const DeviceTraits& traits);
// Appends one pass of the kernel, where there is no obstacle.
void plan_stream(PlanBuilder& builder, const Blur& blur, Stream stream);

// Returns whether one dispatch is faster than two along lines for an image of cells.
bool streams_cells(const Blur& blur, Size size, Depth depth, const DeviceTraits& traits);
// Appends that dispatch. `weights` is as from weight_table(). Returns an image of the same size and depth.
int plan_cells_stream(PlanBuilder& builder, const Blur& blur, std::vector<float> weights, int source);

// Returns whether the device can blur cells by tiles, which is faster than two dispatches along lines.
bool tiles_cells(const Blur& blur, Depth depth, const DeviceTraits& traits);
// Appends that dispatch, for small images of cells.
int plan_cells_tiles(PlanBuilder& builder, const Blur& blur, std::vector<float> weights, int source);

}  // namespace gpupost
