// The inputs that fuzzing has kept, tried again without it.
#include "tests/fuzz/targets.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace gpupost::test;

TEST_CASE("no input that fuzzing has kept breaks a promise") {
  for (const FuzzTarget& target : fuzz_targets()) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("testdata/fuzz/" + std::string(target.name))) {
      CAPTURE(entry.path().string());
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      CHECK_NOTHROW(target.run(std::as_bytes(std::span(bytes))));
      ++count;
    }
    CHECK_MESSAGE(count >= 3, target.name, " has few inputs: ", count);
  }
}
