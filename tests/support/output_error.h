// What a call says that must fail to write.
#pragma once

#include "core/base/error.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace gpupost {

// The message of its Error with this exit code; "" if there is none.
inline std::string error_of(const std::function<void()>& call, Exit exit) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == exit);
    return error.what();
  }
  return "";
}

inline std::string output_error_of(const std::function<void()>& call) { return error_of(call, Exit::output); }
// For an image that the output format cannot hold.
inline std::string encoding_error_of(const std::function<void()>& call) { return error_of(call, Exit::usage); }

}  // namespace gpupost
