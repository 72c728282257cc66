// Local gamma by its definition, in double: light of a display, 0 to 1, encoded with an exponent that follows the light that
// the eye is adapted to.
#pragma once

namespace gpupost {

// The exponent at an adaptation luminance, which counts as 0 to 1: 0.421 in the dark, 0.465 at 1. Source: Kwon et al., Tone
// Mapping Algorithm for Luminance Separated HDR Rendering Based on Visual Brightness Function, 2012.
double adapted_exponent(double adaptation);

// Light encoded with that exponent; what is negative or no number is black, light over 1e15 is that.
double locally_encoded(double light, double adaptation);

}  // namespace gpupost
