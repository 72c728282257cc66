// An image from a format other than EXR: one color, and metadata of the file. Readers of such formats end here.
#pragma once

#include "core/codec/common/format.h"
#include "core/codec/metadata/dropped.h"
#include "core/codec/metadata/png_color.h"

namespace gpupost {

struct Raster {
  std::string_view format;
  Size size;
  int channel_count = 4;  // 1: gray, 2: gray and alpha, 3: color, 4: color and alpha
  bool is_cmyk = false;   // all four channels are inks; 0 is no ink
  Depth depth = Depth::u8;
  TexelBuffer texels;  // four values per texel; gray is in the first three, a missing alpha is 1
  Alpha alpha = Alpha::straight;
  bool alpha_is_data = false;  // it does not weight the color
  Colors colors;
  int orientation = 1;  // Exif orientation, 1 to 8
  DroppedMetadata dropped;

  bool is_gray() const { return channel_count <= 2; }
};

// Allocates texels for an image of this size. Throws Error(Exit::input) above the limit.
TexelBuffer lend_texels(Size size, Depth depth, const Limits& limits, const TexelAllocator& lend);

// Applies the ICC profile and the orientation, and makes a Picture.
Decoded decoded_of(Raster raster, const DecodeOptions& options, const TexelAllocator& lend);

}  // namespace gpupost
