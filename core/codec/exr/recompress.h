// Compressions that only OpenEXR can write.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

namespace gpupost {

// Compresses a file again with OpenEXR. `level` is for dwaa and dwab; 0: the default. `file` must be a single-part file that this program wrote.
TexelBuffer recompressed(Bytes file, Compression compression, int level);

}  // namespace gpupost
