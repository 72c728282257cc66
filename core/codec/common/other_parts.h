// The parts of an EXR file beside the one that was read.
#pragma once

#include "core/base/memory.h"

#include <string>
#include <vector>

namespace gpupost {

// The other parts as they are in the file. If asked to, the reader checks and packs them, and the EXR writer adds them to
// its output; core/codec/exr/join_parts.h does both.
struct OtherParts {
  int index = 0;                   // number of parts before the one that was read
  std::string name;                // name of the part that was read
  std::vector<std::string> names;  // names of the other parts, in order
  bool has_long_names = false;     // names of more than 31 bytes
  bool has_deep = false;           // a part is deep
  TexelBuffer bytes;               // headers and chunks; empty: not asked for, or there are no other parts

  bool are_kept() const { return !bytes.empty(); }
};

}  // namespace gpupost
