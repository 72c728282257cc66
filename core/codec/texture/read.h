// Code that the readers of KTX2 and DDS share.
#pragma once

#include "core/codec/common/reader.h"
#include "core/codec/metadata/png_color.h"
#include "core/codec/texture/texel_formats.h"

#include <functional>
#include <string_view>

namespace gpupost {

// The contents of a texture file's header.
struct StoredTexture {
  std::string_view format;  // "ktx2" or "dds"
  TexelFormat texel;
  bool is_luminance_alpha = false;  // two components are gray and alpha, not R and G
  bool is_opaque = false;           // a fourth component has no meaning
  Size size;                        // of level 0
  uint32_t level_count = 1;
  uint64_t image_count = 1;  // array layers, times the faces of a cube
  bool is_cube = false;      // images are faces, in the order +X -X +Y -Y +Z -Z of each layer
  Alpha alpha = Alpha::straight;
  bool alpha_is_data = false;  // it does not weight the color
  Colors colors;
  int orientation = 1;  // Exif orientation
  // Position of a level of an image: in decompressed_level(level), else in the file. Levels have rows without padding.
  std::function<uint64_t(uint64_t image, int level)> offset_of;
  Supercompression supercompression = Supercompression::none;
  // A level of all images, which may throw Error(Exit::input). Empty without supercompression.
  std::function<TexelBuffer(int level)> decompressed_level;

  uint64_t level_bytes(int level) const { return texel.level_bytes(level_size(size, level)); }
};

// Throws Error(Exit::input) unless the size is allowed and the counts of levels and images are possible.
void check_counts(const StoredTexture& texture, uint64_t width, uint64_t height, const Limits& limits);

// Reads one level of one image: those that `options` name. Throws Error(Exit::input) if the file does not have all levels of
// all images.
Decoded read_texture(Bytes file, StoredTexture texture, DecodeOptions options, const TexelAllocator& lend);

}  // namespace gpupost
