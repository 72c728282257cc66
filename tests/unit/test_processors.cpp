// Instructions of one processor stand behind a guard, so that gpupost builds for others.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

// The first line of a file that includes intrinsics without a guard directly before it; "" where there is none.
std::string unguarded_line(const fs::path& path) {
  static const std::regex intrinsics(R"(\s*#\s*include\s*<([a-z]*intrin|arm_neon)\.h>.*)");
  static const std::regex guard(R"(\s*#\s*if(def)? .*__(x86_64|SSE2|aarch64)__.*)");
  std::ifstream stream(path);
  std::string before;
  for (std::string line; std::getline(stream, line); before = line)
    if (std::regex_match(line, intrinsics) && !std::regex_match(before, guard)) return line;
  return "";
}

}  // namespace

TEST_CASE("intrinsics are included only for the processor that has them") {
  int file_count = 0;
  for (const char* folder : {"core", "cli"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (const std::string extension = entry.path().extension(); extension == ".cpp" || extension == ".h") {
        ++file_count;
        CHECK_MESSAGE(unguarded_line(entry.path()) == "", entry.path().string());
      }
  CHECK(file_count > 100);
}
