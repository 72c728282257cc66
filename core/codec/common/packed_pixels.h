// The color of a picture as files hold it that know no more than a few components: PNG, KTX2, DDS.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"
#include "core/image/to_working.h"

namespace gpupost {

// The numbers of one level as they stand in a file: rows from the top, no padding.
struct Pixels {
  Size size;
  size_t component_count = 4;
  Bytes numbers;
  TexelBuffer own;  // where `numbers` lie, unless they are the picture's
};

// What the numbers of a file lost, over all of its levels.
struct Losses {
  Clipped clipped;           // on the way to integers
  size_t clamped_count = 0;  // finite values over 65504 on the way to half
};

// Refuses a picture without color, or with color of type uint, and a level that it does not have: throws
// Error(Exit::output). `format` stands for the file in the message.
void check_color(const Picture& picture, std::string_view format, const EncodeOptions& options);

// Can pixels_of() take the picture? Else it can take a working_copy() of it.
bool is_encodable(const Picture& picture, const EncodeOptions& options);

// Those `components` (0 to 3) of a level that the file holds, as `options` want them: integers straight and of their
// transfer, floats linear and premultiplied. An alpha that is missing is one.
Pixels pixels_of(const Source& source, int level, std::span<const size_t> components, const EncodeOptions& options,
                 Losses& losses);

// Components of a group whose file holds Y, YA, RGB or RGBA.
std::vector<size_t> components_of(const Group& color);

void warn_of_losses(const Losses& losses, std::vector<std::string>& warnings);
// Of what the format cannot hold: other channels, attributes, windows.
void warn_of_drops(const Picture& picture, std::string_view format, std::vector<std::string>& warnings);

}  // namespace gpupost
