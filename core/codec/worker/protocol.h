// Messages between parent and decode worker.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <vector>

namespace gpupost {

// Its descriptors are those of worker.h.
struct DecodeRequest {
  DecodeOptions options;
  uint64_t input_bytes = 0;  // size of the file
};

// Either an error (exit code other than `done`), or an image whose texels are in shared memory.
struct Reply {
  Exit exit = Exit::done;
  std::string message;  // error message
  Decoded decoded;      // levels have sizes, but no texels
  // Offset of each group's texels in the shared memory, and of the other parts if they have bytes.
  std::vector<uint64_t> offsets;
  uint64_t others_bytes = 0;
  bool can_go_on = false;  // the worker is in its sandbox and holds little memory
};

std::vector<std::byte> pack(const DecodeRequest& request);
std::vector<std::byte> pack(const Reply& reply);

// Throw std::out_of_range for invalid bytes.
DecodeRequest unpack_request(Bytes bytes);
Reply unpack_reply(Bytes bytes);

}  // namespace gpupost
