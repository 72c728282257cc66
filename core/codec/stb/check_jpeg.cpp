#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/checked_file.h"
#include "core/codec/metadata/exif.h"

#include <map>
#include <optional>

namespace gpupost {

namespace {

// Markers, ITU T.81, table B.1.
enum Marker : int {
  sof0 = 0xc0,
  sof1 = 0xc1,
  sof2 = 0xc2,
  dht = 0xc4,
  jpg = 0xc8,
  dac = 0xcc,
  sof15 = 0xcf,
  rst0 = 0xd0,
  rst7 = 0xd7,
  soi = 0xd8,
  eoi = 0xd9,
  sos = 0xda,
  dqt = 0xdb,
  dnl = 0xdc,
  app1 = 0xe1,
  app2 = 0xe2,
  app14 = 0xee
};

// A bomb of scans takes seconds a megapixel; libjpeg-turbo's advice is 500.
constexpr int max_scan_count = 500;

struct Walk {
  Size size;
  int component_count = 0;
  int scan_count = 0;
  bool has_quantities = false, has_codes = false;
  bool has_adobe_marker = false;
  std::map<int, Bytes> profile;  // its pieces by their numbers
  std::optional<std::string> orientation_warning;
};

// Scan data end at a marker that is neither a stuffed zero nor a restart.
size_t end_of_scan(Bytes file, size_t at) {
  const unsigned char* bytes = unsigned_bytes(file);
  while (true) {
    const void* found = at < file.size() ? std::memchr(bytes + at, 0xff, file.size() - at) : nullptr;
    if (!found) return file.size();
    at = size_t(static_cast<const unsigned char*>(found) - bytes);
    if (at + 1 >= file.size()) return file.size();
    const int next = bytes[at + 1];
    if (next != 0 && next != 0xff && (next < rst0 || next > rst7)) return at;
    at += next == 0xff ? 1 : 2;
  }
}

void take_frame(Walk& walk, int marker, Bytes data, const Limits& limits) {
  if (marker > sof2)
    fail(Exit::input, "{} JPEG is not supported",
         marker == 0xc3 ? "lossless"
         : marker < jpg ? "hierarchical"
                        : "arithmetic-coded or hierarchical");
  if (walk.component_count != 0) fail(Exit::input, "has two frames");
  const int bits = byte_at(data, 0);
  if (bits != 8) fail(Exit::input, "JPEG of {} bits is not supported", bits);
  const int height = big_u16_at(data, 1);
  const int width = big_u16_at(data, 3);
  if (height == 0) fail(Exit::input, "JPEG without a height in its frame header is not supported");
  check_claimed_size(width, height, limits);
  walk.size = {width, height};
  walk.component_count = byte_at(data, 5);
  if (walk.component_count != 1 && walk.component_count != 3 && walk.component_count != 4)
    fail(Exit::input, "JPEG of {} components is not supported", walk.component_count);
  if (data.size() != 6 + 3 * size_t(walk.component_count))
    fail(Exit::input, "its frame header has {} bytes; it must have {}", data.size(), 6 + 3 * walk.component_count);
}

void take_application(Walk& walk, int marker, Bytes data) {
  constexpr std::string_view exif("Exif\0\0", 6), icc("ICC_PROFILE\0", 12);
  constexpr size_t adobe_bytes = 12;     // with the version, two words of flags and the transform
  constexpr size_t icc_head_bytes = 14;  // the name, the number of this piece and that of all
  if (marker == app1 && starts_with(data, exif) && !walk.orientation_warning)
    walk.orientation_warning = ignored_orientation(data.subspan(exif.size()));
  if (marker == app14 && starts_with(data, "Adobe") && data.size() >= adobe_bytes) walk.has_adobe_marker = true;
  if (marker == app2 && starts_with(data, icc) && data.size() >= icc_head_bytes)
    walk.profile.emplace(byte_at(data, icc.size()), data.subspan(icc_head_bytes));
}

// A profile of more than 64 KiB stands in several segments, in any order. ICC.1:2022, annex B.4.
bool has_other_profile(const Walk& walk) {
  std::vector<std::byte> profile;
  for (const auto& [number, piece] : walk.profile) profile.insert(profile.end(), piece.begin(), piece.end());
  return !profile.empty() && !is_srgb_profile(profile);
}

// A segment with a length; returns the byte after it, and for a scan after its data.
size_t take_segment(Walk& walk, Bytes file, int marker, size_t at, const Limits& limits) {
  if (at + 4 > file.size()) fail(Exit::input, "is cut off in the segment at byte {}, the file has {}", at, file.size());
  const size_t bytes = big_u16_at(file, at + 2);
  if (bytes < 2) fail(Exit::input, "the segment at byte {} has a length of {}; at least 2", at, bytes);
  if (bytes > file.size() - at - 2)
    fail(Exit::input, "is cut off: the segment at byte {} ends at byte {}, the file has {}", at, at + 2 + bytes,
         file.size());
  const Bytes data = part_of(file, at + 4, bytes - 2);
  const size_t end = at + 2 + bytes;
  if (marker >= sof0 && marker <= sof15 && marker != dht && marker != jpg && marker != dac)
    take_frame(walk, marker, data, limits);
  if (marker == dqt) walk.has_quantities = true;
  if (marker == dht) walk.has_codes = true;
  if (marker == app1 || marker == app2 || marker == app14) take_application(walk, marker, data);
  if (marker != sos) return end;
  if (walk.component_count == 0) fail(Exit::input, "has a scan at byte {} before its frame header", at);
  if (++walk.scan_count > max_scan_count) fail(Exit::input, "has more than {} scans", max_scan_count);
  const size_t scan_end = end_of_scan(file, end);
  if (scan_end == end) fail(Exit::input, "the scan at byte {} is empty", at);
  return scan_end;
}

}  // namespace

Checked check_jpeg(Bytes file, const Limits& limits) {
  Walk walk;
  size_t at = 2;  // behind the start marker, by which it was known
  while (true) {
    if (at + 2 > file.size()) fail(Exit::input, "is cut off: there is no end marker in its {} bytes", file.size());
    if (byte_at(file, at) != 0xff) fail(Exit::input, "has no marker at byte {}, where one must be", at);
    const int marker = byte_at(file, at + 1);
    if (marker == 0xff) {  // any number of these may stand before a marker
      ++at;
      continue;
    }
    if (marker == eoi) break;
    const bool stands_alone = marker <= 1 || (marker >= rst0 && marker <= soi);
    if (stands_alone) fail(Exit::input, "has marker {:#x} at byte {}, where it cannot be", marker, at);
    at = take_segment(walk, file, marker, at, limits);
  }
  if (walk.scan_count == 0) fail(Exit::input, "has no scan before its end marker");
  if (!walk.has_quantities) fail(Exit::input, "has no quantization table");
  if (!walk.has_codes) fail(Exit::input, "has no Huffman table");
  // without it nobody can tell whether they are inverted, and stb_image 2.27 takes them for YCbCr and one more
  if (walk.component_count == 4 && !walk.has_adobe_marker)
    fail(Exit::input, "JPEG of four components without Adobe's marker is not supported");
  Checked checked{.size = walk.size};
  if (walk.component_count == 4)
    checked.colors.warnings.push_back("CMYK is made RGB without a profile: colors are not exact");
  if (has_other_profile(walk))
    checked.colors.warnings.push_back("the ICC profile is ignored: the picture is taken as sRGB");
  if (walk.orientation_warning) checked.colors.warnings.push_back(*walk.orientation_warning);
  return checked;
}

}  // namespace gpupost
