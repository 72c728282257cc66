// The label of a picture: the name of its file, in a bitmap font. `sheet` draws it under each cell.
#pragma once

#include "core/image/picture.h"

#include <string>
#include <string_view>

namespace gpupost {

// Rows of the strip for the label of a picture of this size. Letters are larger under larger pictures.
int label_height(Size picture);

// The name of a file without its folder, in printable ASCII, with at most `most_letters` letters. Other characters
// become `?`. A longer name loses its extension, then its middle, which `label_ellipsis` replaces.
std::string label_text(std::string_view path, int most_letters);
inline constexpr char label_ellipsis = '\x7f';

// The label of a file, centered in a strip as wide as the picture.
class Label {
 public:
  Label(std::string_view path, Size picture);
  // Returns whether a letter covers this texel of the strip.
  bool covers(Position at) const;

 private:
  int scale_ = 1;  // texels per dot of the font
  int left_ = 0;   // first column of the text
  std::string text_;
};

}  // namespace gpupost
