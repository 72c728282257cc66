// Writers of formats, and code that they share.
#pragma once

#include "core/codec/common/format.h"

namespace gpupost {

Encoded encode_exr(const Source& source, const EncodeOptions& options);
Encoded encode_png(const Source& source, const EncodeOptions& options);
Encoded encode_jpeg(const Source& source, const EncodeOptions& options);
Encoded encode_texture(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                       const EncodeOptions& options);
Encoded encode_hdr(const Source& source, const EncodeOptions& options);
Encoded encode_tga(const Source& source, const EncodeOptions& options);
Encoded encode_tiff(const Source& source, const EncodeOptions& options);

// Returns whether the color is linear, premultiplied and half, f32 or uint.
bool is_working(const Picture& picture);

// A deep copy of `picture` with such color, for images directly from a file.
Picture working_copy(const Picture& picture, Depth storage);

}  // namespace gpupost
