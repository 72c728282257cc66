// BC7: R, G, B and alpha of 8 bits, 16 bytes a block. Khronos Data Format Specification 1.3, chapter BPTC.
#pragma once

#include "core/codec/blocks/block.h"

namespace gpupost {

// A block with a reserved mode is transparent black.
ByteTexels decode_bc7(const std::byte* block);
void encode_bc7(const ByteTexels& texels, std::byte* block);

}  // namespace gpupost
