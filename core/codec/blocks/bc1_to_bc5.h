// BC1 (R, G, B and alpha of one bit), BC2 and BC3 (R, G, B, alpha), BC4 (R) and BC5 (R, G). Missing components are 0, alpha is 255.
#pragma once

#include "core/codec/blocks/block.h"

namespace gpupost {

ByteTexels decode_bc1(const std::byte* block);
ByteTexels decode_bc2(const std::byte* block);
ByteTexels decode_bc3(const std::byte* block);
ByteTexels decode_bc4(const std::byte* block);
ByteTexels decode_bc5(const std::byte* block);
// With a sign, -1 to 1. Alpha is 1.
HalfTexels decode_signed_bc4(const std::byte* block);
HalfTexels decode_signed_bc5(const std::byte* block);

void encode_bc1(const ByteTexels& texels, std::byte* block);  // all opaque
void encode_bc3(const ByteTexels& texels, std::byte* block);
void encode_bc4(const ByteTexels& texels, std::byte* block);
void encode_bc5(const ByteTexels& texels, std::byte* block);

}  // namespace gpupost
