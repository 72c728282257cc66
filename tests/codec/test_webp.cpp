// WebP files, made by libwebp and held against what its other functions decode.
#include "tests/codec/make_files.h"

#include <doctest/doctest.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstring>

using namespace gpupost;

namespace {

File make_webp(Size size, bool has_alpha, bool is_lossless) {
  std::vector<uint8_t> texels;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (const int number : {x * 7, y * 5, x + y, has_alpha ? 40 + x : 255}) texels.push_back(uint8_t(number));
  uint8_t* bytes = nullptr;
  const int stride = 4 * size.width;
  const size_t count = is_lossless ? WebPEncodeLosslessRGBA(texels.data(), size.width, size.height, stride, &bytes)
                                   : WebPEncodeRGBA(texels.data(), size.width, size.height, stride, 80, &bytes);
  const auto* start = reinterpret_cast<const std::byte*>(bytes);
  File file(start, start + count);
  WebPFree(bytes);
  return file;
}

// The file with a chunk behind its others, and its length put right.
File with_chunk(File file, const std::string& name, const std::string& data) {
  const auto count = uint32_t(data.size());
  std::string chunk = name + std::string(reinterpret_cast<const char*>(&count), 4) + data;
  if (data.size() % 2 == 1) chunk += '\0';
  const File more = file_of(chunk);
  file.insert(file.end(), more.begin(), more.end());
  const auto length = uint32_t(file.size() - 8);
  std::memcpy(&file[4], &length, 4);
  return file;
}

}  // namespace

TEST_CASE("WebP with losses and without is what libwebp reads") {
  for (const bool has_alpha : {false, true})
    for (const bool is_lossless : {false, true})
      for (const Size size : {Size{1, 1}, {37, 21}, {200, 3}}) {
        const File file = make_webp(size, has_alpha, is_lossless);
        REQUIRE(refusal_of(file) == "");
        const Decoded decoded = decode_bytes(file);
        CHECK(decoded.warnings.empty());
        CHECK(decoded.picture.groups[0].has_alpha() == has_alpha);
        CHECK(decoded.picture.alpha == Alpha::straight);
        int width = 0, height = 0;
        uint8_t* expected = WebPDecodeRGBA(unsigned_bytes(file), file.size(), &width, &height);
        REQUIRE(expected);
        CHECK(decoded.picture.size() == Size{width, height});
        const auto texels = decoded.picture.groups[0].levels[0].texels.as<uint8_t>();
        CHECK(std::equal(texels.begin(), texels.end(), expected));
        WebPFree(expected);
      }
}

TEST_CASE("a WebP is turned as its Exif says") {
  const File plain = make_webp({37, 21}, false, true);
  const std::string exif = std::string("MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0", 19) + char(8) + std::string(6, '\0');
  CHECK(decode_bytes(with_chunk(plain, "EXIF", exif)).picture.size() == Size{21, 37});
  CHECK(decode_bytes(with_chunk(plain, "EXIF", "Exif" + std::string(2, '\0') + exif)).picture.size() == Size{21, 37});
  CHECK(decode_bytes(with_chunk(plain, "ICCP", "nothing")).warnings ==
        std::vector<std::string>{"the ICC profile is damaged and ignored; without --input-transfer and "
                                 "--input-primaries, the image is taken as sRGB"});
}

TEST_CASE("a WebP that is cut off is refused, and flipped bytes do no harm") {
  for (const bool is_lossless : {false, true}) {
    const File file = make_webp({137, 121}, true, is_lossless);
    for (size_t bytes = 12; bytes < file.size(); bytes += 97)
      CHECK(refusal_of(File(file.begin(), file.begin() + ptrdiff_t(bytes))).starts_with("2 file: "));
    for (size_t at = 12; at < file.size(); at += 41) {
      File damaged = file;
      damaged[at] ^= std::byte(0x55);
      const std::string refusal = refusal_of(damaged);
      CHECK_MESSAGE((refusal.empty() || refusal.starts_with("2 file: ")), refusal);
    }
    CHECK(refusal_of(file, {.limits = {.side = 100}}).find("with --max-side)") != std::string::npos);
    CHECK(refusal_of(file, {.limits = {.decoded_bytes = 2000}}).find("with --max-decoded)") != std::string::npos);
  }
}

TEST_CASE("metadata of a WebP that is not kept is named") {
  const File file = make_webp({3, 2}, false, true);
  CHECK(decode_bytes(file).write_warnings.empty());
  CHECK(decode_bytes(with_chunk(file, "XMP ", "<x/>")).write_warnings ==
        std::vector<std::string>{"metadata of this file is not kept: XMP"});
}
