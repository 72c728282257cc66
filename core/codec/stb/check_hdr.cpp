#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/checked_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

namespace gpupost {

namespace {

constexpr size_t max_line_bytes = 1000;                  // stb_image 2.27 cuts longer ones at 1024
constexpr int min_run_width = 8, max_run_width = 32767;  // Radiance's color.c: other rows are always flat

// Reads one line of the header and moves `at` after it.
std::string_view line_at(Bytes file, size_t& at) {
  const std::string_view rest = text_of(file).substr(at);
  const size_t length = rest.find('\n');
  if (std::min(length, rest.size()) > max_line_bytes)
    fail(Exit::input, "has a header line of more than {} bytes at byte {}", max_line_bytes, at);
  if (length == std::string_view::npos)
    fail(Exit::input, "is cut off in its header, the file has {} bytes", file.size());
  at += length + 1;
  return rest.substr(0, length);
}

// "-Y height +X width": rows from the top, from left to right.
Size size_in(std::string_view line, const Limits& limits) {
  const auto number = [](std::string_view& text) -> int64_t {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return -1;
    text.remove_prefix(size_t(end - text.data()));
    return value;
  };
  std::string_view text = line;
  if (!text.starts_with("-Y "))
    fail(Exit::input, "Radiance images other than \"-Y height +X width\" are not supported");
  text.remove_prefix(3);
  const int64_t height = number(text);
  if (!text.starts_with(" +X "))
    fail(Exit::input, "Radiance images other than \"-Y height +X width\" are not supported");
  text.remove_prefix(4);
  const int64_t width = number(text);
  check_claimed_size(width, height, limits);
  return {int(width), int(height)};
}

void warn_once(Colors& colors, const std::string& warning) {
  std::vector<std::string>& warnings = colors.warnings;
  if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
}

[[noreturn]] void refuse_cut(Bytes file, int row, int rows) {
  fail(Exit::input, "is cut off in row {} of {}, the file has {} bytes", row + 1, rows, file.size());
}

bool is_run_row(Bytes file, size_t at) {
  return file.size() - at >= 4 && byte_at(file, at) == 2 && byte_at(file, at + 1) == 2 && byte_at(file, at + 2) < 128;
}

// One component of a row: literal runs of 1 to 128 bytes, or 1 to 127 equal bytes. Returns the position after it.
size_t end_of_component(Bytes file, size_t at, int row, Size size) {
  int left = size.width;
  while (left > 0) {
    if (at >= file.size()) refuse_cut(file, row, size.height);
    const int head = byte_at(file, at);
    const int length = head > 128 ? head - 128 : head;
    if (length == 0 || length > left)
      fail(Exit::input, "has a run of {} texels at byte {}; 1 to {} are left in row {}", length, at, left, row + 1);
    at += head > 128 ? 2 : 1 + size_t(length);
    if (at > file.size()) refuse_cut(file, row, size.height);
    left -= length;
  }
  return at;
}

void check_runs(Bytes file, size_t at, Size size) {
  for (int row = 0; row < size.height; ++row) {
    if (file.size() - at < 4) refuse_cut(file, row, size.height);
    if (!is_run_row(file, at))
      fail(Exit::input, "row {} at byte {} is not run-length encoded as those before", row + 1, at);
    const int width = big_u16_at(file, at + 2);
    if (width != size.width)
      fail(Exit::input, "row {} at byte {} claims {} texels; it must have {}", row + 1, at, width, size.width);
    at += 4;
    for (int component = 0; component < 4; ++component) at = end_of_component(file, at, row, size);
  }
}

void check_flat(Bytes file, size_t at, Size size) {
  // A texel of 1, 1, 1 means a repetition in files from before 1991; stb_image would read it as a texel.
  for (size_t texel = 0; texel < texel_count(size) && file.size() - at >= 3 + 4 * texel; ++texel)
    if (starts_with(file.subspan(at + 4 * texel), "\1\1\1"))
      fail(Exit::input, "Radiance's old run-length encoding is not supported (byte {})", at + 4 * texel);
  if (file.size() - at < 4 * texel_count(size))
    fail(Exit::input, "is cut off: its data ends at byte {}, the file has {}", at + 4 * texel_count(size), file.size());
}

// Red, green, blue and white, as in EXR.
void take_primaries(std::string_view numbers, Colors& colors) {
  std::istringstream stream{std::string(numbers)};
  Chromaticities read{};
  for (float& number : read) stream >> number;
  // primaries of wide color spaces may be outside of 0..1: the blue of ACES has y = -0.077
  const auto is_outside = [](float number) { return !(number >= -1 && number <= 2); };
  if (!stream || std::ranges::any_of(read, is_outside) || !(read[6] > 0 && read[7] > 0))
    warn_once(colors,
              "PRIMARIES in the header is ignored: it must have 8 numbers from -1 to 2, those of white above 0");
  else if (!is_rec709(read)) colors.chromaticities = read;
}

// Warns about a header line that changes the meaning of values.
void take_colors(std::string_view line, Colors& colors) {
  if (line.starts_with("PRIMARIES=")) return take_primaries(line.substr(10), colors);
  for (const std::string_view name : {"EXPOSURE", "COLORCORR", "GAMMA", "PIXASPECT"})
    if (line.starts_with(fmt::format("{}=", name)))
      warn_once(colors, fmt::format("{} of the header is ignored: values stay as they are stored", name));
}

}  // namespace

Checked check_hdr(Bytes file, const Limits& limits) {
  Checked checked;
  size_t at = 0;
  if (line_at(file, at).ends_with('\r'))  // the magic line
    fail(Exit::input, "has lines that end in CR LF; Radiance files have LF. Copy the file as binary data, not as text");
  std::optional<std::string_view> format;
  for (std::string_view line = line_at(file, at); !line.empty(); line = line_at(file, at)) {
    if (line.starts_with("FORMAT=")) format = line.substr(7);
    take_colors(line, checked.colors);
  }
  if (format == "32-bit_rle_xyze") fail(Exit::input, "Radiance images in XYZE are not supported");
  if (format != "32-bit_rle_rgbe") fail(Exit::input, "has no FORMAT=32-bit_rle_rgbe in its header");
  checked.size = size_in(line_at(file, at), limits);
  check_decoded_bytes(texel_count(checked.size) * 16, limits);
  const bool may_have_runs = checked.size.width >= min_run_width && checked.size.width <= max_run_width;
  if (may_have_runs && is_run_row(file, at)) check_runs(file, at, checked.size);
  else check_flat(file, at, checked.size);
  return checked;
}

}  // namespace gpupost
