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
// Made by the build from every row's examples; empty in the program that makes it.
std::span<const BuiltInSpirv> built_in_spirv();

}  // namespace gpupost
