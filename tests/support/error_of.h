// The errors that calls throw.
#pragma once

#include "core/base/error.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <string>

namespace gpupost {

// The message of the Error that `call` throws; "" if it throws none. Checks that the Error has this exit code.
inline std::string error_of(const std::function<void()>& call, Exit exit) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == exit);
    return error.what();
  }
  return "";
}

// "2 message": the exit code and the message of the Error that `call` throws; "" if it throws none.
inline std::string coded_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return fmt::format("{} {}", int(error.code()), error.what());
  }
  return "";
}

inline std::string output_error_of(const std::function<void()>& call) { return error_of(call, Exit::output); }
// For an image that the output format cannot hold.
inline std::string encoding_error_of(const std::function<void()>& call) { return error_of(call, Exit::usage); }

}  // namespace gpupost
