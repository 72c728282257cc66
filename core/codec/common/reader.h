// Readers of formats. Each checks the whole file and decodes one level per group into memory of the caller's allocator.
// They throw Error(Exit::input).
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

// Detects the format of `file` and decodes it.
Decoded read_picture(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);

}  // namespace gpupost
