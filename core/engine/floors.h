// What a measurement is compared with, and how its numbers are told. Pure: needs no device.
#pragma once

#include "core/gpu/timing.h"
#include "core/op/benchmark.h"
#include "core/plan/plan.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// A floor of a picture in several shapes: the fastest of them counts. Image 0 is the picture.
std::vector<Plan> floor_plans(Floor floor, Size size, Depth depth);
std::string_view name_of(Floor floor);  // "copy", "read and write a third", "read"

// Images' bytes read and written by a plan's passes, each texel once.
size_t bytes_moved(const Plan& plan);
double gb_per_second(size_t bytes, double milliseconds);

// A picture to measure on: numbers in 0..1 without order, of depth u8, half or f32, the same on every machine.
Level noise(Size size, Depth depth);

// The same with some numbers that are hard: not-a-number, infinities, the largest and the smallest of the depth, which is
// half or f32.
Level hard_numbers(Size size, Depth depth);

// Gives the calls that need one a depth of each texel, for a chain on a picture of this size: blocks of 8x8 texels at half a
// meter to 16 meters, here and there a hole, the same on every machine.
void give_depths(std::span<Call> calls, Size size);

}  // namespace gpupost
