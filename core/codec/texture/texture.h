// Code that KTX2 and DDS share: levels of one image, of cube faces or of array layers.
#pragma once

#include "core/codec/common/format.h"
#include "core/codec/texture/texel_formats.h"

#include <cstddef>
#include <vector>

namespace gpupost {

struct Texture {
  TexelFormat texel;
  Size size;
  int level_count = 1;
  Arrangement arrangement = Arrangement::single;
  int image_count = 1;  // 1, faces of a cube, or layers
  bool has_alpha = false;
  bool is_premultiplied = false;
  bool is_data = false;       // alpha is a channel of its own
  bool has_primaries = true;  // Rec. 709; false: not known

  size_t level_bytes(int level) const { return texel.level_bytes(level_size(size, level)); }
};

// A file without its texels.
struct TextureLayout {
  std::vector<std::byte> header;
  std::vector<size_t> offsets;  // offset of a level, at [image * level_count + level]
  size_t file_bytes = 0;
};

TextureLayout ktx2_layout(const Texture& texture);
TextureLayout dds_layout(const Texture& texture);

// A KTX2 file whose levels are compressed. `file` has the layout and levels that are not. `effort`: EncodeOptions's level.
TexelBuffer supercompressed_ktx2(const Texture& texture, const TextureLayout& layout, Bytes file,
                                 Supercompression supercompression, int effort);

}  // namespace gpupost
