// What the readers of the formats have in common: bytes in, a picture out, its texels in memory that they are lent.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <functional>

namespace gpupost {

// Lends zeroed memory for the texels of one level.
using TexelAllocator = std::function<TexelBuffer(size_t bytes)>;

// Each checks the whole file before a library sees it, and yields one level a group. They throw Error(Exit::input).
Decoded read_exr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_with_stb(Bytes file, const Format& format, const DecodeOptions& options, const TexelAllocator& lend);

constexpr size_t magic_bytes = 18;  // that tell the formats apart: a TGA's whole header
// The format of a file that begins so. Throws Error(Exit::input) for no image, and for a format that is only written.
const Format& readable_format(Bytes start);

// The format of `file` by its bytes, and the picture that it holds.
Decoded read_picture(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);

}  // namespace gpupost
