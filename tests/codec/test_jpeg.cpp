// JPEG files that are damaged, turned, or written here.
#include "tests/codec/jpeg_files.h"
#include "tests/support/error_of.h"
#include "tests/support/process.h"

#include "core/base/half.h"
#include "core/system/sandbox.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <new>
#include <random>
#include <set>

using namespace gpupost;

namespace {

std::span<const uint8_t> texels_of(const Picture& picture) {
  return picture.groups.at(0).levels.at(0).texels.as<uint8_t>();
}

// An Exif segment that says this orientation.
std::string exif_of(int orientation) {
  return std::string("Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0", 25) + char(orientation) + std::string(6, '\0');
}

// A picture of one level that changes slowly.
Picture ramp(Size size, bool is_gray, bool has_alpha) {
  Picture picture{.format = "exr", .data_window = window_of(size), .display_window = window_of(size)};
  Group& group = picture.groups.emplace_back();
  group.depth = Depth::f32;
  group.is_color = true;
  group.is_luminance = is_gray;
  if (is_gray) group.channels[0] = {"Y", Depth::f32};
  else group.channels = {{{"R", Depth::f32}, {"G", Depth::f32}, {"B", Depth::f32}, {}}};
  if (has_alpha) group.channels[3] = {"A", Depth::f32};
  Level& level = group.levels.emplace_back(Level{size, TexelBuffer(texel_count(size) * 16)});
  for (size_t i = 0; i < texel_count(size); ++i) {
    const float x = float(int(i) % size.width) / float(size.width), y = float(int(i) / size.width) / float(size.height);
    const float alpha = has_alpha ? 0.5f : 1;
    const float colors[] = {x * alpha, (is_gray ? x : y) * alpha, (is_gray ? x : 0.5f) * alpha, alpha};
    std::copy_n(colors, 4, level.texels.as<float>().data() + 4 * i);
  }
  return picture;
}

File written(const Picture& picture, const EncodeOptions& options, std::vector<std::string>* warnings = nullptr) {
  const Encoded encoded = encode(*format_named("jpg"), picture, options);
  if (warnings) *warnings = encoded.warnings;
  return {encoded.bytes.bytes().begin(), encoded.bytes.bytes().end()};
}

}  // namespace

TEST_CASE("a JPEG that is cut off anywhere is refused") {
  for (const bool is_progressive : {false, true}) {
    const File file = make_jpeg({.across = 2, .down = 2, .is_progressive = is_progressive});
    REQUIRE(refusal_of(file) == "");
    for (size_t bytes = 3; bytes < file.size(); bytes += 97) {
      const std::string refusal = refusal_of(File(file.begin(), file.begin() + ptrdiff_t(bytes)));
      CHECK_MESSAGE(refusal.starts_with("2 file: "), bytes);
    }
    CHECK(refusal_of(File(file.begin(), file.end() - 1)).starts_with("2 file: "));
  }
}

TEST_CASE("a JPEG with flipped bytes is refused, or is what libjpeg reads") {
  const File file = make_jpeg({});
  int read_count = 0;
  for (size_t at = 2; at < file.size(); at += 41) {
    File damaged = file;
    damaged[at] ^= std::byte(0x55);
    const std::string refusal = refusal_of(damaged);
    if (!refusal.empty()) {
      CHECK_MESSAGE(refusal.starts_with("2 file: "), refusal);
      continue;
    }
    ++read_count;
    const Picture picture = decode_bytes(damaged).picture;
    const std::vector<uint8_t> expected = rgb_by_libjpeg(damaged);
    size_t differences = 0;
    for (size_t i = 0; i < expected.size(); ++i) differences += texels_of(picture)[i / 3 * 4 + i % 3] != expected[i];
    CHECK(differences == 0);
  }
  CHECK(read_count > 0);
}

