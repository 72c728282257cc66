// Code that KTX2 and DDS share: uncompressed levels of one image, of cube faces or of array layers.
#pragma once

#include "core/codec/common/format.h"

#include <cstddef>
#include <vector>

namespace gpupost {

// A texel format with its numbers in KTX2 and DDS.
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
  int image_count = 1;  // 1, faces of a cube, or layers
  bool has_alpha = false;
  bool is_premultiplied = false;
  bool has_primaries = true;  // Rec. 709; false: not known

  size_t level_bytes(int level) const { return texel_count(level_size(size, level)) * texel.bytes(); }
};

// A file without its texels.
struct TextureLayout {
  std::vector<std::byte> header;
  std::vector<size_t> offsets;  // offset of a level, at [image * level_count + level]
  size_t file_bytes = 0;
};

TextureLayout ktx2_layout(const Texture& texture);
TextureLayout dds_layout(const Texture& texture);

}  // namespace gpupost
