// How a decode worker is started: the word that makes one of a process, and what it is handed.
#pragma once

#include "core/system/child.h"

namespace gpupost {

inline constexpr const char* decode_worker_word = "decode-worker";

enum DecodeDescriptor {
  worker_input = worker_descriptors,  // the file, to be read
  worker_texels,                      // empty shared memory, to be grown and written
};

}  // namespace gpupost
