// What a call says that must fail to write.
#pragma once

#include "core/base/error.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace gpupost {

// The message of its Error(Exit::output); "" if there is none.
inline std::string output_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == Exit::output);
    return error.what();
  }
  return "";
}

}  // namespace gpupost
