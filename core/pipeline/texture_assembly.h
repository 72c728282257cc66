// Images that form one KTX2 or DDS file.
#pragma once

#include "core/pipeline/settings.h"

namespace gpupost {

// Cuts a cross or a strip into faces. Throws Error(Exit::input) if `picture` of `input` is neither.
std::vector<Picture> cut_faces(const std::string& input, const Picture& picture, Assembly assembly);

// Properties that all images of one file must share.
struct ImageShape {
  Size size;
  std::string channels;  // channels of the color
  Depth depth = Depth::half;
};
ImageShape shape_of(const Picture& picture);

// Throws Error(Exit::input) if an image of `input` does not match the first image of the file.
void check_fits(const std::string& input, const ImageShape& shape, const std::string& first_input,
                const ImageShape& first, Assembly assembly);

bool is_cube(Assembly assembly);
Arrangement arrangement_of(Assembly assembly);

}  // namespace gpupost
