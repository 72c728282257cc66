// JPEG files for the tests, made and read by libjpeg.
#pragma once

#include "tests/codec/make_files.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpupost {

// How four components of waves are written.
enum class JpegColor { gray, ycc, rgb, cmyk, ycck };

struct JpegRecipe {
  int width = 37, height = 21;
  JpegColor color = JpegColor::ycc;
  int across = 1, down = 1;  // texels for one of chroma
  bool is_progressive = false, is_arithmetic = false;
  int restart_rows = 0;           // 0: no restart markers
  bool has_adobe_marker = true;   // of what libjpeg would give one
  std::string application1 = {};  // a segment, "Exif\0\0..."
  std::string application2 = {};  // likewise, "ICC_PROFILE\0..."
};
File make_jpeg(const JpegRecipe& recipe);

// Three components a texel as libjpeg reads them. Of four, as Adobe's inverted CMYK, each of three times the last.
std::vector<uint8_t> rgb_by_libjpeg(const File& file);

}  // namespace gpupost
