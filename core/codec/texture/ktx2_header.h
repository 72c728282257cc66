// Numbers of KTX2 files: KTX File Format Specification 2.0, and Khronos' Data Format Specification 1.3 for its descriptor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpupost::ktx2 {

constexpr size_t header_bytes = 80, level_entry_bytes = 24;
constexpr uint8_t model_rgbsda = 1, primaries_unspecified = 0, primaries_bt709 = 1, transfer_unspecified = 0,
                  transfer_linear = 1, transfer_srgb = 2, transfer_itu = 3, alpha_premultiplied = 1;

}  // namespace gpupost::ktx2
