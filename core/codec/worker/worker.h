// The argument that selects a decode worker, and the descriptors that come with each request.
#pragma once

#include "core/system/child.h"

namespace gpupost {

inline constexpr const char* decode_worker_word = "decode-worker";

// A worker whose input, texels or heap were larger than this is not used again. A large file takes so long that a new process
// costs nothing beside it.
inline constexpr uint64_t most_kept_bytes = uint64_t(64) << 20;

enum DecodeDescriptor {
  input_descriptor,
  texels_descriptor,
  decode_descriptor_count
};  // file to read; empty shared memory

}  // namespace gpupost
