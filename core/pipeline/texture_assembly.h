// Images that form one KTX2 or DDS file.
#pragma once

#include "core/pipeline/settings.h"

#include <span>

namespace gpupost {

// Throws Error(Exit::input) if an image of `input` has not the shape that --assemble cuts into faces.
void check_cut(const std::string& input, Size size, Assembly assembly);

// Cuts a cross or a strip into faces. Throws Error(Exit::input) as check_cut() does.
std::vector<Picture> cut_faces(const std::string& input, const Picture& picture, Assembly assembly);

// Properties that all inputs of one file must share.
struct ColorType {
  std::string channels;  // channels of the color
  Depth depth = Depth::half;
};
ColorType color_type_of(const Picture& picture);

// Throws Error(Exit::input) if an image of `input` does not match the first input of the file.
void check_type(const std::string& input, const ColorType& type, const std::string& first_input, const ColorType& first,
                Assembly assembly);

// Throws Error(Exit::input) if the alpha of an image of `input` is data and that of the first image is opacity, or the reverse.
void check_alpha(const std::string& input, const Picture& picture, const std::string& first_input, const Picture& first,
                 Assembly assembly);

// Throws Error(Exit::input) if the size that is written for an image of `input` differs from that of the first image, or if it is
// the face of a cube and not square.
void check_size(const std::string& input, Size written, const std::string& first_input, Size first, Assembly assembly);

bool is_cube(Assembly assembly);
// Returns whether one image is cut into faces.
bool is_cut(Assembly assembly);

// The number of calls that run before --assemble cuts the image: up to the last one that makes faces. 0: the input is cut.
size_t calls_before_cut(std::span<const Call> calls, Assembly assembly);
Arrangement arrangement_of(Assembly assembly);

}  // namespace gpupost
