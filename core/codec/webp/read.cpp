// Reads WebP files with libwebp. Chunks are parsed here, because libwebp accepts truncated files and returns no
// metadata.
#include "core/codec/common/reader.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/exif.h"
#include "core/codec/metadata/raster.h"

#include <webp/decode.h>

namespace gpupost {

namespace {

// Chunks of a name, a length and data, which are filled up to an even number. WebP container specification.
void take_chunks(Bytes file, Raster& raster) {
  const uint64_t end = uint64_t(little_at<uint32_t>(file, 4)) + 8;
  if (end > file.size()) fail(Exit::input, "is cut off: it claims {} bytes and has {}", end, file.size());
  size_t at = 12;
  while (at + 8 <= end) {
    const uint32_t count = little_at<uint32_t>(file, at + 4);
    const std::string_view name = text_of(part_of(file, at, 4));
    if (count > end - at - 8)
      fail(Exit::input, "its chunk at byte {} claims {} bytes; {} are left", at, count, end - at - 8);
    const Bytes data = part_of(file, at + 8, count);
    if (name == "ICCP") raster.colors.profile.assign(data.begin(), data.end());
    if (name == "EXIF") {
      const Bytes exif = starts_with(data, "Exif") && count > 6 ? data.subspan(6) : data;
      raster.orientation = orientation_in(exif);
      raster.dropped.take_exif(exif);
    }
    if (name == "XMP ") raster.dropped.has_xmp = true;
    at += 8 + size_t(count) + count % 2;
  }
}

}  // namespace

Decoded read_webp(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  check_is_only_part(options.part, "webp");
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(unsigned_bytes(file), file.size(), &features) != VP8_STATUS_OK)
    fail(Exit::input, "its header is damaged or cut off");
  if (features.has_animation) fail(Exit::input, "animated WebP is not supported");
  check_claimed_size(features.width, features.height, options.limits);
  Raster raster{
      .format = "webp", .size = {features.width, features.height}, .channel_count = features.has_alpha ? 4 : 3};
  take_chunks(file, raster);
  raster.texels = lend_texels(raster.size, Depth::u8, options.limits, lend);
  if (!WebPDecodeRGBAInto(unsigned_bytes(file), file.size(), reinterpret_cast<uint8_t*>(raster.texels.data()),
                          raster.texels.size(), 4 * features.width))
    fail(Exit::input, "its data is damaged or cut off");
  return decoded_of(std::move(raster), options, lend);
}

}  // namespace gpupost
