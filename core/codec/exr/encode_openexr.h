// Compressions that only OpenEXR can write.
#pragma once

#include "core/codec/exr/encode_chunks.h"

#include <optional>

namespace gpupost {

// Makes a file as encode_chunks() does, but by OpenEXR. `header` names the compression. `level_of_dwa` is for dwaa and dwab; empty:
// the default. Throws Error(Exit::output) if OpenEXR fails.
EncodedChunks encode_by_openexr(Bytes header, std::span<const ExrChannel> channels, const ChunkOptions& options,
                                std::optional<float> level_of_dwa);

}  // namespace gpupost
