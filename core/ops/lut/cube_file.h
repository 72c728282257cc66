// Files of the format .cube: tables of colors. Source: Adobe, Cube LUT Specification 1.0; Blackmagic DaVinci Resolve for files
// that hold a 1-D and a 3-D table.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct ColorTable {
  int size = 0;                                      // entries along an axis; 0: the file has no such table
  std::array<double, 3> min{0, 0, 0}, max{1, 1, 1};  // the inputs that its first and its last entry stand for
  std::vector<float> values;                         // R, G and B of each entry; the red axis changes fastest
};

// Colors go through `curve`, then through `cube`.
struct CubeFile {
  ColorTable curve;  // 1-D: each channel by itself; at most 65536 entries
  ColorTable cube;   // 3-D; at most 256 entries a side
};

// `name` is for messages. Throws Error(Exit::input) that names the line.
CubeFile parse_cube(std::string_view text, const std::string& name);
// A file of a 3-D table. Each comment is a line.
std::string cube_text(const ColorTable& cube, std::string_view title, std::span<const std::string> comments = {});

}  // namespace gpupost
