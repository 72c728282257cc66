// Whether tests try everything or a sample.
#pragma once

#include <cstdlib>
#include <string_view>

namespace gpupost::test {

// True with GPUPOST_TRUST_THOROUGH=1, which tests/robustness/run.sh and `./setup.sh full` set: tests try all that they can.
// Else they try a sample that every change has time for.
inline bool is_thorough() {
  const char* wanted = std::getenv("GPUPOST_TRUST_THOROUGH");
  return wanted && std::string_view(wanted) == "1";
}

}  // namespace gpupost::test
