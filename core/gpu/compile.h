// From GLSL to SPIR-V, here or in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpupost {

// What shaderc makes of a compute shader: SPIR-V, or what it says is wrong.
struct Compiled {
  std::vector<uint32_t> words;  // none: it does not compile
  std::string errors;           // lines that begin with the name and a line's number
};
Compiled compile_glsl(const std::string& glsl, const std::string& name);

// The versions of all that makes SPIR-V in this program, and what it is told: with another text it may make other SPIR-V.
std::string compiler_version();

struct CompileLimits {
  uint64_t memory_bytes = uint64_t(1) << 29;
  int cpu_seconds = 5;
  int wall_seconds = 60;
};

// The same by a sandboxed child process, which may hang or crash. Throws Error(Exit::input) where it does, or where the
// shader does not compile, and Error(Exit::limit) where memory ends.
std::vector<uint32_t> compile_apart(const std::string& glsl, const std::string& name, const CompileLimits& limits = {});

}  // namespace gpupost
