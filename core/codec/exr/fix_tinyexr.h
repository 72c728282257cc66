// What tinyexr 1.0.1 writes wrongly, put right in the bytes it wrote: it knows windows from (0, 0) on only, and square
// pixels. And what OpenEXR 3.1.5 reads wrongly, put where it does no harm. See test_exr_write.
#pragma once

#include "core/codec/common/format.h"
#include "core/image/level_windows.h"

namespace gpupost {

// Does the attribute say how a file is stored? The writer makes those itself.
bool is_storage_attribute(std::string_view name);

// Does the attribute tell of the texels that it came with? Other texels make it wrong.
bool is_texel_attribute(std::string_view name);

// Does tinyexr write the attribute with a value of its own?
bool is_patched_attribute(std::string_view name);

// Gives a single-part file's header these windows and the values of those `attributes` that tinyexr writes too. `chunk_lines`:
// scan lines in a chunk, 0 for a tiled file.
void patch_exr(TexelBuffer& file, const Windows& windows, const std::vector<Attribute>& attributes, int chunk_lines);

}  // namespace gpupost
