// Blurs of whole files: alpha, light without alpha, pipes and chains.
#include "tests/program/test_folder.h"

#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

std::string big(uint32_t number) { return {char(number >> 24), char(number >> 16), char(number >> 8), char(number)}; }

std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  return big(uint32_t(content.size())) + body +
         big(uint32_t(crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size()))));
}

constexpr int side = 48;

bool is_on_disk(int x, int y) { return std::hypot(x - 23.5, y - 23.5) < 12; }

// An opaque light gray disk on transparent red, byte for byte: our own writer knows no color where alpha is 0.
std::string disk_on_red() {
  std::string rows;
  for (int y = 0; y < side; ++y) {
    rows += '\0';  // the row's filter
    for (int x = 0; x < side; ++x)
      rows += is_on_disk(x, y) ? std::string("\xc0\xc0\xc0\xff") : std::string("\xff\0\0\0", 4);
  }
  uLongf length = compressBound(uLong(rows.size()));
  std::string packed(length, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(rows.data()),
                   uLong(rows.size())) == Z_OK);
  packed.resize(length);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big(side) + big(side) + std::string("\x08\x06\0\0\0", 5)) +
         chunk("IDAT", packed) + chunk("IEND", "");
}

// A half EXR of 15 x 15 with light of (1, 0.5, 0.25) and no alpha in the middle, and nothing beside it.
std::string light_without_alpha() {
  constexpr float light[] = {1, 0.5f, 0.25f, 0};
  const Size size{15, 15};
  return exr_of(color_picture_of(made_group(
      {{{"R", Depth::half}, {"G", Depth::half}, {"B", Depth::half}, {"A", Depth::half}}}, Depth::half, size, 1,
      [&](int x, int y, size_t component, int) { return bits_of_half(x == 7 && y == 7 ? light[component] : 0); })));
}

void check_done(const Finished& finished) {
  INFO(finished.err);
  CHECK(finished.exit_code == 0);
}

}  // namespace

DEVICE_TEST_CASE("an opaque disk on transparent red stays as bright as it is, without red around it or a dark ring") {
  const TestFolder place;
  place.write("disk.png", disk_on_red());
  for (const char* words : {"--radius 5", "--sigma 2", "--radius 3 --passes 2", "--radius 4 --border black"}) {
    check_done(place.shell(fmt::format("gpupost blur {} disk.png -o out.png --verify", words)));
    const Picture picture = decoded(place, "out.png");
    const auto bytes = picture.groups[0].levels[0].texels.as<uint8_t>();
    int partly = 0;
    for (size_t index = 0; index < bytes.size(); index += 4) {
      const int red = bytes[index], green = bytes[index + 1], blue = bytes[index + 2], alpha = bytes[index + 3];
      CHECK(red == green);
      CHECK(red == blue);
      if (alpha > 0) CHECK(std::abs(red - 0xc0) <= 1);
      partly += alpha > 0 && alpha < 255;
    }
    CHECK(partly > 100);
  }
}

DEVICE_TEST_CASE("light without alpha is spread like any other, and gets no alpha") {
  const TestFolder place;
  place.write("light.exr", light_without_alpha());
  check_done(place.gpupost({"blur", "--radius", "1", "light.exr", "-o", "out.exr"}));
  const Picture picture = decoded(place, "out.exr");
  const auto bits = picture.groups[0].levels[0].texels.as<uint16_t>();
  for (int y = 0; y < 15; ++y)
    for (int x = 0; x < 15; ++x) {
      const size_t at = 4 * size_t(15 * y + x);
      const bool is_lit = std::abs(x - 7) <= 1 && std::abs(y - 7) <= 1;
      CHECK(float_from_half(bits[at]) == doctest::Approx(is_lit ? 1 / 9.0 : 0).epsilon(1e-3));
      CHECK(float_from_half(bits[at + 2]) == doctest::Approx(is_lit ? 0.25 / 9 : 0).epsilon(1e-3));
      CHECK(bits[at + 3] == 0);
    }
}

DEVICE_TEST_CASE("a blur stands in a pipe, and two of them, or one and its levels, in a chain") {
  const TestFolder place;
  const Finished piped = place.shell("cat in.exr | gpupost blur --radius 7 --zcurve > out.exr");
  check_done(piped);
  CHECK(piped.err == "");
  check_done(place.gpupost({"blur", "--radius", "7", "--zcurve", "in.exr", "-o", "file.exr", "--verify"}));
  CHECK(place.read("out.exr") == place.read("file.exr"));
  CHECK(place.gpupost({"compare", "in.exr", "out.exr"}).exit_code == 6);

  check_done(place.shell("gpupost in.exr blur --radius 7 --zcurve blur --sigma 2.5 -o two.exr --verify"));
  check_done(place.shell("gpupost in.exr blur --radius 7 -o - --bits 32f | gpupost blur --sigma 2.5 -o one.exr"));
  check_done(place.gpupost({"compare", "one.exr", "two.exr", "--tolerance", "0.002"}));
  check_done(place.shell("gpupost in.exr blur --radius 3 mips -o levels.exr --verify"));
  CHECK(decoded(place, "levels.exr", 5).size() == Size{1, 1});
}

DEVICE_TEST_CASE("a blur goes through every channel but uint ones with --apply-to all") {
  const TestFolder place;
  check_done(place.gpupost({"blur", "--radius", "2", "depth.exr", "-o", "out.exr", "--verify", "--apply-to", "all"}));
  const Picture before = decoded(place, "depth.exr"), after = decoded(place, "out.exr");
  REQUIRE(after.groups.size() == before.groups.size());
  for (size_t index = 0; index < after.groups.size(); ++index) {
    const bool is_equal =
        std::ranges::equal(after.groups[index].levels[0].texels.bytes(), before.groups[index].levels[0].texels.bytes());
    CHECK(is_equal == (after.groups[index].depth == Depth::u32));
  }
}
