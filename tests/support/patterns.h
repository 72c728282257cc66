// Pictures for tests, the same on every run.
#pragma once

#include "core/image/picture.h"

#include <string_view>
#include <vector>

namespace gpupost::test {

// Patterns of which every op must take each; those that are finite first.
std::vector<std::string_view> pattern_names();  // noise ramp impulse huge dark constant nonfinite

// One level of four numbers of `depth` (half or f32) a texel. `name` is one of pattern_names(), or "light": positive light with
// alpha 1, which images of Yxy and of B10G11R11 can hold.
Level pattern(std::string_view name, Size size, Depth depth);

// The numbers of a level as doubles, four a texel.
std::vector<double> numbers_of(const Level& level, Depth depth);

// Whether levels have the same bits, except that NaNs may have other ones: their signs and payloads are undefined.
bool are_equal(const std::vector<Level>& a, const std::vector<Level>& b, Depth depth);

// Sizes at which a kernel that is wrong at an edge shows it.
std::vector<Size> awkward_sizes();

}  // namespace gpupost::test
