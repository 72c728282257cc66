#include "core/system/atomic_file.h"
#include "tests/support/test_pictures.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

using namespace gpupost;
namespace fs = std::filesystem;

namespace {

void check_same(const Picture& left, const Picture& right) {
  CHECK(left.data_window == right.data_window);
  CHECK(left.display_window == right.display_window);
  REQUIRE(left.groups.size() == right.groups.size());
  for (size_t i = 0; i < left.groups.size(); ++i) {
    for (size_t c = 0; c < 4; ++c) CHECK(left.groups[i].channels[c].name == right.groups[i].channels[c].name);
    CHECK(left.groups[i].depth == right.groups[i].depth);
    CHECK(std::ranges::equal(left.groups[i].levels[0].texels.bytes(), right.groups[i].levels[0].texels.bytes()));
  }
  REQUIRE(left.attributes.size() == right.attributes.size());
  for (size_t i = 0; i < left.attributes.size(); ++i) {
    CHECK(left.attributes[i].name == right.attributes[i].name);
    CHECK(left.attributes[i].value == right.attributes[i].value);
  }
}

}  // namespace

TEST_CASE("testdata holds what make_testdata makes, pixel for pixel") {
  const std::string fresh = (fs::temp_directory_path() / fmt::format("gpupost-testdata-{}", getpid())).string();
  uintmax_t total_bytes = 0;
  for (const TestPicture& made : test_pictures()) {
    CAPTURE(made.file);
    write_file(fresh, file_of(made).bytes(), false);
    check_same(decode_file("testdata/" + made.file, {}).picture, decode_file(fresh, {}).picture);
    total_bytes += fs::file_size("testdata/" + made.file);
  }
  fs::remove(fresh);
  CHECK(total_bytes < 1'500'000);
}
