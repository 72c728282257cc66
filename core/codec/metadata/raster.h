// A picture as formats other than EXR hold it: one color, and what the file says of it. Readers of such formats end here.
#pragma once

#include "core/codec/common/format.h"
#include "core/codec/metadata/png_color.h"

namespace gpupost {

struct Raster {
  std::string_view format;
  Size size;
  int channel_count = 4;  // 1: gray, 2: gray and alpha, 3: color, 4: color and alpha
  bool is_cmyk = false;   // then all four are inks, 0 for none
  Depth depth = Depth::u8;
  TexelBuffer texels;  // four numbers a texel; a gray value stands in the first three, an alpha that is missing is one
  Alpha alpha = Alpha::straight;
  Colors colors;
  int orientation = 1;  // as Exif counts them

  bool is_gray() const { return channel_count <= 2; }
};

// Memory for the texels of a picture of this size. Throws Error(Exit::input) where they are over the limit.
TexelBuffer lend_texels(Size size, Depth depth, const Limits& limits, const TexelAllocator& lend);

// Applies the ICC profile and the orientation, and makes a picture of the rest.
Decoded decoded_of(Raster raster, const DecodeOptions& options, const TexelAllocator& lend);

}  // namespace gpupost
