// Values of the color that `channels` makes of channels taken by name.
#include "core/pipeline/channel_lookup.h"

#include "core/image/to_working.h"
#include "core/op/parse.h"
#include "core/ops/ocio/row.h"
#include "core/ops/registry.h"
#include "tests/support/ocio.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;

namespace {

constexpr float stored_value = 0.5f, stored_alpha = 0.25f, stored_depth = 0.75f;

struct Input {
  std::string names;  // some of RGBAY; empty: no color
  Transfer transfer = Transfer::linear;
  Alpha alpha_kind = Alpha::premultiplied;
  bool is_data = false;
};

// One texel of such a color, and Z.
Picture picture_of(const Input& input) {
  Picture picture = noise_of_channels(input.names, Depth::f32, input.transfer, {1, 1});
  const auto texel = picture.groups[0].levels[0].texels.as<float>();
  std::ranges::fill(texel, stored_value);
  texel[3] = picture.groups[0].has_alpha() ? stored_alpha : 1;
  picture.groups[0].is_data = input.is_data;
  if (input.names.empty()) picture.groups.clear();
  picture.groups.push_back(made_group({{{.name = "Z"}, {}, {}, {}}}, Depth::f32, {1, 1}, 1,
                                      [](int, int, size_t, int) { return bits_of_float(stored_depth); }));
  picture.alpha = input.alpha_kind;
  return picture;
}

// A chain that begins with this list.
std::vector<Call> chain_of(const std::string& list, const char* mips_words = "") {
  return {parse_call(*op_named("channels"), "--list " + list), parse_call(*op_named("mips"), mips_words)};
}

// The first texel that the chain gets, in linear light and premultiplied.
std::array<float, 4> taken(const Input& input, const std::string& list) {
  Picture picture = picture_of(input);
  take_named_channels({.calls = chain_of(list)}, picture);
  make_working(picture, Depth::f32);
  std::array<float, 4> texel{};
  std::ranges::copy(picture.groups[0].levels[0].texels.as<float>(), texel.begin());
  return texel;
}

std::array<float, 4> texel_of(float red, float green, float blue, float a) { return {red, green, blue, a}; }

}  // namespace

TEST_CASE("of channels taken by name, R, G, B and Y are light, premultiplied, and others are as stored") {
  const auto decoded = float(srgb_decode(stored_value)), light = decoded * stored_alpha,
             straight = stored_value * stored_alpha;
  const Input gray{"YA", Transfer::srgb, Alpha::straight}, color{"RGBA", Transfer::linear, Alpha::straight};
  CHECK(taken(gray, "Y,Y,Y,A") == texel_of(light, light, light, stored_alpha));
  CHECK(taken(gray, "Y,Y,Y") == texel_of(light, light, light, 1));
  CHECK(taken(gray, "Y,Y,Y,Y") == texel_of(light, light, light, light));
  CHECK(taken(gray, "A,Z,Y,Z") == texel_of(stored_alpha, stored_depth, light, stored_depth));
  CHECK(taken(gray, "Z,Z,Z") == texel_of(stored_depth, stored_depth, stored_depth, 1));
  CHECK(taken(color, "R,G,Z,A") == texel_of(straight, straight, stored_depth, stored_alpha));
  CHECK(taken(color, "R,G,B,Z") == texel_of(straight, straight, straight, stored_depth));
  CHECK(taken({"Y", Transfer::srgb, Alpha::straight}, "Y,Y,Y,Y") == texel_of(decoded, decoded, decoded, decoded));
  CHECK(taken({"RGB", Transfer::linear, Alpha::straight}, "R,G,B,Z") ==
        texel_of(stored_value, stored_value, stored_value, stored_depth));
  CHECK(taken({"RGBA", Transfer::linear, Alpha::straight, true}, "R,A,B,Z") ==
        texel_of(stored_value, stored_alpha, stored_value, stored_depth));
  CHECK(taken({"", Transfer::srgb, Alpha::straight}, "Z,Z,Z,Z") ==
        texel_of(stored_depth, stored_depth, stored_depth, stored_depth));
  const auto multiplied = float(srgb_decode(stored_value / stored_alpha)) * stored_alpha;
  CHECK(taken({"RGBA", Transfer::srgb, Alpha::premultiplied}, "R,A,Z") ==
        texel_of(multiplied, stored_alpha, stored_depth, 1));
}

TEST_CASE("channels taken by name for a chain of data are decoded only with a curve that the user names") {
  for (const auto& [curve, expected] :
       {std::pair(std::optional<Transfer>(), stored_value), {Transfer::srgb, float(srgb_decode(stored_value))}}) {
    Picture picture = picture_of({"YA", Transfer::srgb, Alpha::straight});
    take_named_channels({.calls = chain_of("Y,Y,Z", "--normal"), .input = {.transfer = curve}}, picture);
    CHECK(picture.groups[0].levels[0].texels.as<float>()[0] == expected);
    CHECK(picture.groups[0].levels[0].texels.as<float>()[2] == stored_depth);
  }
}

TEST_CASE("the color of channels taken by name has the texels of the file, or floats if they are converted") {
  const auto depths_of = [](const char* list) {
    Picture picture = noise_of_channels("YA", Depth::u8, Transfer::srgb, {3, 2});
    take_named_channels({.calls = chain_of(list)}, picture);
    const Group& made = picture.groups[0];
    return std::pair(made.channels[0].depth, made.depth);
  };
  for (const char* list : {"Y,Y,Y,A", "Y,0.5,Y,A"}) CHECK(depths_of(list) == std::pair(Depth::u8, Depth::u8));
  for (const char* list : {"Y,Y,Y,1", "0.5,A,Y"}) CHECK(depths_of(list) == std::pair(Depth::u8, Depth::f32));
}

TEST_CASE("color with alpha 0 everywhere that channels takes by name gives a warning") {
  const auto warnings_of = [](const char* list) {
    Picture picture = picture_of({"YA", Transfer::srgb, Alpha::straight});
    picture.groups[0].levels[0].texels.as<float>()[3] = 0;
    return take_named_channels({.calls = chain_of(list)}, picture).warnings;
  };
  const std::string advised =
      std::string(all_hidden_warning) + " (to keep the light, read it with --input-alpha premultiplied)";
  CHECK(std::ranges::count(warnings_of("Y,Y,Y"), advised) == 1);
  CHECK(std::ranges::count(warnings_of("Z,Z,Z"), advised) == 0);
}

TEST_CASE("light that channels decodes by name gives the warning of ocio") {
  if (!test::has_ocio()) return;
  Call table = parse_call(ocio_op, std::vector<std::string>{"--file=testdata/look.cube"});
  ocio_op.prepare(table);
  const auto warning_count = [&](const char* list, std::optional<Transfer> curve) {
    Picture picture = picture_of({"YA", Transfer::srgb, Alpha::straight});
    const std::vector<Call> calls{chain_of(list)[0], table};
    return std::ranges::count_if(
        take_named_channels({.calls = calls, .input = {.transfer = curve}}, picture).warnings,
        [](const std::string& text) { return text.starts_with("`ocio --file testdata/look.cube` gets linear light"); });
  };
  CHECK(warning_count("Y,Y,Y", {}) == 1);
  CHECK(warning_count("Y,Y,Y", Transfer::srgb) == 0);
  CHECK(warning_count("Z,Z,Z", {}) == 0);
  CHECK(warning_count("Y,Y,Y,A", {}) == 0);  // is decoded later, and warned of then
}
