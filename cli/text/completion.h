// What a word of a command line may become: for the shells, whose scripts ask for it, of the same tables that the parser reads.
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
  bool has_files = false;  // may it be a file's name too?
};

// Of the last of these words, which may be empty, behind the others. Bash takes words apart at each =, which is then a word.
Candidates candidates_of(const std::vector<std::string>& words);

}  // namespace gpupost
