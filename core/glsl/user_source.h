// Checks user GLSL before it is compiled.
#pragma once

#include "core/op/op.h"

#include <string>
#include <string_view>

namespace gpupost {

// Returns the source of the point op `name` without comments, on the same lines, with its names and NAME_params marked.
// It may contain only functions and constants, must contain `vec4 NAME(vec4, NAME_params)`, and must not access other
// texels. Throws Error(Exit::input) "FILE:LINE: message". The compiler checks types and syntax.
std::string checked_glsl(std::string_view source, const std::string& file, std::string_view name);

}  // namespace gpupost
