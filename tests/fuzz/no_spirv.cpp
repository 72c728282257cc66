// None of the shaders that are built in: fuzzing runs none, and needs not wait for them.
#include "core/gpu/spirv.h"

std::span<const gpupost::BuiltInSpirv> gpupost::built_in_spirv() { return {}; }
