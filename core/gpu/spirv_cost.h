// Estimates the cost of a shader for the driver's compiler, which inlines every call and keeps every variable. User
// GLSL has a limit.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gpupost {

// Cost of the entry point with all calls inlined. Saturates at UINT64_MAX.
struct SpirvCost {
  uint64_t words = 0;           // words of instructions
  uint64_t variable_bytes = 0;  // local variables of one invocation, plus shared variables of the workgroup
};

// Invalid SPIR-V, recursion, and arrays without constant length cost UINT64_MAX.
SpirvCost cost_of(std::span<const uint32_t> spirv);

// Throws Error(Exit::input), with a message that begins with `name`, if the cost exceeds the limits for user GLSL.
void check_cost(const SpirvCost& cost, const std::string& name);

}  // namespace gpupost
