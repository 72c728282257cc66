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

// Check what the formats can hold, beside depths: Format::check.
void check_exr(const Format& format, const Picture& picture, const EncodeOptions& options);
void check_png(const Format& format, const Picture& picture, const EncodeOptions& options);
void check_jpeg(const Format& format, const Picture& picture, const EncodeOptions& options);
void check_hdr(const Format& format, const Picture& picture, const EncodeOptions& options);
void check_tga(const Format& format, const Picture& picture, const EncodeOptions& options);
void check_tiff(const Format& format, const Picture& picture, const EncodeOptions& options);

// Returns whether the color is linear, premultiplied and half, f32 or uint.
bool is_working(const Picture& picture);

// A deep copy of `picture` with such color, for images directly from a file.
Picture working_copy(const Picture& picture, Depth storage);

}  // namespace gpupost
