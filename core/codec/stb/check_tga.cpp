#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/checked_file.h"

#include <fmt/core.h>

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
  size_t map_bytes() const { return has_map ? size_t(map_length) * ((size_t(map_bits) + 7) / 8) : 0; }
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
  header.data_at = 18 + size_t(byte_at(file, 0)) + header.map_bytes();
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

// Texels that follow the head of a run.
size_t stored_texels(uint8_t head) { return head & 128 ? 1 : size_t(head) + 1; }

// Runs may cross rows, but not the end of the image. Returns the byte after the last.
size_t end_of_runs(Bytes file, const TgaHeader& header) {
  const size_t texels = texel_count({header.width, header.height});
  size_t at = header.data_at;
  size_t done = 0;
  while (done < texels) {
    if (at >= file.size()) refuse_cut(file, at + 1);
    const uint8_t head = byte_at(file, at);
    const size_t length = size_t(head & 127) + 1;
    const size_t stored = stored_texels(head);
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

// The header of the file, with the text of field 1 if no map is left out. A map beside true color is left out.
std::vector<std::byte> start_of(Bytes file, const TgaHeader& header) {
  if (header.is_mapped || !header.has_map) {
    const Bytes start = file.first(header.data_at - header.map_bytes());
    return {start.begin(), start.end()};
  }
  std::vector<std::byte> start(file.begin(), file.begin() + 18);
  for (const size_t field : {0, 1, 3, 4, 5, 6, 7}) start[field] = std::byte(0);
  return start;
}

// Applies the attribute type of the extension area, if there is one, else the header: what the last component is.
void take_attribute_type(Bytes file, int alpha_bits, Checked& checked) {
  constexpr size_t footer_bytes = 26, type_at = 494;
  constexpr uint8_t of_no_use = 2, straight = 3, premultiplied = 4;  // up to 2: none, or undefined
  if (alpha_bits == 0) checked.denies_alpha = "header";
  if (!text_of(file).ends_with(footer_end) || file.size() < footer_bytes) return;
  const uint64_t area = little_at<uint32_t>(file, file.size() - footer_bytes);
  if (area == 0 || area + type_at >= file.size()) return;
  const uint8_t type = byte_at(file, size_t(area) + type_at);
  if (type == premultiplied) checked.alpha = Alpha::premultiplied;
  if (type <= of_no_use) checked.denies_alpha = "extension";
  else if (type == straight || type == premultiplied) checked.denies_alpha = "";
}

// After the image there may be padding, or data with a footer at the end. Other bytes are ignored, but not behind runs, which
// may have ended too early.
void check_rest(Bytes file, const TgaHeader& header, size_t image_end, Colors& colors) {
  const std::string_view rest = text_of(file.subspan(image_end));
  if (rest.find_first_not_of('\0') == std::string_view::npos || rest.ends_with(footer_end)) return;
  if (header.has_runs) fail(Exit::input, "is cut off: {} bytes follow the image, without a footer", rest.size());
  colors.warnings.push_back(fmt::format("{} bytes behind the image are ignored; they have no footer", rest.size()));
}

// Appends colors of five bits per component as components of 8 bits. The highest bit is alpha, if `has_alpha`.
void append_wide(std::vector<std::byte>& to, Bytes colors, bool has_alpha) {
  for (size_t at = 0; at < colors.size(); at += 2) {
    const int color = little_at<uint16_t>(colors, at);
    for (const int shift : {0, 5, 10}) {
      const int five = color >> shift & 31;
      to.push_back(std::byte(five << 3 | five >> 2));
    }
    if (has_alpha) to.push_back(std::byte(color >> 15 ? 0xff : 0));
  }
}

// Rewrites colors of 15 or 16 bits: stb_image 2.27 expands five bits by rounding down, and drops their alpha.
std::vector<std::byte> rewritten(Bytes file, const TgaHeader& header, size_t image_end, bool has_alpha) {
  const size_t map_at = header.data_at - header.map_bytes();
  std::vector<std::byte> to = start_of(file, header);
  to[header.is_mapped ? 7 : 16] = std::byte(has_alpha ? 32 : 24);
  const auto copy = [&](size_t at, size_t bytes) {
    const Bytes part = part_of(file, at, bytes);
    to.insert(to.end(), part.begin(), part.end());
  };
  if (header.is_mapped) {
    append_wide(to, part_of(file, map_at, header.map_bytes()), has_alpha);
    copy(header.data_at, image_end - header.data_at);
  } else if (header.has_runs) {
    for (size_t at = header.data_at; at < image_end;) {
      copy(at, 1);
      const size_t bytes = 2 * stored_texels(byte_at(file, at));
      append_wide(to, part_of(file, at + 1, bytes), has_alpha);
      at += 1 + bytes;
    }
  } else {
    append_wide(to, part_of(file, header.data_at, image_end - header.data_at), has_alpha);
  }
  return to;
}

}  // namespace

Checked check_tga(Bytes file, const Limits& limits) {
  const TgaHeader header = tga_header_of(file, limits);
  const size_t texels = texel_count({header.width, header.height});
  Checked checked{.size = {header.width, header.height}};
  size_t end = header.data_at + texels * header.texel_bytes();
  if (header.has_runs) {
    end = end_of_runs(file, header);
  } else {
    if (end > file.size()) refuse_cut(file, end);
    check_indices(file, header, header.data_at, texels);
  }
  check_rest(file, header, end, checked.colors);
  const int color_bits = header.is_mapped ? header.map_bits : header.bits;
  const int alpha_bits = byte_at(file, 17) & 15;
  const bool is_gray = (byte_at(file, 2) & 7) == 3;
  const bool is_narrow = !is_gray && (color_bits == 15 || color_bits == 16);
  const bool has_narrow_alpha = is_narrow && color_bits == 16 && alpha_bits == 1;
  const bool has_byte_of_alpha = is_gray ? color_bits == 16 : color_bits == 32;
  if (has_narrow_alpha || has_byte_of_alpha) take_attribute_type(file, alpha_bits, checked);
  if (is_narrow) checked.rewritten = rewritten(file, header, end, has_narrow_alpha);
  if (!is_narrow && header.has_map && !header.is_mapped) {
    checked.rewritten = start_of(file, header);
    checked.rewritten.insert(checked.rewritten.end(), file.begin() + std::ptrdiff_t(header.data_at), file.end());
  }
  return checked;
}

}  // namespace gpupost
