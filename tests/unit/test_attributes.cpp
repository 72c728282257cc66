// Attributes that ops make wrong are adapted or removed.
#include "core/image/attributes.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>

using namespace gpupost;

namespace {

template <size_t count>
Attribute floats(const char* name, const char* type, const std::array<float, count>& numbers) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  return {.name = name, .type = type, .value = {bytes, bytes + sizeof numbers}};
}

float number_of(const std::vector<Attribute>& attributes, const char* name, size_t index) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  REQUIRE(found != attributes.end());
  float number = 0;
  std::memcpy(&number, found->value.data() + sizeof number * index, sizeof number);
  return number;
}

bool has(const std::vector<Attribute>& attributes, const char* name) {
  return std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
}

std::vector<Attribute> camera() {
  return {floats<1>("screenWindowWidth", "float", {2}),
          floats<2>("screenWindowCenter", "v2f", {0.25f, -0.5f}),
          floats<1>("pixelAspectRatio", "float", {2}),
          floats<16>("worldToCamera", "m44f", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
          floats<16>("worldToNDC", "m44f", {}),
          Attribute{"envmap", "envmap", {0}},
          Attribute{"owner", "string", {'x'}}};
}

constexpr Windows windows{.data = {10, 20, 89, 69}, .display = {0, 0, 99, 79}};

std::vector<Attribute> behind(const char* op, const char* words, const Windows& before = windows,
                              std::vector<Attribute> attributes = camera()) {
  std::vector<Call> calls{parse_call(*op_named(op), words)};
  set_windows(calls, before);
  calls[0].op->change_attributes(calls[0], attributes);
  return attributes;
}

// Where the ray of a texel's corner crosses the screen.
std::array<double, 2> ray(const std::vector<Attribute>& attributes, const Window& display, double x, double y) {
  const double texel = double(number_of(attributes, "screenWindowWidth", 0)) / size_of(display).width;
  const double aspect = double(number_of(attributes, "pixelAspectRatio", 0));
  const double middle_x = (display.min_x + display.max_x + 1) / 2.0,
               middle_y = (display.min_y + display.max_y + 1) / 2.0;
  return {double(number_of(attributes, "screenWindowCenter", 0)) + texel * (x - middle_x),
          double(number_of(attributes, "screenWindowCenter", 1)) - texel / aspect * (y - middle_y)};
}

}  // namespace

TEST_CASE("a texel's ray stays behind a crop, and what cannot be adapted goes") {
  const std::vector<Attribute> made = behind("crop", "--window 30x20+5+7");
  const Window part{0, 0, 29, 19};
  for (const auto& [x, y] : {std::pair{0, 0}, {30, 20}, {12, 3}}) {
    const auto before = ray(camera(), windows.display, 10 + 5 + x, 20 + 7 + y), after = ray(made, part, x, y);
    CHECK(after[0] == doctest::Approx(before[0]).epsilon(1e-5));
    CHECK(after[1] == doctest::Approx(before[1]).epsilon(1e-5));
  }
  CHECK(number_of(made, "worldToCamera", 5) == 6);
  CHECK(!has(made, "worldToNDC"));
  CHECK(!has(made, "envmap"));
  CHECK(has(made, "owner"));
}

TEST_CASE("a texel's ray stays behind a crop to a window") {
  const std::vector<Attribute> whole = behind("crop", "--to data");
  for (const auto& [x, y] : {std::pair{11, 25}, {30, 40}}) {
    const auto before = ray(camera(), windows.display, x, y), after = ray(whole, windows.data, x, y);
    CHECK(after[0] == doctest::Approx(before[0]).epsilon(1e-5));
    CHECK(after[1] == doctest::Approx(before[1]).epsilon(1e-5));
  }
  CHECK(behind("crop", "--to display").size() == camera().size());
}

TEST_CASE("a crop to the content cuts the frame, unless it keeps the display window") {
  const std::vector<Attribute> cut = behind("crop", "--to content"), data = behind("crop", "--to data");
  CHECK(std::ranges::equal(cut, data, {}, &Attribute::value, &Attribute::value));
  CHECK(behind("crop", "--to content --keep-display").size() == camera().size());
  const auto windows_behind = [](const char* words) {
    return result_windows(std::vector{parse_call(*op_named("crop"), words)}, windows);
  };
  CHECK(windows_behind("--to content") == Windows{windows.data, windows.data});
  CHECK(windows_behind("--to content --keep-display") == windows);
}

TEST_CASE("a texel's ray stays where an op moves or cuts the frame") {
  struct Moved {
    const char *op, *words;
    Window display;
    double scale, x, y;  // (u, v) of the result was (scale u + x, scale v + y)
  };
  for (const Moved& one : {Moved{"resize", "--fill 40x40", {0, 0, 39, 39}, 2, 10, 0},
                           Moved{"resize", "--fit 60x40 --pad 0,0,0", {0, 0, 59, 39}, 2, -10, 0},
                           Moved{"pad", "--size 120x90", {0, 0, 119, 89}, 1, -10, -5},
                           Moved{"shift", "--x 7 --y -3", windows.display, 1, -7, 3}}) {
    CAPTURE(one.op);
    CAPTURE(one.words);
    const std::vector<Attribute> made = behind(one.op, one.words);
    for (const auto& [u, v] : {std::pair{0, 0}, {30, 20}}) {
      const auto before = ray(camera(), windows.display, one.scale * u + one.x, one.scale * v + one.y);
      const auto after = ray(made, one.display, u, v);
      CHECK(after[0] == doctest::Approx(before[0]).epsilon(1e-5));
      CHECK(after[1] == doctest::Approx(before[1]).epsilon(1e-5));
    }
    CHECK(!has(made, "worldToNDC"));
    CHECK(!has(made, "envmap"));
  }
  CHECK(behind("resize", "--fill 50x40").size() == camera().size());
  CHECK(behind("shift", "--x 0").size() == camera().size());
}

