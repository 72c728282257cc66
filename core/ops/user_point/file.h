// A file of the op `point`: a header, which declares the op and its numbers, and GLSL.
//
//   //!point NAME HELP                             the name of its function, and what it does
//   //!space rgb|yxy                               what it takes colors for; without the line rgb
//   //!alpha straight|premultiplied                without the line straight
//   //!param NAME DEFAULT MIN..MAX HELP           a number of its struct NAME_params, any number of such lines
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct PointParam {
  std::string name;
  double default_value = 0, min = 0, max = 0;
  int line = 0;  // of the file
};

struct PointFile {
  std::string name;  // of the op and of its function
  PointSpace space = PointSpace::rgb;
  bool is_straight = true;
  std::vector<PointParam> params;
  std::string text;  // the struct and the source, as a FusedPoint takes them
};

// `file`: its name, for messages. Throws Error(Exit::input) where the header cannot be read, or the file holds more than a
// point op may.
PointFile parse_point_file(std::string_view source, const std::string& file);

// How a call of `point` is folded, its source being there. Throws as above, and Error(Exit::usage) where --set names what
// the header does not declare, or a number outside the range that it declares.
FusedPoint fused_point_of_source(const Call& call);

// Is it one or several NAME=NUMBER with commas between them?
bool is_setting(std::string_view text);

}  // namespace gpupost
