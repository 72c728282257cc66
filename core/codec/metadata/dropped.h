// Metadata that readers of formats other than EXR see, and that a Picture does not hold.
#pragma once

#include "core/codec/common/bytes.h"

#include <string>
#include <string_view>

namespace gpupost {

struct DroppedMetadata {
  bool has_exif = false, has_iptc = false, has_xmp = false, has_text = false, has_date = false;
  bool has_mastering_display = false;  // the HDR10 chunk mDCV (mastering display) or cLLI (light level)
  double dots_per_inch = 0;            // 0: not given
  double pixel_aspect = 1;             // width of a pixel divided by its height

  // Takes the number of pixels per unit. `inches`: length of the unit, 0 if unknown. Numbers that are not positive are
  // ignored. Equal numbers change no aspect ratio that other metadata gave.
  void take_resolution(double x, double y, double inches);
  void take_exif(Bytes tiff);                        // Exif with only the orientation is not dropped, but applied
  void take_photoshop(Bytes resources);              // image resources of Photoshop, which can hold IPTC
  void take_png_text(std::string_view type, Bytes);  // a chunk tEXt, zTXt or iTXt
};

// Names what is dropped. Empty if nothing is. Resolutions of up to max_usual_dots_per_inch are not named.
std::string warning_of(const DroppedMetadata& dropped);

}  // namespace gpupost
