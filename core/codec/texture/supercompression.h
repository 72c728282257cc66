// Compression of the levels of KTX2 files: Zstandard (RFC 8878) and zlib (RFC 1950).
#pragma once

#include "core/base/memory.h"
#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

namespace gpupost {

// `effort`: one of levels_of(supercompression); 0: the default.
TexelBuffer compressed(Bytes bytes, Supercompression supercompression, int effort);

// The bytes of a level. Throws Error(Exit::input) if the data is damaged or does not hold exactly `byte_count` bytes.
TexelBuffer decompressed(Bytes packed, Supercompression supercompression, size_t byte_count, int level);

}  // namespace gpupost
