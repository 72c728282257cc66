// Second images of a call that lie on the image texel by texel, and the weights of texels in means of straight color.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Image `index` of call.inputs; before it is read, a blank one of this size and depth.
InputPicture second_picture(const Call& call, size_t index, Size size, Depth depth);
// Throws Error(Exit::usage) if a second image does not have the size of the first one, or check_same_place() does.
void check_lies_on_image(const Call& call, std::span<const Output> inputs);
// Throws Error(Exit::usage) if the data window of a second image, `file`, has another corner than that of the image. A second image
// without a display window of its own lies on any image of its size.
void check_same_place(const Call& call, const std::string& file, const Windows& image, const Windows& second);

// Returns whether R, G and B are so small that squares and their sums are floats. NaN is not.
bool fits_in_means(const Color& straight);
// The straight color of a premultiplied texel, and in alpha its weight: |alpha|, but from 2^-20 to 1. Texels that means leave out
// are all 0: transparent ones, and those with NaN, infinity or values above 1e15. kernels/shared/straight_weight.glsl is the same.
Color straight_with_weight(const Color& c);
// Push constants of kernels/shared/straight_weight.glsl.
std::vector<PushConstant> straight_weight_values();
constexpr double least_straight_weight = 0x1p-20;

}  // namespace gpupost
