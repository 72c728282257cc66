// Another program, run to its end.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gpupost::test {

struct Command {
  std::string program;                                                // a path
  std::vector<std::string> words;                                     // without the program's name
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours
  std::string folder = "";                                            // to run in; "": ours
  std::string input = "";                                             // bytes on its standard input
  std::string input_file = "";                                        // instead of them, where it is not ""
  std::string output_file = "";                                       // "": standard output is kept
  double seconds = 300;  // after which it and its children are killed: many times what any takes on a busy machine
};

struct Finished {
  int exit_code = -1;  // -1: it was ended by a signal
  int signal = 0;
  bool is_too_late = false;
  std::string out, err;
};

// Throws std::runtime_error where the program cannot be started at all.
Finished run(const Command& command);

// Runs `body` in a child process, which may limit itself. Returns the exit code, or minus the signal that ended it.
int in_child(const std::function<int()>& body);

// The command as a shell takes it, for messages.
std::string text_of(const Command& command);

}  // namespace gpupost::test
