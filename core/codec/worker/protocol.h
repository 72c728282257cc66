// What parent and decode worker tell each other, as bytes. Both are flat lists of numbers, texts and lists: a reader of
// bounded depth suffices, and the one for the worker's reply trusts nothing.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <vector>

namespace gpupost {

// Either an error (its exit code is not `done`), or a picture whose texels lie in shared memory.
struct Reply {
  Exit exit = Exit::done;
  std::string message;            // of the error
  Decoded decoded;                // the levels have sizes but no texels
  std::vector<uint64_t> offsets;  // of each group's texels in the shared memory
};

std::vector<std::byte> pack(const DecodeOptions& options);
std::vector<std::byte> pack(const Reply& reply);

// Throw std::out_of_range for bytes that pack() cannot have made.
DecodeOptions unpack_options(Bytes bytes);
Reply unpack_reply(Bytes bytes);

}  // namespace gpupost
