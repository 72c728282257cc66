// The light of a picture above a threshold, by its definition, in double.
#pragma once

namespace gpupost {

struct BrightPass {
  double threshold = 1;
  double knee = 0;   // around the threshold the light sets in gently; at most the threshold
  double scale = 1;  // of the luminance, before the threshold
  double limit = 0;  // over 0: what is over the threshold, v, becomes v / (limit + v)
};

// What is left of a luminance: 0 below threshold - knee, as much as it is over the threshold above threshold + knee, and the
// square between them that goes into both without a bend. What is no number is 0.
double bright(double luminance, const BrightPass& pass);

}  // namespace gpupost
