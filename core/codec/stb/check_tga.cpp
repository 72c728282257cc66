#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/checked_file.h"

#include <algorithm>

namespace gpupost {

namespace {

// Truevision TGA 2.0, "field" numbers as there.
struct TgaHeader {
  int map_start = 0, map_length = 0, map_bits = 0;  // field 4
  int width = 0, height = 0, bits = 0;              // field 5
  bool has_map = false, is_mapped = false;          // true color may have a map too, which has no effect
  bool has_runs = false;
  size_t data_at = 0;

  size_t texel_bytes() const { return (size_t(bits) + 7) / 8; }
};

TgaHeader tga_header_of(Bytes file, const Limits& limits) {
  TgaHeader header;
  header.has_map = byte_at(file, 1) == 1;
  header.is_mapped = (byte_at(file, 2) & 7) == 1;
  header.has_runs = (byte_at(file, 2) & 8) != 0;
  header.map_start = little_at<uint16_t>(file, 3);
  header.map_length = little_at<uint16_t>(file, 5);
  header.map_bits = byte_at(file, 7);
  header.width = little_at<uint16_t>(file, 12);
  header.height = little_at<uint16_t>(file, 14);
  header.bits = byte_at(file, 16);
  check_claimed_size(header.width, header.height, limits);
  const uint8_t descriptor = byte_at(file, 17);
  if (descriptor & 0x10) fail(Exit::input, "TGA with columns from right to left is not supported");
  if (descriptor & 0xc0) fail(Exit::input, "TGA with interleaved rows is not supported");
  if (header.is_mapped && header.map_length == 0) fail(Exit::input, "has an empty color map");
  if (header.is_mapped && header.map_start != 0)
    fail(Exit::input, "TGA with a color map that starts at entry {} is not supported", header.map_start);
  const size_t map_bytes = header.has_map ? size_t(header.map_length) * ((size_t(header.map_bits) + 7) / 8) : 0;
  header.data_at = 18 + size_t(byte_at(file, 0)) + map_bytes;
  return header;
}

[[noreturn]] void refuse_cut(Bytes file, uint64_t needed) {
  fail(Exit::input, "is cut off: its data ends at byte {} or later, the file has {}", needed, file.size());
}

void check_indices(Bytes file, const TgaHeader& header, size_t at, size_t count) {
  if (!header.is_mapped) return;
  const size_t bytes = header.texel_bytes();
  for (size_t i = 0; i < count; ++i) {
    const int index = bytes == 1 ? byte_at(file, at + i) : little_at<uint16_t>(file, at + 2 * i);
    if (index >= header.map_length)
      fail(Exit::input, "uses color {} at byte {}; its color map has {}", index, at + i * bytes, header.map_length);
  }
}

// Runs may cross rows, but not the end of the image. Returns the byte after the last.
size_t end_of_runs(Bytes file, const TgaHeader& header) {
  const size_t texels = texel_count({header.width, header.height});
  size_t at = header.data_at;
  size_t done = 0;
  while (done < texels) {
    if (at >= file.size()) refuse_cut(file, at + 1);
    const uint8_t head = byte_at(file, at);
    const size_t length = size_t(head & 127) + 1;
    const size_t stored = head & 128 ? 1 : length;
    const size_t end = at + 1 + stored * header.texel_bytes();
    if (end > file.size()) refuse_cut(file, end);
    if (length > texels - done) fail(Exit::input, "the run at byte {} ends after the image", at);
    check_indices(file, header, at + 1, stored);
    done += length;
    at = end;
  }
  return at;
}

constexpr std::string_view footer_end("TRUEVISION-XFILE.\0", 18);

// The file without its color map and the text of its field 1.
std::vector<std::byte> without_map(Bytes file, const TgaHeader& header) {
  std::vector<std::byte> rewritten(file.begin(), file.begin() + 18);
  for (const size_t field : {0, 1, 3, 4, 5, 6, 7}) rewritten[field] = std::byte(0);
  rewritten.insert(rewritten.end(), file.begin() + std::ptrdiff_t(header.data_at), file.end());
  return rewritten;
}

// Applies the attribute type of the extension area, if there is one: what the fourth component is.
void take_attribute_type(Bytes file, Checked& checked) {
  constexpr size_t footer_bytes = 26, type_at = 494;
  constexpr uint8_t of_no_use = 2, premultiplied = 4;  // up to 2: none, or undefined
  if (!text_of(file).ends_with(footer_end) || file.size() < footer_bytes) return;
  const uint64_t area = little_at<uint32_t>(file, file.size() - footer_bytes);
  if (area == 0 || area + type_at >= file.size()) return;
  const uint8_t type = byte_at(file, size_t(area) + type_at);
  if (type == premultiplied) checked.alpha = Alpha::premultiplied;
  else if (type <= of_no_use)
    checked.colors.warnings.push_back("its extension says that alpha has no meaning; it is read as alpha");
}

// After the image there may be padding, or data with a footer at the end. Otherwise the file is truncated.
void check_rest(Bytes file, size_t image_end) {
  const std::string_view rest = text_of(file.subspan(image_end));
  if (rest.find_first_not_of('\0') != std::string_view::npos && !rest.ends_with(footer_end))
    fail(Exit::input, "is cut off: {} bytes follow the image, without a footer", rest.size());
}

}  // namespace

Checked check_tga(Bytes file, const Limits& limits) {
  const TgaHeader header = tga_header_of(file, limits);
  const size_t texels = texel_count({header.width, header.height});
  if (header.has_runs) {
    check_rest(file, end_of_runs(file, header));
  } else {
    const size_t end = header.data_at + texels * header.texel_bytes();
    if (end > file.size()) refuse_cut(file, end);
    check_indices(file, header, header.data_at, texels);
    check_rest(file, end);
  }
  const int color_bits = header.is_mapped ? header.map_bits : header.bits;
  const bool is_gray = (byte_at(file, 2) & 7) == 3;
  Checked checked{.size = {header.width, header.height},
                  .has_five_bits = !is_gray && (color_bits == 15 || color_bits == 16)};
  if (header.has_map && !header.is_mapped) checked.rewritten = without_map(file, header);
  if ((byte_at(file, 17) & 15) != 0 && color_bits == 32) take_attribute_type(file, checked);
  return checked;
}

}  // namespace gpupost
