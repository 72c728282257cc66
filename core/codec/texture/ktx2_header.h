// Numbers of KTX2 files: KTX File Format Specification 2.0, and Khronos' Data Format Specification 1.3 for its descriptor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpupost::ktx2 {

constexpr size_t header_bytes = 80, level_entry_bytes = 24;
constexpr size_t supercompression_at = 44;
constexpr uint32_t one_texel = 0, four_by_four = 0x0303;  // size of a block, of each side one less
constexpr uint8_t model_rgbsda = 1, model_bc1 = 128, model_uastc = 166, primaries_unspecified = 0, primaries_bt709 = 1,
                  transfer_unspecified = 0, transfer_linear = 1, transfer_srgb = 2, transfer_itu = 3,
                  alpha_premultiplied = 1;

}  // namespace gpupost::ktx2
