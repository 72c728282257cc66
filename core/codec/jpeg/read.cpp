// Reads JPEG files with libjpeg-turbo.
#include "core/codec/common/reader.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/jpeg/errors.h"
#include "core/codec/metadata/exif.h"
#include "core/codec/metadata/raster.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

namespace gpupost {

namespace {

// Many scans take seconds per megapixel; libjpeg-turbo recommends this limit.
constexpr int max_scan_count = 500;

constexpr std::string_view exif("Exif\0\0", 6);

void count_scans(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > max_scan_count)
    JpegErrors::leave_with(jpeg, "has more than 500 scans");
}

class Decoder {
 public:
  explicit Decoder(Bytes file, const Limits& limits) : file_(file), limits_(limits) {
    jpeg_.err = &errors_;
    progress_.progress_monitor = count_scans;
    errors_.guarded(Exit::input, [&] { start(); });
    check();
  }
  ~Decoder() { jpeg_destroy_decompress(&jpeg_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Raster raster(const TexelAllocator& lend);

 private:
  void start() {
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_.mem->max_memory_to_use = long(std::min<uint64_t>(limits_.decoded_bytes, LONG_MAX));
    jpeg_mem_src(&jpeg_, unsigned_bytes(file_), file_.size());
    for (const int marker : {JPEG_APP0 + 1, JPEG_APP0 + 2, JPEG_APP0 + 13, JPEG_COM})
      jpeg_save_markers(&jpeg_, marker, 0xffff);
    jpeg_read_header(&jpeg_, TRUE);
  }
  void check() const;
  void decode(TexelBuffer& texels);
  int orientation() const;
  DroppedMetadata dropped() const;
  std::vector<std::byte> profile();

  Bytes file_;
  const Limits& limits_;
  JpegErrors errors_{true};
  jpeg_decompress_struct jpeg_{};
  jpeg_progress_mgr progress_{};
};

void Decoder::check() const {
  check_claimed_size(jpeg_.image_width, jpeg_.image_height, limits_);
  const int count = jpeg_.num_components;
  if (count != 1 && count != 3 && count != 4) fail(Exit::input, "JPEG of {} components is not supported", count);
  // without it, it is unknown whether values are inverted
  if (count == 4 && !jpeg_.saw_Adobe_marker)
    fail(Exit::input, "JPEG of four components without Adobe's marker is not supported");
  // a block of 8 x 8 texels needs at least one bit
  const uint64_t most = uint64_t(file_.size()) * 8 * DCTSIZE2;
  if (!jpeg_.arith_code && uint64_t(jpeg_.image_width) * jpeg_.image_height > most)
    fail(Exit::input, "is cut off: {} bytes cannot yield {} x {} texels", file_.size(), jpeg_.image_width,
         jpeg_.image_height);
}

void Decoder::decode(TexelBuffer& texels) {
  jpeg_.out_color_space = jpeg_.num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
  jpeg_.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&jpeg_);
  while (jpeg_.output_scanline < jpeg_.output_height) {
    auto* row = reinterpret_cast<JSAMPROW>(texels.data()) + size_t(jpeg_.output_scanline) * jpeg_.output_width * 4;
    jpeg_read_scanlines(&jpeg_, &row, 1);
  }
  jpeg_finish_decompress(&jpeg_);
}

int Decoder::orientation() const {
  for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker; marker = marker->next) {
    const Bytes data = std::as_bytes(std::span(marker->data, marker->data_length));
    if (marker->marker == JPEG_APP0 + 1 && starts_with(data, exif)) return orientation_in(data.subspan(exif.size()));
  }
  return 1;
}

DroppedMetadata Decoder::dropped() const {
  DroppedMetadata dropped;
  for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker; marker = marker->next) {
    const Bytes data = std::as_bytes(std::span(marker->data, marker->data_length));
    if (marker->marker == JPEG_APP0 + 1 && starts_with(data, exif)) dropped.take_exif(data.subspan(exif.size()));
    if (marker->marker == JPEG_APP0 + 1 && starts_with(data, "http://ns.adobe.com/x")) dropped.has_xmp = true;
    if (marker->marker == JPEG_APP0 + 13) dropped.take_photoshop(data);
    if (marker->marker == JPEG_COM) dropped.has_text = true;
  }
  // JFIF 1.02: unit 1 is an inch, unit 2 a centimeter
  const double inches = jpeg_.density_unit == 1 ? 1 : jpeg_.density_unit == 2 ? 1 / 2.54 : 0;
  if (jpeg_.saw_JFIF_marker) dropped.take_resolution(jpeg_.X_density, jpeg_.Y_density, inches);
  return dropped;
}

std::vector<std::byte> Decoder::profile() {
  JOCTET* bytes = nullptr;
  unsigned count = 0;
  errors_.guarded(Exit::input, [&] { jpeg_read_icc_profile(&jpeg_, &bytes, &count); });
  if (!bytes && errors_.msg_code == JWRN_BOGUS_ICC) return std::vector<std::byte>(1);  // damaged for apply_profile()
  const std::unique_ptr<JOCTET, void (*)(void*)> owned(bytes, std::free);
  const auto all = std::as_bytes(std::span(bytes, bytes ? count : 0));
  return {all.begin(), all.end()};
}

Raster Decoder::raster(const TexelAllocator& lend) {
  const Size size{int(jpeg_.image_width), int(jpeg_.image_height)};
  Raster raster{.format = "jpg",
                .size = size,
                .channel_count = jpeg_.num_components,
                .is_cmyk = jpeg_.num_components == 4,
                .texels = lend_texels(size, Depth::u8, limits_, lend),
                .orientation = orientation(),
                .dropped = dropped()};
  raster.colors.profile = profile();
  errors_.guarded(Exit::input, [&] { decode(raster.texels); });
  if (raster.is_cmyk)  // Adobe inverts CMYK
    for (uint8_t& number : raster.texels.as<uint8_t>()) number = uint8_t(255 - number);
  if (!errors_.warning.empty()) raster.colors.warnings.push_back(errors_.warning);
  return raster;
}

}  // namespace

Decoded read_jpeg(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  check_is_only_part(options.part, "jpg");
  Decoder decoder(file, options.limits);
  return decoded_of(decoder.raster(lend), options, lend);
}

}  // namespace gpupost
