// Command lines that must be refused: the exit code, one line that says what is wrong, and nothing changed on the disk.
#pragma once

#include "tests/program/test_folder.h"

#include <vector>

namespace gpupost::test {

struct Refusal {
  const char* name;
  Words words;
  int exit_code;
  Words texts;  // each stands in the message
  Environment environment = {};
};

void check_refused(const TestFolder& place, const Refusal& refusal);

// In turn in a folder without outputs and in one with old ones, which stay as they are. A sanitized build takes a while to start, and
// the code behind most refusals runs in test_unit too: a sample of them has to do.
void check_all(const std::vector<Refusal>& refusals);

}  // namespace gpupost::test
