// Choices of kernels that several ops have. A define with such names gives the kernel a constant for each.
#pragma once

#include <string_view>

namespace gpupost {

enum Axis { along_x, along_y };
inline constexpr std::string_view axis_names[] = {"x", "y"};

// In which order the threads of a workgroup take its texels: kernels/lib/group_order.glsl.
enum ThreadOrder { in_rows, along_z, as_amd };
inline constexpr std::string_view order_names[] = {"rows", "z", "amd"};

}  // namespace gpupost
