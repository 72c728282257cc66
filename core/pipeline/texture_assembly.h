// The pictures that one output is made of.
#pragma once

#include "core/pipeline/settings.h"

namespace gpupost {

// The faces of a cross or a strip. Throws Error(Exit::input) where `picture` of `input` is none.
std::vector<Picture> cut_faces(const std::string& input, const Picture& picture, Assembly assembly);

// What pictures of one file have in common.
struct ImageShape {
  Size size;
  std::string channels;  // of the color
  Depth depth = Depth::half;
};
ImageShape shape_of(const Picture& picture);

// Refuses a picture of `input` that cannot stand in one file with the first one: Error(Exit::input).
void check_fits(const std::string& input, const ImageShape& shape, const std::string& first_input,
                const ImageShape& first, Assembly assembly);

bool is_cube(Assembly assembly);
Arrangement arrangement_of(Assembly assembly);

}  // namespace gpupost
