// The writers of the formats, and what they have in common.
#pragma once

#include "core/codec/common/format.h"

namespace gpupost {

Encoded encode_exr(const Source& source, const EncodeOptions& options);
Encoded encode_png(const Source& source, const EncodeOptions& options);
Encoded encode_jpeg(const Source& source, const EncodeOptions& options);
Encoded encode_texture(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                       const EncodeOptions& options);
Encoded encode_tiff(const Source& source, const EncodeOptions& options);

// Is the color linear, premultiplied and half or f32, or uint, as it stands?
bool is_working(const Picture& picture);

// A deep copy of `picture` made so, for pictures that come straight from a file.
Picture working_copy(const Picture& picture, Depth storage);

// The names of a picture's channels: "R G B A Z".
std::string channel_names(const Picture& picture);

}  // namespace gpupost
