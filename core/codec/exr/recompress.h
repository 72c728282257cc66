// Compressions that only OpenEXR can write.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

#include <optional>

namespace gpupost {

// Compresses a file again with OpenEXR. `level` is for dwaa and dwab; empty: the default. `file` must be a single-part file that this program wrote.
TexelBuffer recompressed(Bytes file, Compression compression, std::optional<float> level);

}  // namespace gpupost