TEST_CASE("JPEG headers that claim what their file cannot hold are refused before memory is taken") {
  File file = make_jpeg({});
  for (size_t at = 0; at + 9 < file.size(); ++at)
    if (file[at] == std::byte(0xff) && file[at + 1] == std::byte(0xc0))
      for (const size_t byte : {at + 5, at + 7}) file[byte] = std::byte(0x3f);
  CHECK(refusal_of(file).find("cannot yield") != std::string::npos);
  CHECK(refusal_of(file, {.limits = {.side = 4096}}).find("with --max-side)") != std::string::npos);
  CHECK(refusal_of(make_jpeg({.width = 400, .height = 400, .is_progressive = true}),
                   {.limits = {.decoded_bytes = 650'000}})
            .find("with --max-decoded)") != std::string::npos);
}

TEST_CASE("a JPEG is turned as Exif says, and kept as it is stored where that is asked for") {
  const Picture stored = decode_bytes(make_jpeg({})).picture;
  const auto [width, height] = stored.size();
  const std::span<const uint8_t> before = texels_of(stored);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    CAPTURE(orientation);
    const File file = make_jpeg({.application1 = exif_of(orientation)});
    const Decoded decoded = decode_bytes(file);
    CHECK(decoded.warnings.empty());
    CHECK(decoded.picture.size() == (orientation < 5 ? Size{width, height} : Size{height, width}));
    // TIFF 6.0: where row 0 and column 0 are in the scene
    const std::string_view row_0 = orientation == 1 || orientation == 2   ? "top"
                                   : orientation == 3 || orientation == 4 ? "bottom"
                                   : orientation == 5 || orientation == 8 ? "left"
                                                                          : "right";
    const std::string_view column_0 = orientation == 1 || orientation == 4   ? "left"
                                      : orientation == 2 || orientation == 3 ? "right"
                                      : orientation == 5 || orientation == 6 ? "top"
                                                                             : "bottom";
    const auto texels = texels_of(decoded.picture);
    const Size size = decoded.picture.size();
    size_t differences = 0;
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        int x = 0, y = 0;
        const auto place = [&](std::string_view side, int distance) {
          if (side == "top") y = distance;
          if (side == "bottom") y = size.height - 1 - distance;
          if (side == "left") x = distance;
          if (side == "right") x = size.width - 1 - distance;
        };
        place(row_0, row);
        place(column_0, column);
        for (size_t c = 0; c < 4; ++c)
          differences += texels[4 * (size_t(y) * size_t(size.width) + size_t(x)) + c] !=
                         before[4 * (size_t(row) * size_t(width) + size_t(column)) + c];
      }
    CHECK(differences == 0);
    const Decoded kept = decode_bytes(file, {.keeps_orientation = true});
    CHECK(std::ranges::equal(texels_of(kept.picture), before));
    CHECK(kept.warnings.size() == (orientation == 1 ? 0 : 1));
  }
}

TEST_CASE("a JPEG that is written is near what was given, with whole chroma from quality 90 on") {
  for (const bool is_gray : {false, true})
    for (const int quality : {50, 89, 90, 100})
      for (const Size size : {Size{1, 1}, {1, 300}, {17, 9}, {257, 129}}) {
        CAPTURE(quality);
        CAPTURE(size.width);
        const Picture picture = ramp(size, is_gray, false);
        std::vector<std::string> warnings;
        const File file = written(picture, {.depth = Depth::u8, .quality = quality}, &warnings);
        CHECK(warnings.empty());
        const Decoded decoded = decode_bytes(file);
        CHECK(decoded.warnings.empty());
        REQUIRE(decoded.picture.size() == size);
        CHECK(decoded.picture.transfer == Transfer::srgb);
        CHECK(decoded.picture.attributes.empty());
        CHECK(decoded.picture.groups[0].is_luminance == is_gray);
        const auto light = picture.groups[0].levels[0].texels.as<float>();
        double sum = 0;
        for (size_t i = 0; i < light.size(); ++i) {
          const double difference = std::abs(255 * srgb_encode(double(light[i])) - texels_of(decoded.picture)[i]);
          if (i % 4 != 3) sum += difference;
          if (quality == 100) CHECK(difference <= 5);
        }
        CHECK(sum / double(light.size()) < (quality < 90 ? 8 : 4));  // halved chroma of a steep ramp
        // the sampling of the first component stands behind SOF0's 9 bytes and its number
        const std::string_view text = text_of(file);
        const size_t frame = text.find("\xff\xc0");
        REQUIRE(frame != text.npos);
        if (!is_gray) CHECK(int(text[frame + 11]) == (quality < 90 ? 0x22 : 0x11));
      }
}

TEST_CASE("a JPEG holds no alpha: the picture is over black, and that is said") {
  std::vector<std::string> warnings;
  const Picture picture = ramp({64, 64}, false, true);
  const File file = written(picture, {.depth = Depth::u8, .quality = 100}, &warnings);
  CHECK(warnings == std::vector<std::string>{"jpg holds no alpha; the image is composited over black"});
  const Picture read = decode_bytes(file).picture;
  CHECK(!read.groups[0].has_alpha());
  CHECK(std::abs(int(texels_of(read)[4 * 32]) - 255 * srgb_encode(0.25)) <= 4);
}

TEST_CASE("the same picture gives the same JPEG, and one that is too large is refused") {
  const Picture picture = ramp({33, 17}, false, false);
  CHECK(written(picture, {.depth = Depth::u8}) == written(picture, {.depth = Depth::u8}));
  const Picture wide = ramp({65501, 1}, false, false);
  CHECK(encoding_error_of([&] { written(wide, {.depth = Depth::u8}); }).find("65500") != std::string::npos);
}

TEST_CASE("a JPEG for which memory ends is an error of the machine") {
  if (is_sanitized()) return;  // its address space has no limit
  Picture noise = ramp({1500, 1500}, false, false);
  std::minstd_rand random;
  for (float& number : noise.groups[0].levels[0].texels.as<float>()) number = float(random() % 1000) / 1000;
  std::set<int> codes;
  for (size_t mebibytes = 0; mebibytes < 64; mebibytes += 2)
    codes.insert(test::in_child([&] {
      size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const rlim_t bytes = pages * size_t(sysconf(_SC_PAGESIZE)) + (mebibytes << 20);
      const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
      setrlimit(RLIMIT_AS, &limit);
      try {
        encode(*format_named("jpg"), noise, {.depth = Depth::u8, .quality = 100});
        return 0;
      } catch (const Error& error) {
        return int(error.code());
      } catch (const std::bad_alloc&) {
        return int(Exit::limit);
      }
    }));
  CHECK(codes == std::set<int>{0, int(Exit::limit)});
}
