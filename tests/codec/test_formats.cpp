#include "core/codec/codec.h"
#include "tests/codec/make_files.h"
#include "tests/support/error_of.h"

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

TEST_CASE("what a format cannot hold is refused without texels") {
  Picture picture;
  Group& group = picture.groups.emplace_back(Group{.is_color = true});
  for (size_t c = 0; c < 3; ++c) group.channels[c].name = std::string(1, "RGB"[c]);
  group.levels.push_back({.size = {65536, 1}, .texels = {}});
  const auto refusal = [&](const char* format, Depth depth) {
    return encoding_error_of([&] { check_can_hold(*format_named(format), picture, {.depth = depth}); });
  };
  CHECK(refusal("jpg", Depth::u8) == "jpg holds at most 65500 texels per side; the image has 65536 x 1");
  CHECK(refusal("tga", Depth::u8) == "tga holds at most 65535 texels per side; the image has 65536 x 1");
  CHECK(refusal("tga", Depth::u16) == "tga holds 8 bits, not 16; use --bits 8");
  for (const char* format : {"png", "tiff", "ktx2", "dds"}) CHECK(refusal(format, Depth::u16) == "");
  for (const char* format : {"exr", "hdr"}) CHECK(refusal(format, Depth::f32) == "");
  group.is_color = false;
  for (const char* format : {"png", "tiff", "ktx2", "dds"})
    CHECK(refusal(format, Depth::u16).starts_with(std::string(format) + " needs R, G and B, or Y; the image has"));
  CHECK(refusal("exr", Depth::f32) == "");
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
