// Where SPIR-V comes from: built in, else the disk cache, else shaderc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// A shader that was compiled when the program was built.
struct BuiltInSpirv {
  uint64_t hash;  // of the GLSL
  std::span<const uint32_t> words;
};
// The shaders that spirv_of() finds without compiling. None until a program hands some in, which it does before it opens a
// device; they must outlive all use.
void use_built_in_spirv(std::span<const BuiltInSpirv> shaders);
std::span<const BuiltInSpirv> built_in_spirv();

// Every row's usual examples, compiled by the build (library gpupost_spirv).
std::span<const BuiltInSpirv> shaders_of_all_rows();

}  // namespace gpupost
