// Whether a file of the formats that stb_image reads is whole: stb_image 2.27 takes cut and damaged files for good ones,
// and hangs on some.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"
#include "core/codec/metadata/png_color.h"

#include <string>
#include <vector>

namespace gpupost {

// A file that has been checked.
struct Checked {
  Size size;
  bool is_16_bit = false;
  Colors colors;
  int orientation = 1;               // as Exif counts them
  std::vector<std::byte> rewritten;  // read this in its place where it is not empty
};

// Each throws Error(Exit::input) for what is damaged, cut off, over the limits or not supported, by name.

// Chunks, their checksums and order, and the image data with theirs. Rewritten with the data unpacked, which is faster for
// stb_image to read than what it would have unpacked itself.
Checked check_png(Bytes file, const Limits& limits);
// Rewritten where stb_image 2.27 reads palettes wrongly.
Checked check_bmp(Bytes file, const Limits& limits);
// Every run of every row.
Checked check_tga(Bytes file, const Limits& limits);
Checked check_hdr(Bytes file, const Limits& limits);

}  // namespace gpupost
