// The compressions that OpenEXR writes.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"

namespace gpupost {

// The same file with its texels packed in another way, by OpenEXR. `file`: one that this program has made, of one part.
TexelBuffer recompressed(Bytes file, Compression compression);

}  // namespace gpupost
