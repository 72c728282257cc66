// Messages of the Vulkan validation layer, if GPUPOST_VALIDATE turned it on.
#pragma once

namespace gpupost {

// Number of messages so far.
int validation_message_count();

}  // namespace gpupost
