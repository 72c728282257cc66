// Corrects EXR headers that tinyexr 1.0.1 has written: it supports only windows from (0, 0) and square pixels. Also
// works around what OpenEXR 3.1.5 reads wrongly. See test_exr_write.
#pragma once

#include "core/codec/common/format.h"
#include "core/image/level_windows.h"

namespace gpupost {

// Returns whether the attribute describes storage. The writer makes those itself.
bool is_storage_attribute(std::string_view name);

// Returns whether the attribute describes the texels, so that it is wrong for other texels.
bool is_texel_attribute(std::string_view name);

// Returns whether tinyexr writes this attribute with its own value.
bool is_patched_attribute(std::string_view name);

// Sets windows and the values of those `attributes` that tinyexr also writes, in a single-part file. `chunk_lines`:
// scan lines per chunk, 0 for a tiled file.
void patch_exr(TexelBuffer& file, const Windows& windows, const std::vector<Attribute>& attributes, int chunk_lines);

}  // namespace gpupost
