// Writes JPEG files with libjpeg-turbo.
#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/writer.h"
#include "core/codec/jpeg/errors.h"
#include "core/codec/metadata/icc.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gpupost {

namespace {

constexpr int whole_chroma_from = 90;  // quality from which chroma has full resolution

// The buffer that libjpeg writes the file to. That of jpeg_mem_dest() is freed twice if it cannot grow.
class FileBuffer : public jpeg_destination_mgr {
 public:
  FileBuffer() : jpeg_destination_mgr{} {
    init_destination = [](j_compress_ptr jpeg) { grow(jpeg); };
    empty_output_buffer = grow;
    term_destination = [](j_compress_ptr) {};
  }
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;
  ~FileBuffer() { std::free(bytes_); }

  // Hands over the file. To be called once, after the last byte.
  TexelBuffer finish() {
    unsigned char* bytes = std::exchange(bytes_, nullptr);
    return TexelBuffer(reinterpret_cast<std::byte*>(bytes), capacity_ - free_in_buffer, [bytes] { std::free(bytes); });
  }

 private:
  // Called at the start and when the buffer is full: all bytes are in use then, whatever free_in_buffer says.
  static boolean grow(j_compress_ptr jpeg) {
    constexpr size_t least_capacity = 1 << 16;
    auto& file = static_cast<FileBuffer&>(*jpeg->dest);
    const size_t used = file.capacity_, capacity = std::max(2 * used, least_capacity);
    void* bytes = std::realloc(file.bytes_, capacity);
    if (!bytes) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    file.bytes_ = static_cast<unsigned char*>(bytes);
    file.capacity_ = capacity;
    file.next_output_byte = file.bytes_ + used;
    file.free_in_buffer = capacity - used;
    return TRUE;
  }

  unsigned char* bytes_ = nullptr;
  size_t capacity_ = 0;
};

class Encoder {
 public:
  Encoder() {
    jpeg_.err = &errors_;
    errors_.guarded(Exit::usage, [&] { jpeg_create_compress(&jpeg_); });
  }
  ~Encoder() { jpeg_destroy_compress(&jpeg_); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  TexelBuffer encode(const Pixels& pixels, Bytes profile, int quality) {
    errors_.guarded(Exit::usage, [&] { write(pixels, profile, quality); });
    return file_.finish();
  }

 private:
  void write(const Pixels& pixels, Bytes profile, int quality) {
    jpeg_.dest = &file_;
    jpeg_.image_width = JDIMENSION(pixels.size.width);
    jpeg_.image_height = JDIMENSION(pixels.size.height);
    jpeg_.input_components = int(pixels.component_count);
    jpeg_.in_color_space = pixels.component_count == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
    jpeg_set_quality(&jpeg_, quality, TRUE);
    jpeg_.dct_method = JDCT_ISLOW;
    jpeg_.optimize_coding = TRUE;
    if (quality >= whole_chroma_from) jpeg_.comp_info[0].h_samp_factor = jpeg_.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&jpeg_, TRUE);
    if (!profile.empty()) jpeg_write_icc_profile(&jpeg_, unsigned_bytes(profile), unsigned(profile.size()));
    const size_t row_bytes = size_t(pixels.size.width) * pixels.component_count;
    while (jpeg_.next_scanline < jpeg_.image_height) {
      auto* row = const_cast<JSAMPROW>(unsigned_bytes(pixels.numbers)) + jpeg_.next_scanline * row_bytes;
      jpeg_write_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_compress(&jpeg_);
  }

  JpegErrors errors_{false};
  jpeg_compress_struct jpeg_{};
  FileBuffer file_;
};

}  // namespace

void check_jpeg(const Format& format, const Picture& picture, const EncodeOptions& options) {
  check_color(format, picture, options);
  check_side(format, picture, options, JPEG_MAX_DIMENSION);
}

Encoded encode_jpeg(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  const bool has_alpha = picture.groups.front().has_alpha(), is_data = picture.groups.front().is_data;
  if (has_alpha || !is_encodable(picture, options)) {
    Picture working = working_copy(picture, Depth::f32);
    working.groups.front().channels[3] = {};  // premultiplied color is already composited over black
    Encoded encoded = encode_jpeg({.picture = &working, .base = has_alpha ? nullptr : source.base}, options);
    if (has_alpha)
      encoded.warnings.push_back(is_data ? "jpg holds no alpha; alpha is dropped"
                                         : "jpg holds no alpha; the image is composited over black");
    return encoded;
  }
  Encoded encoded;
  Losses losses;
  const bool is_gray = picture.groups.front().is_luminance;
  const Pixels pixels = pixels_of(source, options.level, components_of(picture.groups.front()), options, losses);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(picture, "jpg", encoded.warnings);
  const Primaries primaries = other_primaries(picture).value_or(rec709);
  std::vector<std::byte> profile;
  if (options.is_tagged) profile = profile_of(primaries, options.transfer, is_gray);
  encoded.bytes = Encoder().encode(pixels, profile, options.quality);
  return encoded;
}

}  // namespace gpupost
