// Environment variables that the Vulkan loader and Mesa read.
#pragma once

namespace gpupost {

// Sets variables for the Vulkan loader and Mesa: no cache where it cannot be written, and no drivers of GPUs that cannot be there. Call it
// before other threads start and before Vulkan is used.
void prepare_drivers();

}  // namespace gpupost
