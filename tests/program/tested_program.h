// The program that these tests start.
#pragma once

#include <cstdlib>
#include <string_view>

namespace gpupost::test {

// Its path. GPUPOST_TEST_PROGRAM is that of another build's program, which these tests test in the place of their own.
inline const char* tested_program() {
  const char* other = std::getenv("GPUPOST_TEST_PROGRAM");
  return other ? other : GPUPOST_PROGRAM;
}

// True with GPUPOST_TEST_SANITIZED=1: the program is a sanitizer build, which needs address space beyond the limits.
inline bool is_tested_sanitized() {
  const char* text = std::getenv("GPUPOST_TEST_SANITIZED");
  return text && std::string_view(text) == "1";
}

}  // namespace gpupost::test
