// Blurs: what a call asks for, and their definition in double.
#pragma once

#include "core/reference/filter.h"

#include <vector>

namespace gpupost {

enum class BlurKernel { box, gaussian };

// A separable kernel, applied `passes` times. Weights are the same along x and y where both radii are the same; a radius
// of 0 leaves an axis as it is.
struct Blur {
  BlurKernel kernel = BlurKernel::box;
  int radius_x = 0, radius_y = 0;  // texels to each side of the one in the middle
  double sigma = 0;                // of a gaussian, in texels
  bool has_splines = false;        // a gaussian made on a coarser grid: near the definition, within stated bounds
  Border border = Border::clamp;
  int passes = 1;
};

BlurKernel kernel_of(const Call& call);

// Throws Error(Exit::usage) where the call's options say no kernel, or contradict each other.
Blur blur_of(const Call& call);

// Is a call, which is valid, done on a coarser grid? The device has no part in the choice, since the definition follows it.
bool takes_splines(const Call& call);

// Weights of the texels -radius..radius of an axis; their sum is 1. Of a gaussian those are point samples.
std::vector<double> weights_of(const Blur& blur, int radius);

// Both axes' weights as kernels read them, those along x and behind them those along y. Those along x are halved, so that no
// sum of the largest numbers overflows.
std::vector<float> weight_table(const Blur& blur);

Planes blurred(Planes from, const Blur& blur);
// What the device may be off by there, where `from` is off by `error`.
Planes blurred_tolerance(Planes from, Planes error, const Blur& blur, Depth depth);

}  // namespace gpupost
