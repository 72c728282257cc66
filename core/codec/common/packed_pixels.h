// Color values for formats with few components: PNG, KTX2, DDS.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"
#include "core/image/to_working.h"

namespace gpupost {

// The values of one level as in the file: rows from the top, without padding.
struct Pixels {
  Size size;
  size_t component_count = 4;
  bool has_alpha = true;  // of the image; otherwise a fourth component has no meaning
  Bytes numbers;
  TexelBuffer own;  // memory of `numbers`, unless they are in the image
};

// Counts of clamped values, over all levels of a file.
struct Losses {
  Clipped clipped;           // clamped for integers
  double largest = 1;        // the light that the largest integer stands for
  size_t clamped_count = 0;  // finite values above 65504 that were clamped for half
};

// Throws Error(Exit::usage) if the image has no color, has uint color, or lacks the level.
void check_color(const Format& format, const Picture& picture, const EncodeOptions& options);

// Throws Error(Exit::usage) if the level has more than `most` texels per side.
void check_side(const Format& format, const Picture& picture, const EncodeOptions& options, int most);

// Returns whether pixels_of() accepts the image. Otherwise use working_copy().
bool is_encodable(const Picture& picture, const EncodeOptions& options);

// The texels of a level, converted for the file: integers are straight and encoded, floats linear and premultiplied.
Pixels rgba_of(const Source& source, int level, const EncodeOptions& options, Losses& losses);
// The same with only the `components` (0 to 3). A missing alpha is 1.
Pixels pixels_of(const Source& source, int level, std::span<const size_t> components, const EncodeOptions& options,
                 Losses& losses);

// Components of a color group for files with Y, YA, RGB or RGBA.
std::vector<size_t> components_of(const Group& color);

void warn_of_losses(const Losses& losses, std::vector<std::string>& warnings);
// Warns about other channels, attributes and windows that the format cannot hold.
void warn_of_drops(const Picture& picture, std::string_view format, std::vector<std::string>& warnings);

}  // namespace gpupost
