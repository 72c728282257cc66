// GLSL that a user has written, before a compiler sees it.
#pragma once

#include "core/op/op.h"

#include <string>
#include <string_view>

namespace gpupost {

// The source of the point op `name` without its comments, line for line, its own names and NAME_params marked. It holds
// functions and constants alone, among them `vec4 NAME(vec4, NAME_params)`, and nothing in it reaches beyond one texel.
// Throws Error(Exit::input) "FILE:LINE: what is wrong" where that is not so; types and spelling are the compiler's to judge.
std::string checked_glsl(std::string_view source, const std::string& file, std::string_view name);

}  // namespace gpupost
