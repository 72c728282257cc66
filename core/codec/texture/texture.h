// What KTX2 and DDS have in common: uncompressed levels of one image, of the faces of a cube or of the layers of an array.
#pragma once

#include "core/codec/common/format.h"

#include <cstddef>
#include <vector>

namespace gpupost {

// One kind of texel, and its numbers in the two formats.
struct TexelFormat {
  Depth depth = Depth::u8;
  Transfer transfer = Transfer::linear;
  size_t component_count = 4;  // 1, 2 or 4: R, RG, RGBA
  uint32_t vulkan = 0;         // VkFormat
  uint32_t dxgi = 0;           // DXGI_FORMAT; 0: there is none

  size_t bytes() const { return component_count * bytes_of(depth); }
};

struct Texture {
  TexelFormat texel;
  Size size;
  int level_count = 1;
  Arrangement arrangement = Arrangement::single;
  int image_count = 1;  // one, faces or layers
  bool has_alpha = false;
  bool is_premultiplied = false;

  size_t level_bytes(int level) const { return texel_count(level_size(size, level)) * texel.bytes(); }
};

// A file but for its texels.
struct TextureLayout {
  std::vector<std::byte> header;
  std::vector<size_t> offsets;  // of level `level` of image `image`, at [image * level_count + level]
  size_t file_bytes = 0;
};

TextureLayout ktx2_layout(const Texture& texture);
TextureLayout dds_layout(const Texture& texture);

}  // namespace gpupost
