// Errors of the world carry their exit code; `main` alone catches them.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace gpupost {

// The exit codes of the program, as `gpupost help` prints them.
enum class Exit {
  done = 0,        // done and whole
  usage = 1,       // a word of the command line is wrong
  input = 2,       // an input cannot be read, or is refused
  output = 3,      // an output cannot be written
  device = 4,      // no (suitable) device, or the device failed
  batch = 5,       // some inputs of a batch failed
  difference = 6,  // `compare` or `--verify` found a difference
  limit = 7,       // out of host memory, or over a limit of ours
  bug = 70,        // a mistake of ours
};

// One line that names the thing, its value and what was expected, and the exit code it means.
class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

template <class... Args>
[[noreturn]] void fail(Exit code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace gpupost
