// What reads bytes that others may have made, each as one function that any bytes may be given.
#pragma once

#include "core/codec/common/bytes.h"

#include <span>
#include <string_view>

namespace gpupost::test {

struct FuzzTarget {
  std::string_view name;  // its folder in testdata/fuzz
  // Throws std::logic_error where a promise is broken. Most mistakes show as an end of the process or under the sanitizers.
  void (*run)(Bytes bytes);
};

std::span<const FuzzTarget> fuzz_targets();
const FuzzTarget* fuzz_target_named(std::string_view name);  // nullptr: there is none

}  // namespace gpupost::test
