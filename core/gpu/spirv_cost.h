// How much a shader asks of the driver's compiler, which expands every call and keeps every variable, and the most that a
// shader with user GLSL may ask.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gpupost {

// What the entry point needs once each call is replaced by a copy of its function. Saturates at UINT64_MAX.
struct SpirvCost {
  uint64_t words = 0;           // of instructions
  uint64_t variable_bytes = 0;  // of one invocation, or of its workgroup where it shares them
};

// Damaged SPIR-V, recursion, and arrays whose length is not a constant cost UINT64_MAX.
SpirvCost cost_of(std::span<const uint32_t> spirv);

// Throws Error(Exit::input), beginning with `name`, where the cost is over the limits for user GLSL.
void check_cost(const SpirvCost& cost, const std::string& name);

}  // namespace gpupost
