// Checks files before stb_image reads them: stb_image 2.27 accepts truncated and damaged files, and hangs on some.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"
#include "core/codec/metadata/dropped.h"
#include "core/codec/metadata/png_color.h"

#include <string>
#include <vector>

namespace gpupost {

// A checked file.
struct Checked {
  Size size;
  bool is_16_bit = false;
  Colors colors;
  int orientation = 1;  // Exif orientation, 1 to 8
  DroppedMetadata dropped;
  std::vector<std::byte> rewritten;  // if not empty, read this instead of the file
};

// Each function throws Error(Exit::input) if the file is damaged, above the limits or not supported.

// Checks chunks, checksums, order and image data of a PNG. Rewrites it with uncompressed data, because stb_image reads
// that faster than it decompresses.
Checked check_png(Bytes file, const Limits& limits);
// Rewrites a BMP whose palette stb_image 2.27 would read wrongly.
Checked check_bmp(Bytes file, const Limits& limits);
// Checks every run of every row.
Checked check_tga(Bytes file, const Limits& limits);
Checked check_hdr(Bytes file, const Limits& limits);

}  // namespace gpupost
