// Compiles GLSL to SPIR-V, in this process or in a sandboxed one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpupost {

// Result of shaderc for a compute shader: SPIR-V or errors.
struct Compiled {
  std::vector<uint32_t> words;  // empty if the shader does not compile
  std::string errors;           // lines that begin with file name and line number
};
Compiled compile_glsl(const std::string& glsl, const std::string& name);

// Versions and options of the compiler. If the text differs, the SPIR-V may differ.
std::string compiler_version();

struct CompileLimits {
  uint64_t memory_bytes = uint64_t(1) << 29;
  int cpu_seconds = 5;
  int wall_seconds = 60;
};

// Compiles in a sandboxed child process, because the text may crash or hang the compiler. Throws Error(Exit::input) if
// it does or if the shader is invalid, and Error(Exit::limit) if memory runs out.
std::vector<uint32_t> compile_apart(const std::string& glsl, const std::string& name, const CompileLimits& limits = {});

}  // namespace gpupost
