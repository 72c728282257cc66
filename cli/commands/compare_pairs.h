// Pairs of files for `gpupost compare`: two files, or the frames of two sequences.
#pragma once

#include "cli/options/input_list.h"

#include <string>
#include <utility>
#include <vector>

namespace gpupost {

struct Pairs {
  std::vector<std::pair<Input, Input>> inputs;
  std::vector<std::string> missing;  // an error for each sequence that lacks frames
};

// The pairs of two words, each of which names a file or a sequence. Throws Error(Exit::usage) if only one
// is a sequence, or Error(Exit::input) if they have no frame in common.
Pairs pairs_of(const std::vector<std::string>& words, const InputOptions& options);

}  // namespace gpupost
