// Completion of words, for scripts of shells. It uses the tables of the parser.
#pragma once

#include "cli/options/command_row.h"

#include <string>
#include <vector>

namespace gpupost {

extern const CommandRow completion_verb;

struct Candidate {
  std::string word;
  std::string help;
};

struct Candidates {
  std::vector<Candidate> words;
  bool has_files = false;  // whether file names are possible too
};

// Completes the last word, which may be empty. Bash splits words at each =, which is then a word of its own.
Candidates candidates_of(const std::vector<std::string>& words);

}  // namespace gpupost
