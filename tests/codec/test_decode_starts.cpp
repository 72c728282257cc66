// How files begin: what cannot be an image is refused at once, and what stands in several pieces is put together.
#include "core/base/error.h"
#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

using namespace gpupost;
using namespace std::string_literals;

namespace {

// decode() of what a pipe gives in pieces of these sizes, the rest as one.
std::string refusal_of_pieces(const File& file, std::initializer_list<size_t> sizes) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::string said;
  {
    const std::jthread writer([&] {
      size_t at = 0;
      for (const size_t size : sizes) {
        CHECK(write(ends[1], &file[at], size) == ssize_t(size));
        at += size;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      CHECK(write(ends[1], &file[at], file.size() - at) == ssize_t(file.size() - at));
      close(ends[1]);
    });
    said = error_of([&] { decode(ends[0], "pipe", {}); }, Exit::input);
  }
  close(ends[0]);
  return said;
}

}  // namespace

TEST_CASE("an input without end that begins as no image does is refused when its first bytes are there") {
  const std::string said = error_of([&] { decode_file("/dev/zero", {}); }, Exit::input);
  CHECK_MESSAGE(said.starts_with("/dev/zero: is not an image of a known format"), said);
}

TEST_CASE("a pipe may give an image in pieces of any size") {
  const File file = make_exr({.width = 5, .height = 4});
  CHECK(refusal_of_pieces(file, {}) == "");
  CHECK(refusal_of_pieces(file, {1, 3, 13, 1, 1}) == "");
  CHECK(refusal_of_pieces(file_of("no image at all, but as long as one"), {5, 20}).find("is not an image") !=
        std::string::npos);
  CHECK(refusal_of_pieces(file_of("short"), {2}).find("is not an image") != std::string::npos);
}
