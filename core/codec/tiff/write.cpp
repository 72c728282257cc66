// Writes TIFF files with one page, in strips, with libtiff.
#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/writer.h"
#include "core/codec/metadata/icc.h"
#include "core/codec/tiff/handle.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr size_t strip_bytes = size_t(1) << 18;
constexpr uint64_t largest_of_32_bits = (uint64_t(4) << 30) - (uint64_t(64) << 20);

uint16_t code_of(Compression compression) {
  switch (compression) {
    case Compression::none: return COMPRESSION_NONE;
    case Compression::lzw: return COMPRESSION_LZW;
    case Compression::zip: return COMPRESSION_ADOBE_DEFLATE;
    case Compression::zstd: return COMPRESSION_ZSTD;
    default: fail(Exit::usage, "tiff: unknown compression; expected none, lzw, zip or zstd");
  }
}

struct Tags {
  Depth depth;
  bool is_gray, has_alpha, is_premultiplied;
  Compression compression;
  int level = 0;  // 0: the default
  Bytes profile;
};

void set_tags(TIFF* tiff, const Pixels& pixels, const Tags& tags) {
  const auto set = [&](uint32_t tag, auto... values) {
    if (!TIFFSetField(tiff, tag, values...)) fail(Exit::output, "tiff: libtiff refuses tag {}", tag);
  };
  const size_t row_bytes = size_t(pixels.size.width) * pixels.component_count * bytes_of(tags.depth);
  set(TIFFTAG_IMAGEWIDTH, uint32_t(pixels.size.width));
  set(TIFFTAG_IMAGELENGTH, uint32_t(pixels.size.height));
  set(TIFFTAG_BITSPERSAMPLE, int(8 * bytes_of(tags.depth)));
  set(TIFFTAG_SAMPLEFORMAT, is_float(tags.depth) ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  set(TIFFTAG_SAMPLESPERPIXEL, int(pixels.component_count));
  set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  set(TIFFTAG_PHOTOMETRIC, tags.is_gray ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  set(TIFFTAG_ROWSPERSTRIP, uint32_t(std::clamp<size_t>(strip_bytes / row_bytes, 1, size_t(pixels.size.height))));
  const uint16_t code = code_of(tags.compression);
  set(TIFFTAG_COMPRESSION, int(code));
  if (code != COMPRESSION_NONE)
    set(TIFFTAG_PREDICTOR, is_float(tags.depth) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
  if (code == COMPRESSION_ADOBE_DEFLATE) set(TIFFTAG_ZIPQUALITY, tags.level > 0 ? tags.level : 4);
  if (code == COMPRESSION_ZSTD && tags.level > 0) set(TIFFTAG_ZSTD_LEVEL, tags.level);
  const uint16_t alpha = tags.is_premultiplied ? EXTRASAMPLE_ASSOCALPHA : EXTRASAMPLE_UNASSALPHA;
  if (tags.has_alpha) set(TIFFTAG_EXTRASAMPLES, 1, &alpha);
  if (!tags.profile.empty())
    set(TIFFTAG_ICCPROFILE, uint32_t(tags.profile.size()), static_cast<const void*>(tags.profile.data()));
}

std::vector<std::byte> write(const Pixels& pixels, const Tags& tags) {
  const size_t row_bytes = size_t(pixels.size.width) * pixels.component_count * bytes_of(tags.depth);
  TiffHandle tiff(row_bytes * size_t(pixels.size.height) > largest_of_32_bits);
  set_tags(tiff.get(), pixels, tags);
  uint32_t rows = 1;
  TIFFGetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, &rows);
  std::vector<std::byte> strip;  // a copy, because predictors change it
  for (uint32_t index = 0, y = 0; y < uint32_t(pixels.size.height); ++index, y += rows) {
    const size_t count = std::min(rows, uint32_t(pixels.size.height) - y) * row_bytes;
    const Bytes from = pixels.numbers.subspan(size_t(y) * row_bytes, count);
    strip.assign(from.begin(), from.end());
    if (TIFFWriteEncodedStrip(tiff.get(), index, strip.data(), tmsize_t(count)) != tmsize_t(count))
      fail(Exit::output, "tiff: libtiff cannot encode the image: {}", tiff.error());
  }
  return tiff.finish();
}

}  // namespace

void check_tiff(const Format& format, const Picture& picture, const EncodeOptions& options) {
  check_color(format, picture, options);
  if (!TIFFIsCODECConfigured(code_of(options.compression)))
    fail(Exit::usage, "tiff: this build of libtiff has no zstd; expected none, lzw or zip");
}

Encoded encode_tiff(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (!is_encodable(picture, options)) {
    const Picture working = working_copy(picture, Depth::f32);
    return encode_tiff({.picture = &working, .base = source.base}, options);
  }
  Encoded encoded;
  Losses losses;
  const Group& color = picture.groups.front();
  const Pixels pixels = pixels_of(source, options.level, components_of(color), options, losses);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(picture, "tiff", encoded.warnings);
  std::vector<std::byte> profile;
  if (options.is_tagged)
    profile = profile_of(other_primaries(picture).value_or(rec709),
                         is_float(options.depth) ? Transfer::linear : options.transfer, color.is_luminance);
  auto file = std::make_shared<std::vector<std::byte>>(
      write(pixels, {.depth = options.depth,
                     .is_gray = color.is_luminance,
                     .has_alpha = color.has_alpha(),
                     .is_premultiplied = is_float(options.depth) && !color.is_data && !options.is_straight,
                     .compression = options.compression,
                     .level = options.compression_level,
                     .profile = profile}));
  encoded.bytes = TexelBuffer(file->data(), file->size(), [file] {});
  return encoded;
}

}  // namespace gpupost
