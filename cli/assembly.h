// The pictures that one output is made of.
#pragma once

#include "cli/globals.h"
#include "cli/report.h"

namespace gpupost {

// What an input gives: its picture, or the faces that --assemble cuts it into. Its time and warnings go to the report.
// Throws Error(Exit::input) where it cannot be read, or is no cross or strip.
std::vector<Picture> read_pictures(const std::string& input, const Globals& globals, JobReport& report);

// What pictures of one file have in common.
struct Shape {
  Size size;
  std::string channels;  // of the colour
  Depth depth = Depth::half;
};
Shape shape_of(const Picture& picture);

// Refuses a picture of `input` that cannot stand in one file with the first one: Error(Exit::input).
void check_fits(const std::string& input, const Shape& shape, const std::string& first_input, const Shape& first,
                const Globals& globals);

bool is_cube(const Globals& globals);
Arrangement arrangement_of(const Globals& globals);

}  // namespace gpupost
