// Starting a decode worker: the argument that selects it, and its descriptors.
#pragma once

#include "core/system/child.h"

namespace gpupost {

inline constexpr const char* decode_worker_word = "decode-worker";

enum DecodeDescriptor {
  worker_input = worker_descriptors,  // the file to read
  worker_texels,                      // empty shared memory to resize and write
};

}  // namespace gpupost