TEST_CASE("a crop of the whole frame leaves the attributes") {
  const std::vector<Attribute> made = behind("crop", "--window 100x80+0+0", {windows.display, windows.display});
  CHECK(made.size() == camera().size());
  CHECK(number_of(made, "screenWindowWidth", 0) == 2);
}

TEST_CASE("a picture of tiles keeps the rays of the part that it was made of") {
  const std::vector<Attribute> made = behind("luminance", "--size 8x5");
  const auto before = ray(camera(), windows.display, 10, 20), after = ray(made, {0, 0, 7, 4}, 0, 0);
  CHECK(after[0] == doctest::Approx(before[0]).epsilon(1e-5));
}

TEST_CASE("a mirrored picture has a mirrored camera") {
  const std::vector<Attribute> once = behind("flip", "x");
  CHECK(number_of(once, "screenWindowCenter", 0) == -0.25f);
  CHECK(number_of(once, "screenWindowCenter", 1) == -0.5f);
  CHECK(number_of(once, "worldToCamera", 4) == -5);
  CHECK(number_of(once, "worldToCamera", 5) == 6);
  CHECK(!has(once, "worldToNDC"));
  CHECK(has(once, "envmap"));
  for (const auto& [op, words] : {std::pair("flip", "y"), {"rotate", "180"}})
    CHECK(behind(op, words, windows, {Attribute{"envmap", "envmap", {1}}}).empty());  // the faces of a cube
  const std::vector<Attribute> twice = behind("flip", "x", windows, once);
  for (size_t index = 0; index < 16; ++index)
    CHECK(number_of(twice, "worldToCamera", index) == number_of(camera(), "worldToCamera", index));
}

TEST_CASE("a mirrored picture whose camera looks straight has no negative zero") {
  const std::vector<Attribute> straight{floats<2>("screenWindowCenter", "v2f", {0, 0})};
  for (const auto& [op, words] : {std::pair("flip", "x"), {"flip", "y"}, {"rotate", "180"}})
    CHECK(behind(op, words, windows, straight)[0].value == std::vector<uint8_t>(8));
}

TEST_CASE("levels say how they repeat beyond their border") {
  const auto wrapmodes = [](const char* words, std::vector<Attribute> attributes = {}) {
    const std::vector<Attribute> made = behind("mips", words, windows, std::move(attributes));
    const auto found = std::ranges::find(made, "wrapmodes", &Attribute::name);
    return found == made.end() ? "" : std::string(found->value.begin(), found->value.end());
  };
  CHECK(wrapmodes("--filter kaiser --border repeat") == "periodic,periodic");
  CHECK(wrapmodes("--filter kaiser --border mirror") == "mirror,mirror");
  CHECK(wrapmodes("--filter kaiser") == "clamp,clamp");
  CHECK(wrapmodes("").empty());
  const std::vector<Attribute> black{{"wrapmodes", "string", {'b'}}};
  CHECK(wrapmodes("--filter kaiser --border repeat", black) == "periodic,periodic");
  CHECK(wrapmodes("--filter kaiser", black) == "b");
}

TEST_CASE("a quarter turn exchanges how the image repeats across and down") {
  for (const auto& [before, after] :
       {std::pair{"periodic,clamp", "clamp,periodic"}, {"black,black", "black,black"}, {"mirror", "mirror"}}) {
    std::vector<Attribute> attributes{{"wrapmodes", "string", {before, before + std::strlen(before)}}};
    transpose_frame(attributes);
    CHECK(std::string(attributes[0].value.begin(), attributes[0].value.end()) == after);
  }
}

TEST_CASE("a screen window that every EXR has carries no information") {
  CHECK(is_default_attribute(floats<1>("screenWindowWidth", "float", {1})));
  CHECK(is_default_attribute(floats<2>("screenWindowCenter", "v2f", {0, 0})));
  CHECK(is_default_attribute(floats<2>("screenWindowCenter", "v2f", {-0.0f, 0})));
  CHECK(!is_default_attribute(floats<1>("screenWindowWidth", "float", {2})));
  CHECK(!is_default_attribute(floats<2>("screenWindowCenter", "v2f", {0, 0.5f})));
  CHECK(!is_default_attribute(floats<1>("aperture", "float", {1})));
}

TEST_CASE("a panorama that project makes is marked as one, and faces are not") {
  const Windows whole{.data = {0, 0, 59, 9}, .display = {0, 0, 59, 9}};
  const std::vector<Attribute> faces = behind("project", "--to strip", whole);
  CHECK(!has(faces, "envmap"));
  CHECK(!has(faces, "worldToCamera"));
  CHECK(!has(faces, "pixelAspectRatio"));
  CHECK(has(faces, "owner"));
  const std::vector<Attribute> latlong = behind("project", "--from strip --to latlong", whole);
  const auto mark = std::ranges::find(latlong, "envmap", &Attribute::name);
  REQUIRE(mark != latlong.end());
  CHECK(mark->value == std::vector<uint8_t>{0});
}
