// What the eye is adapted to around each texel, by its definition in double: the mean luminance of as wide a neighborhood as
// holds no edge. Source: Reinhard et al., Photographic Tone Reproduction for Digital Images, 2002, eq. 5 to 8.
#pragma once

#include "core/ops/tonemap/reference.h"

#include <vector>

namespace gpupost {

// Numbers of the search for a neighborhood.
struct LocalTone {
  double sharpening = 8, epsilon = 0.05;
  int scale_count = 8;
  double middle = 0.18;  // what luminance of the picture the key stands for
};
LocalTone local_tone_of(const Call& call, const Measures& measures);

// Scale `index` of the gaussians around a texel as a call of `blur`: its deviation is 1.6^index / 4 texels, which is the center
// of scale s = 1.6^index, alpha 1 / (2 sqrt 2), and the surround of the one before. There is one more than there are scales.
Call gaussian_of_scale(int index);
// 2^phi / s^2, what eq. 7 has beside the key.
double sharpness_of_scale(const LocalTone& local, int index);

// What the gaussians are made of: luminance times weight, nothing, nothing, weight. Luminance is that of straight color, as curves
// take it. The weight is alpha within 0 to 1, but at least this, so that there is a mean where all is transparent.
constexpr double least_light_weight = 1e-6;
Color weighted_light(const Color& premultiplied_color);

// The luminance that a texel is adapted to, where the means around it are these, one a gaussian. The paper takes the mean of
// the last scale whose activity is under epsilon, as that of all before it is. Here the share that goes on to a scale falls
// from 1 to 0 as an activity grows from 0.5 to 1.5 epsilon, so that light which changes little changes the result little.
double adaptation_of(const std::vector<double>& means, const LocalTone& local);

// That of each texel of a picture, and what a device may be off by where the picture is off by `error`.
Plane adaptations(const Planes& picture, const LocalTone& local);
Plane adaptation_tolerance(const Call& call, const Planes& picture, const Planes& error, const LocalTone& local);

}  // namespace gpupost
