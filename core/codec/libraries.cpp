// Libraries that read and write files in this build, for `version` and `doctor`.
#include "core/codec/codec.h"

#include <OpenEXR/OpenEXRConfig.h>

#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>
#include <lcms2.h>
#if GPUPOST_HAS_TIFF
#include <tiffvers.h>
#endif
#if GPUPOST_HAS_WEBP
#include <webp/decode.h>
#endif

#include <fmt/core.h>

namespace gpupost {

std::vector<Library> codec_libraries() {
  // as in 2021005
  constexpr int jpeg = LIBJPEG_TURBO_VERSION_NUMBER;
  std::vector<Library> libraries = {
      {"OpenEXR", OPENEXR_VERSION_STRING},
      {"libjpeg-turbo", fmt::format("{}.{}.{}", jpeg / 1000000, jpeg / 1000 % 1000, jpeg % 1000)},
      {"lcms2", fmt::format("{}.{}", LCMS_VERSION / 1000, LCMS_VERSION % 1000 / 10)},
      {"libtiff", ""},
      {"libwebp", ""}};
#if GPUPOST_HAS_TIFF
  const std::string_view text = TIFFLIB_VERSION_STR;  // "LIBTIFF, Version 4.5.0\n..."
  const size_t at = text.find("Version ") + 8;
  libraries[3].version = text.substr(at, text.find('\n', at) - at);
#endif
#if GPUPOST_HAS_WEBP
  const int webp = WebPGetDecoderVersion();
  libraries[4].version = fmt::format("{}.{}.{}", webp >> 16, webp >> 8 & 0xff, webp & 0xff);
#endif
  return libraries;
}

}  // namespace gpupost
