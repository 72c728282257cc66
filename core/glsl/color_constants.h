// The numbers of core/image/color_matrices.h as GLSL.
#pragma once

#include <string>
#include <string_view>

namespace gpupost {

// What kernels include under this name. It is no file: the program makes its text.
inline constexpr std::string_view color_constants_name = "generated/color_constants.glsl";
// Definitions: `XYZ_OF_REC709[1]` is a row, `WHITE` is x and y of D65.
std::string color_constants();

}  // namespace gpupost
