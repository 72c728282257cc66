#include "core/codec/metadata/dropped.h"

#include "core/codec/metadata/exif.h"

#include <fmt/ranges.h>

#include <cmath>
#include <vector>

namespace gpupost {

void DroppedMetadata::take_resolution(double x, double y, double inches) {
  if (!(x > 0) || !(y > 0) || !std::isfinite(x) || !std::isfinite(y)) return;
  if (x != y) pixel_aspect = y / x;
  if (inches > 0) dots_per_inch = x / inches;
}

void DroppedMetadata::take_exif(Bytes tiff) {
  has_exif |= has_more_than_orientation(tiff);
  const auto [x, y] = resolution_in(tiff);
  take_resolution(x, y, 0);
}

// Photoshop File Formats Specification, image resource blocks: number 0x404 is IPTC.
void DroppedMetadata::take_photoshop(Bytes resources) {
  has_iptc |= text_of(resources).find("8BIM\x04\x04") != std::string_view::npos;
}

// Some writers store Exif, IPTC and XMP as text with these keywords.
void DroppedMetadata::take_png_text(std::string_view type, Bytes data) {
  const std::string_view text = text_of(data), keyword = text.substr(0, text.find('\0'));
  const bool is_exif = keyword == "Raw profile type exif" || keyword == "Raw profile type APP1";
  const bool is_iptc = keyword == "Raw profile type iptc" || keyword == "Raw profile type 8bim";
  const bool is_xmp = (type == "iTXt" && keyword == "XML:com.adobe.xmp") || keyword == "Raw profile type xmp";
  has_exif |= is_exif;
  has_iptc |= is_iptc;
  has_xmp |= is_xmp;
  has_text |= !is_exif && !is_iptc && !is_xmp;
}

std::string warning_of(const DroppedMetadata& dropped) {
  std::vector<std::string> kinds;
  if (dropped.has_exif) kinds.push_back("Exif");
  if (dropped.has_iptc) kinds.push_back("IPTC");
  if (dropped.has_xmp) kinds.push_back("XMP");
  if (dropped.has_text) kinds.push_back("text");
  if (dropped.has_date) kinds.push_back("date");
  if (dropped.has_mastering_display) kinds.push_back("mastering display");
  if (dropped.dots_per_inch > max_usual_dots_per_inch)
    kinds.push_back(fmt::format("resolution ({} dots per inch)", std::lround(std::min(dropped.dots_per_inch, 1e9))));
  if (std::abs(dropped.pixel_aspect - 1) > 0.001)
    kinds.push_back(fmt::format("pixel aspect ratio ({:.4g})", dropped.pixel_aspect));
  if (kinds.empty()) return "";
  return fmt::format("metadata of this file is not kept: {}", fmt::join(kinds, ", "));
}

}  // namespace gpupost
