// Finds the SPIR-V of a shader: built in, else the disk cache, else shaderc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpupost {

// A shader that the build compiled.
struct BuiltInSpirv {
  uint64_t hash;  // hash of the GLSL
  std::span<const uint32_t> words;
};
// Registers built-in shaders for spirv_of(). Call it before a device is opened; the shaders must outlive all use.
void use_built_in_spirv(std::span<const BuiltInSpirv> shaders);
std::span<const BuiltInSpirv> built_in_spirv();

// The shaders of all examples of all rows, from the library gpupost_spirv.
std::span<const BuiltInSpirv> shaders_of_all_rows();

}  // namespace gpupost
