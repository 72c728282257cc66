// Floors of measurements, test images and summaries. It needs no device.
#pragma once

#include "core/gpu/timing.h"
#include "core/op/benchmark.h"
#include "core/plan/plan.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// Plans of a floor in several workgroup shapes; the fastest one counts. Image 0 is the test image.
std::vector<Plan> floor_plans(Floor floor, Size size, Depth depth);
std::string_view name_of(Floor floor);  // "copy", "read and write a third", "read"

// Bytes of images that a plan's passes read and write; each texel counts once.
size_t bytes_moved(const Plan& plan);
double gb_per_second(size_t bytes, double milliseconds);

// A test image of noise in 0..1, with depth u8, half or f32. It is the same on every machine.
Level noise(Size size, Depth depth);

// A test image that also has NaN, infinities, and the largest and smallest values of the depth, which is half or f32.
Level hard_numbers(Size size, Depth depth);

// Sets the depth and the second images of the calls that need them, for an image of this size. Depths are blocks of 8 x 8
// texels from 0.5 to 16 meters, with some holes; second images are noise. Both are the same on every machine.
void give_inputs(std::span<Call> calls, Size size, Depth depth = Depth::f32);

}  // namespace gpupost
