// Files of ASC CDL corrections: .cc has one, .ccc and .cdl have several with ids.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace gpupost {

// A color correction of the ASC CDL. The numbers of R, G and B; the defaults change nothing.
struct Cdl {
  std::array<double, 3> slope{1, 1, 1}, offset{0, 0, 0}, power{1, 1, 1};
  double saturation = 1;
};

// The correction of this id, or with an empty id the only one. `name` is the file's, for messages. Throws Error(Exit::input).
Cdl parse_cdl(std::string_view text, std::string_view id, const std::string& name);

}  // namespace gpupost
