// GLSL that a user has written, before a compiler sees it.
#pragma once

#include <string>
#include <string_view>

namespace gpupost {

// Stands before each name of file scope in what checked_glsl() gives: where the text is put to use, a prefix takes its place
// that no other text there has.
inline constexpr char name_mark = '@';

// The source of the point op `name` without its comments, line for line, its own names and NAME_params marked. It holds
// functions and constants alone, among them `vec4 NAME(vec4, NAME_params)`, and nothing in it reaches beyond one texel.
// Throws Error(Exit::input) "FILE:LINE: what is wrong" where that is not so; types and spelling are the compiler's to judge.
std::string checked_glsl(std::string_view source, const std::string& file, std::string_view name);

}  // namespace gpupost
