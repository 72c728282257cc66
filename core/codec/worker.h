// How a decode worker is started: the word that makes one of a process, and what its descriptors are.
#pragma once

namespace gpupost {

inline constexpr const char* decode_worker_word = "decode-worker";

enum WorkerDescriptor {
  worker_input = 3,   // the file, to be read
  worker_texels = 4,  // empty shared memory, to be grown and written
  worker_talk = 5,    // a socket: options in up to its end, then the reply out
  worker_descriptor_count = 6,
};

}  // namespace gpupost
