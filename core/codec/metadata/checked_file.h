// Checks files before stb_image reads them: stb_image 2.27 accepts truncated and damaged files, and hangs on some.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"
#include "core/codec/metadata/png_color.h"

#include <vector>

namespace gpupost {

// A checked file.
struct Checked {
  Size size;
  Colors colors;
  Alpha alpha = Alpha::straight;
  std::string_view denies_alpha;     // the part of the file that says that alpha has no meaning; empty: none
  std::vector<std::byte> rewritten;  // if not empty, read this instead of the file
};

// Each function throws Error(Exit::input) if the file is damaged, above the limits or not supported.

// Rewrites a BMP whose palette stb_image 2.27 would read wrongly.
Checked check_bmp(Bytes file, const Limits& limits);
// Checks every run. Rewrites a TGA with colors of 15 or 16 bits.
Checked check_tga(Bytes file, const Limits& limits);
// Checks every run of every row.
Checked check_hdr(Bytes file, const Limits& limits);

}  // namespace gpupost
