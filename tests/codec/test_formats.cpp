#include "tests/codec/make_files.h"

#include <doctest/doctest.h>

#include <set>

using namespace gpupost;

TEST_CASE("a format is found by each of its extensions, in any case, and by its name") {
  std::set<std::string_view> seen;
  for (const Format& format : all_formats()) {
    CHECK(format_named(format.name) == &format);
    for (const std::string_view extension : format.extensions) {
      CHECK(seen.insert(extension).second);
      CHECK(format_of_extension("a.b/picture." + std::string(extension)) == &format);
    }
  }
  CHECK(format_of_extension("A.EXR") == format_named("exr"));
  CHECK(format_of_extension("exr") == nullptr);
  CHECK(format_of_extension("a.txt") == nullptr);
  CHECK(format_named("gif") == nullptr);
}

TEST_CASE("a format is known by the first bytes of its files") {
  CHECK(format_of_bytes(make_exr({})) == format_named("exr"));
  CHECK(format_of_bytes(make_png({})) == format_named("png"));
  CHECK(format_of_bytes(file_of("\xabKTX 20\xbb\r\n\x1a\n")) == format_named("ktx2"));
  CHECK(format_of_bytes(file_of("DDS \x7c")) == format_named("dds"));
  CHECK(format_of_bytes(file_of("\xff\xd8\xff\xe0")) == format_named("jpg"));
  CHECK(format_of_bytes(file_of("#?RGBE\n")) == format_named("hdr"));
  CHECK(format_of_bytes(file_of("BM" + std::string(12, '\0') + "\x28" + std::string(20, '\0'))) == format_named("bmp"));
  CHECK(format_of_bytes(file_of(std::string("\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x18\0", 18))) == format_named("tga"));
  CHECK(format_of_bytes(file_of(std::string("\0\0\2\0\0\0\0\0\0\0\0\0\0\0\1\0\x18\0", 18))) == nullptr);
  CHECK(format_of_bytes(file_of("some text that is longer than any header")) == nullptr);
  CHECK(format_of_bytes({}) == nullptr);
}
