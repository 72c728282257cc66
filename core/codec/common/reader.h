// The readers of the formats: bytes in, a picture out, its texels in memory that they are lent. Each checks the whole file and
// yields one level a group. They throw Error(Exit::input).
#pragma once

#include "core/codec/common/format.h"

namespace gpupost {

Decoded read_exr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_png(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_jpeg(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_tiff(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_webp(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_bmp(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_hdr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_tga(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);

// The format of `file` by its bytes, and the picture that it holds.
Decoded read_picture(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);

}  // namespace gpupost
