#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/checked_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace gpupost {

namespace {

constexpr size_t file_header_bytes = 14;

struct BmpHeader {
  size_t header_bytes = 0;
  size_t data_at = 0;
  int64_t width = 0, height = 0;  // a negative height: rows from the top
  int bits = 0;
  uint32_t compression = 0;
  size_t color_count = 0;  // from the header; 0: all

  bool is_old() const { return header_bytes == 12; }
  bool has_fields() const { return compression == 3; }
  size_t row_bytes() const { return (size_t(width) * size_t(bits) + 31) / 32 * 4; }
  size_t row_count() const { return size_t(std::abs(height)); }
};

std::string_view name_of(uint32_t compression) {
  constexpr std::string_view names[] = {"none", "RLE8", "RLE4", "bit fields", "JPEG", "PNG", "alpha bit fields"};
  return compression < std::size(names) ? names[compression] : "of an unknown number";
}

BmpHeader bmp_header_of(Bytes file, const Limits& limits) {
  BmpHeader header;
  header.data_at = little_at<uint32_t>(file, 10);
  header.header_bytes = little_at<uint32_t>(file, 14);
  const size_t known[] = {12, 40, 52, 56, 108, 124};
  if (std::ranges::find(known, header.header_bytes) == std::end(known))
    fail(Exit::input, "BMP with a header of {} bytes is not supported", header.header_bytes);
  part_of(file, file_header_bytes, header.header_bytes);
  const size_t wide = header.is_old() ? 2 : 4;
  header.width = header.is_old() ? little_at<uint16_t>(file, 18) : little_at<int32_t>(file, 18);
  header.height = header.is_old() ? little_at<uint16_t>(file, 20) : little_at<int32_t>(file, 22);
  const int planes = little_at<uint16_t>(file, 18 + 2 * wide);
  header.bits = little_at<uint16_t>(file, 20 + 2 * wide);
  if (planes != 1) fail(Exit::input, "has {} planes; a BMP has 1", planes);
  if (!header.is_old()) {
    header.compression = little_at<uint32_t>(file, 30);
    header.color_count = little_at<uint32_t>(file, 46);
  }
  check_claimed_size(header.width, std::abs(header.height), limits);
  return header;
}

void check_kind(const BmpHeader& header) {
  const int bits[] = {1, 4, 8, 16, 24, 32};
  if (std::ranges::find(bits, header.bits) == std::end(bits))
    fail(Exit::input, "BMP with {} bits per texel is not supported", header.bits);
  if (header.compression != 0 && !header.has_fields())
    fail(Exit::input, "BMP compression {} is not supported", name_of(header.compression));
  if (header.has_fields() && header.bits != 16 && header.bits != 32)
    fail(Exit::input, "has bit fields with {} bits per texel; expected 16 or 32", header.bits);
}

class BmpWriter {
 public:
  explicit BmpWriter(size_t bytes) : bytes_(bytes) {}
  template <class Number>
  void add(Number number) {
    add(Bytes(reinterpret_cast<const std::byte*>(&number), sizeof number));
  }
  void add(Bytes bytes) {
    std::memcpy(bytes_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // Zeros up to byte `at`.
  void skip_to(size_t at) { size_ = at; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  size_t size_ = 0;
};

// `data`: rows of indices, each of a multiple of four bytes.
void check_indices(const BmpHeader& header, Bytes data, size_t color_count) {
  const size_t bits = size_t(header.bits), row_bytes = (size_t(header.width) * bits + 31) / 32 * 4;
  for (size_t y = 0; y < size_t(std::abs(header.height)); ++y)
    for (size_t x = 0; x < size_t(header.width); ++x) {
      const size_t at = y * row_bytes + x * bits / 8;
      const int index = byte_at(data, at) >> (8 - bits - x * bits % 8) & ((1 << bits) - 1);
      if (size_t(index) >= color_count)
        fail(Exit::input, "uses color {} of its palette, which has {} colors", index, color_count);
    }
}

// Rewrites the file with a header of 40 bytes and 256 colors; missing colors are black. stb_image 2.27 miscounts colors
// of old headers and reads missing ones from other memory.
std::vector<std::byte> rewritten(Bytes file, const BmpHeader& header, Bytes data) {
  constexpr uint32_t new_header_bytes = 40;
  const size_t entry_bytes = header.is_old() ? 3 : 4;
  const size_t palette_at = file_header_bytes + header.header_bytes;
  const bool has_palette = header.bits <= 8;
  const uint32_t new_data_at = uint32_t(file_header_bytes) + new_header_bytes + (has_palette ? 1024 : 0);
  BmpWriter to(new_data_at + data.size());
  to.add(file.first(2));
  to.add(uint32_t(new_data_at + data.size()));
  to.add(uint32_t(0));
  to.add(new_data_at);
  to.add(new_header_bytes);
  to.add(int32_t(header.width));
  to.add(int32_t(header.height));
  to.add(uint16_t(1));
  to.add(uint16_t(header.bits));
  for (int i = 0; i < 6; ++i) to.add(uint32_t(0));  // compression, sizes, resolutions, counts of colors
  if (has_palette) {
    const size_t said = header.color_count == 0 ? size_t(1) << header.bits : header.color_count;
    const size_t there = (header.data_at - palette_at) / entry_bytes;
    const size_t color_count = std::min(said, there);
    if (color_count == 0) fail(Exit::input, "has no palette, which {} bits per texel need", header.bits);
    check_indices(header, data, color_count);
    const std::array<std::byte, 3> black = {};
    for (size_t entry = 0; entry < 256; ++entry) {
      if (entry < color_count) to.add(part_of(file, palette_at + entry * entry_bytes, 3));
      else to.add(Bytes(black));
      to.add(uint8_t(0));
    }
  }
  to.add(data);
  return to.take();
}

// Rewrites files with 16 and 32 bits per texel with a header of 108 bytes, which has bit fields and alpha. stb_image
// 2.27 does not support a gap before the data, and reads the fields of a 56-byte header at the wrong position.
std::vector<std::byte> rewritten_with_fields(Bytes file, const BmpHeader& header, Bytes data) {
  constexpr uint32_t new_header_bytes = 108;
  constexpr size_t fields_at = file_header_bytes + 40;  // in the header, or directly after it
  constexpr size_t field_bytes = 12, alpha_bytes = 4;
  const uint32_t new_data_at = uint32_t(file_header_bytes) + new_header_bytes;
  BmpWriter to(new_data_at + data.size());
  to.add(file.first(10));
  to.add(new_data_at);
  to.add(new_header_bytes);
  to.add(part_of(file, 18, fields_at - 18));
  if (header.has_fields()) to.add(part_of(file, fields_at, field_bytes));
  const bool has_alpha = header.has_fields() && header.header_bytes >= 56;
  if (has_alpha) to.add(part_of(file, fields_at + field_bytes, alpha_bytes));
  to.skip_to(new_data_at);
  to.add(data);
  return to.take();
}

// Whether texels have a byte that is not used. Some programs write alpha there. A header of 56 bytes or more can say so.
bool has_unused_byte(Bytes file, const BmpHeader& header) {
  constexpr size_t alpha_mask_at = file_header_bytes + 52, least_header_bytes = 56;
  if (header.bits != 32 || header.has_fields()) return false;
  return header.header_bytes < least_header_bytes || little_at<uint32_t>(file, alpha_mask_at) == 0;
}

void check_fields(Bytes file) {
  const auto field = [&](size_t index) { return little_at<uint32_t>(file, file_header_bytes + 40 + 4 * index); };
  const uint32_t red = field(0), green = field(1), blue = field(2);
  if (red == 0 || green == 0 || blue == 0 || (red & green) || (red & blue) || (green & blue))
    fail(Exit::input, "BMP bit fields {:#x}, {:#x} and {:#x} are not supported: empty, or of one bit twice", red, green,
         blue);
}

// Warns of primaries and gammas in a header of 108 or 124 bytes, unless they are 0 or those of sRGB.
void warn_of_calibration(Bytes file, const BmpHeader& header, Colors& colors) {
  constexpr size_t kind_at = 56, endpoints_at = 60, gammas_at = 96;  // in the header
  if (header.header_bytes < 108) return;
  const auto field = [&](size_t at) { return little_at<uint32_t>(file, file_header_bytes + at); };
  if (field(kind_at) != 0) return;  // LCS_CALIBRATED_RGB
  bool are_zero = true, are_srgb = true;
  const Chromaticity places[] = {rec709.red, rec709.green, rec709.blue};
  for (size_t i = 0; i < 3; ++i) {
    const size_t at = endpoints_at + 12 * i;  // X, Y and Z of a primary
    const double x = field(at), y = field(at + 4), z = field(at + 8), gamma = field(gammas_at + 4 * i) / 65536.0;
    are_zero = are_zero && x + y + z + gamma == 0;
    const double sum = std::max(1.0, x + y + z);
    are_srgb = are_srgb && std::abs(x / sum - places[i].x) < 0.001 && std::abs(y / sum - places[i].y) < 0.001 &&
               std::abs((gamma < 1 ? 1 / std::max(gamma, 0.01) : gamma) - 2.2) < 0.03;
  }
  if (!are_zero && !are_srgb)
    colors.warnings.push_back(fmt::format("its endpoints and gammas are ignored; {}", taken_as_srgb));
}

// The ICC profile of a header of 124 bytes, if it has one.
void take_profile(Bytes file, const BmpHeader& header, Colors& colors) {
  constexpr size_t kind_at = 56, place_at = 112, count_at = 116;  // in the header
  constexpr uint32_t is_embedded = 0x4d424544, is_linked = 0x4c494e4b;
  if (header.header_bytes != 124) return;
  const auto field = [&](size_t at) { return little_at<uint32_t>(file, file_header_bytes + at); };
  if (field(kind_at) == is_linked)
    colors.warnings.push_back(fmt::format("its linked ICC profile is ignored; {}", taken_as_srgb));
  if (field(kind_at) != is_embedded) return;
  const Bytes profile = part_of(file, file_header_bytes + size_t(field(place_at)), field(count_at));
  colors.profile.assign(profile.begin(), profile.end());
}

}  // namespace

Checked check_bmp(Bytes file, const Limits& limits) {
  const BmpHeader header = bmp_header_of(file, limits);
  check_kind(header);
  const size_t palette_at = file_header_bytes + header.header_bytes;
  if (header.data_at < palette_at)
    fail(Exit::input, "its data would start at byte {}, inside the header", header.data_at);
  const size_t data_bytes = header.row_bytes() * header.row_count();
  if (header.data_at > file.size() || data_bytes > file.size() - header.data_at)
    fail(Exit::input, "is cut off: its data ends at byte {}, the file has {}", header.data_at + data_bytes,
         file.size());
  const uint32_t said_bytes = little_at<uint32_t>(file, 2);
  if (said_bytes > file.size())
    fail(Exit::input, "is cut off: it claims {} bytes, the file has {}", said_bytes, file.size());
  Checked checked{.size = {int(header.width), int(header.row_count())}};
  if (header.has_fields()) check_fields(file);
  if (has_unused_byte(file, header)) checked.denies_alpha = "header";
  warn_of_calibration(file, header, checked.colors);
  take_profile(file, header, checked.colors);
  const bool is_of_fields = header.bits == 16 || header.bits == 32;  // default fields if the file has none
  const Bytes data = part_of(file, header.data_at, data_bytes);
  checked.rewritten =
      is_of_fields && !header.is_old() ? rewritten_with_fields(file, header, data) : rewritten(file, header, data);
  return checked;
}

}  // namespace gpupost
