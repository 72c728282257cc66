// What the headers of EXR files say of a picture, and what is written of it behind a chain.
#include "tests/program/test_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// in.exr with another header, as `name`.
void write_changed(const TestFolder& place, const std::string& name, const std::function<void(Picture&)>& change) {
  Picture picture = decoded(place, "in.exr");
  change(picture);
  write_picture(place, name, picture);
}

bool has_attribute(const Picture& picture, const std::string& name) {
  return std::ranges::find(picture.attributes, name, &Attribute::name) != picture.attributes.end();
}

}  // namespace

DEVICE_TEST_CASE("a display window near the end of the format goes through a chain and is read again, or is refused") {
  const TestFolder place;
  constexpr int last = 0x3ffffffe;
  const Window far{-last, -last, last, last};
  write_changed(place, "far.exr", [&](Picture& picture) { picture.display_window = far; });
  for (const Words& chain : {Words{"flip", "xy"}, {"mips"}}) {
    CHECK(place.gpupost(with(chain, {"far.exr", "-o", "out.exr"})).exit_code == 0);
    CHECK(decoded(place, "out.exr").display_window == far);
  }
  for (const std::string size : {"200%", "32768x4", "50%"}) {
    const Finished finished = place.gpupost({"resize", "--size", size, "far.exr", "-o", std::string(size) + ".exr"});
    const std::string file = std::string(size) + ".exr";
    if (place.has(file)) CHECK(decoded(place, file).display_window.min_x <= 0);
    const bool is_cut = finished.err.find("display window is cut") != std::string::npos;
    const bool is_refused = finished.exit_code == 1 && finished.err.find("windows") != std::string::npos;
    CHECK_MESSAGE((std::string(size) == "50%" || is_cut || is_refused), size, ": ", finished.err);
    CHECK(place.has(file) == (finished.exit_code == 0));
  }
}

DEVICE_TEST_CASE(
    "a data window that flip moves further than readers follow is a usage error, and a crop before it helps") {
  const TestFolder place;
  write_changed(place, "far.exr", [](Picture& picture) { picture.display_window = {0, 0, 0x3ffffffe, 20}; });
  const Finished finished = place.gpupost({"flip", "x", "far.exr", "-o", "out.exr"});
  CHECK(finished.exit_code == 1);
  CHECK_MESSAGE(is_one_error(finished.err), finished.err);
  CHECK_MESSAGE(finished.err.starts_with("gpupost: far.exr: exr: the data window"), finished.err);
  CHECK(!place.has("out.exr"));
  CHECK(place.gpupost({"crop", "--window", "37x21+0+0", "flip", "x", "far.exr", "-o", "out.exr"}).exit_code == 0);
  const Finished png = place.gpupost({"flip", "x", "far.exr", "-o", "out.png"});
  CHECK(png.exit_code == 2);
  CHECK_MESSAGE(png.err.find("crop it first, or raise --max-texels") != png.err.npos, png.err);
  CHECK(png.err.starts_with("gpupost: far.exr: its display window has "));
}

TEST_CASE("chromaticities that make no sense are dropped with a warning, whatever is written") {
  const TestFolder place;
  write_changed(place, "odd.exr", [](Picture& picture) {
    picture.attributes = {{.name = "chromaticities", .type = "chromaticities", .value = std::vector<uint8_t>(32, 0)}};
  });
  for (const char* output : {"out.exr", "out.png"}) {
    const Finished finished = place.gpupost({"odd.exr", "-o", output});
    CHECK(finished.exit_code == 0);
    CHECK_MESSAGE(finished.err.find("warning: odd.exr: its chromaticities") != std::string::npos, finished.err);
  }
  CHECK(!has_attribute(decoded(place, "out.exr"), "chromaticities"));
}

TEST_CASE("--output-primaries without an op and --input-primaries warn of names of the color space that they drop") {
  const TestFolder place;
  write_changed(place, "named.exr", [](Picture& picture) {
    picture.attributes = {{.name = "colorInteropID", .type = "string", .value = {'l', 'i', 'n'}},
                          {.name = "owner", .type = "string", .value = {'m', 'e'}}};
  });
  const Finished finished = place.gpupost({"named.exr", "-o", "wide.exr", "--output-primaries", "ap1"});
  CHECK(finished.exit_code == 0);
  CHECK(finished.err ==
        "gpupost: warning: named.exr: attributes that no longer match the image are dropped: colorInteropID\n");
  CHECK(!has_attribute(decoded(place, "wide.exr"), "colorInteropID"));
  CHECK(has_attribute(decoded(place, "wide.exr"), "owner"));
  const Finished named = place.gpupost({"named.exr", "-o", "named_wide.exr", "--input-primaries", "ap1"});
  CHECK(named.exit_code == 0);
  CHECK(named.err == finished.err);
}

TEST_CASE("a picture that is changed loses its preview, one that is only converted or measured keeps it") {
  const TestFolder place;
  write_changed(place, "shown.exr", [](Picture& picture) {
    picture.attributes = {{.name = "preview", .type = "preview", .value = {1, 0, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9}},
                          {.name = "owner", .type = "string", .value = {'m', 'e'}}};
  });
  CHECK(place.gpupost({"shown.exr", "-o", "converted.exr", "--compression", "none"}).exit_code == 0);
  CHECK(has_attribute(decoded(place, "converted.exr"), "preview"));
  CHECK(place.gpupost({"shown.exr", "-o", "wide.exr", "--output-primaries", "ap1"}).exit_code == 0);
  CHECK(!has_attribute(decoded(place, "wide.exr"), "preview"));
  if (!has_device()) return;
  CHECK(place.gpupost({"stats", "shown.exr", "-o", "measured.exr"}).exit_code == 0);
  CHECK(has_attribute(decoded(place, "measured.exr"), "preview"));
  CHECK(place.gpupost({"exposure", "--stops", "1", "shown.exr", "-o", "brighter.exr"}).exit_code == 0);
  CHECK(!has_attribute(decoded(place, "brighter.exr"), "preview"));
  CHECK(has_attribute(decoded(place, "brighter.exr"), "owner"));
}
