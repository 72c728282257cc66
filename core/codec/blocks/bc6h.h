// BC6H: R, G and B as halves, 16 bytes a block. Khronos Data Format Specification 1.3, chapter BPTC.
#pragma once

#include "core/codec/blocks/block.h"

namespace gpupost {

// Alpha is 1. A block with a reserved mode is black.
HalfTexels decode_bc6h(const std::byte* block, bool is_signed);
// Without a sign: NaN and what is below 0 become 0, and infinity the largest half.
void encode_bc6h(const HalfTexels& texels, std::byte* block);

}  // namespace gpupost
