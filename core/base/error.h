// Errors carry an exit code. Only `main` catches them.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace gpupost {

// The exit codes of the program, as `gpupost help` prints them.
enum class Exit {
  done = 0,        // success; every output is complete
  usage = 1,       // an error on the command line, or an image that the output format cannot hold
  input = 2,       // an input cannot be read, or is damaged or not supported
  output = 3,      // an output cannot be written
  device = 4,      // no suitable device, or the device failed
  batch = 5,       // some inputs of a batch failed
  difference = 6,  // `compare` or `--verify` found a difference
  limit = 7,       // out of host memory, or over a limit
  bug = 70,        // a bug in gpupost
};

// An error: one line with the wrong value, what is allowed and what to do, and an exit code.
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
