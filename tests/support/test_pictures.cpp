#include "tests/support/test_pictures.h"

#include "tests/support/scene.h"
#include "tests/support/synthetic_images.h"

#include <algorithm>

namespace gpupost {
namespace {

std::array<Channel, 4> rgb(Depth depth) { return {{{"R", depth}, {"G", depth}, {"B", depth}}}; }
std::array<Channel, 4> rgba(Depth depth) { return {{{"R", depth}, {"G", depth}, {"B", depth}, {"A", depth}}}; }

Picture color_picture(Size size, std::array<Channel, 4> channels, Depth depth, const BitsOf& bits_of) {
  Picture picture = color_picture_of(made_group(std::move(channels), depth, size, 1, bits_of));
  if (!is_float(depth)) picture.transfer = Transfer::srgb;
  if (!is_float(depth)) picture.alpha = Alpha::straight;
  return picture;
}

// Of 1/256 steps from 0 to 4, so that the file stays small.
Picture noise() {
  return color_picture({257, 129}, rgb(Depth::f32), Depth::f32, [](int x, int y, size_t c, int) {
    const uint32_t step = hash_of(uint32_t(x), uint32_t(y), uint32_t(c), 1) & 1023;
    return bits_of_float(c == 3 ? 1 : float(step) / 256);
  });
}

// Red to the right, green downwards, blue in stops from 1/256 to 256.
Picture ramp() {
  return color_picture({17, 9}, rgba(Depth::half), Depth::half, [](int x, int y, size_t c, int) {
    const float stops = x < 8 ? 1 / float(1 << (8 - x)) : float(1 << (x - 8));
    return bits_of_half(std::array{float(x) / 16, float(y) / 8, stops, 1.0f}[c]);
  });
}

template <class... Numbers>
Attribute attribute_of(std::string name, std::string type, Numbers... numbers) {
  Attribute attribute{.name = std::move(name), .type = std::move(type), .value = {}};
  const auto add = [&](auto number) {
    const auto bytes = std::bit_cast<std::array<uint8_t, sizeof number>>(number);
    for (const uint8_t byte : bytes) attribute.value.push_back(byte);
  };
  (add(numbers), ...);
  return attribute;
}

Attribute text_attribute(std::string name, std::string_view text) {
  return Attribute{.name = std::move(name), .type = "string", .value = {text.begin(), text.end()}};
}

// Data beyond the display at the top and left of it, and attributes of several types.
Picture window() {
  Picture picture = color_picture({40, 30}, rgb(Depth::half), Depth::half, [](int x, int y, size_t c, int) {
    return bits_of_half(c == 3 ? 1 : std::array{float(x) / 39, float(y) / 29, float((x / 5 + y / 5) % 2)}[c]);
  });
  picture.data_window = {-4, -3, 35, 26};
  picture.display_window = {0, 0, 63, 35};
  picture.attributes = {
      text_attribute("owner", "gpupost"),
      text_attribute("comments", "data window and display window differ"),
      attribute_of("framesPerSecond", "rational", 24000, 1001u),
      attribute_of("chromaticities", "chromaticities", 0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f),
      attribute_of("pixelAspectRatio", "float", 1.5f),
      attribute_of("whiteLuminance", "float", 100.0f)};
  return picture;
}

Picture bars() {
  return color_picture({64, 64}, rgb(Depth::u8), Depth::u8,
                       [](int x, int, size_t c, int) { return c == 3 || x % 2 ? 255u : 0u; });
}

// What is transparent is red: where red shows, something has filtered straight color.
Picture alpha() {
  return color_picture({61, 47}, rgba(Depth::u8), Depth::u8, [](int x, int y, size_t c, int) {
    const bool is_inside = (x - 30) * (x - 30) + (y - 23) * (y - 23) <= 18 * 18;
    return is_inside ? std::array{40u, 150u, 220u, 255u}[c] : std::array{255u, 0u, 0u, 0u}[c];
  });
}

Picture gray() {
  Picture picture = color_picture({300, 5}, {{{"Y", Depth::u16}}}, Depth::u16, [](int x, int, size_t c, int) {
    return c == 3 ? 65535u : uint32_t(x * 65535 / 299);
  });
  picture.groups.back().is_luminance = true;
  return picture;
}

Picture ids() {
  return picture_of(made_group({{{"id", Depth::u32}, {"material", Depth::u32}}}, Depth::u32, {37, 23}, 1,
                               [](int x, int y, size_t c, int) {
                                 const auto cell = uint32_t(x / 6 + y / 6 * 7);
                                 return c == 0 ? hash_of(cell, 0, 0, 0) : c == 1 ? cell % 5 : 0;
                               }));
}

}  // namespace

std::vector<TestPicture> test_pictures() {
  const EncodeOptions as_it_is{.keep_depths = true};
  const EncodeOptions eight_bit{.depth = Depth::u8};
  std::vector<TestPicture> made;
  made.push_back({"scene.exr", scene({480, 270}), as_it_is});
  made.push_back({"noise_257x129.exr", noise(), as_it_is});
  made.push_back({"ramp_17x9.exr", ramp(), as_it_is});
  made.push_back({"window.exr", window(), as_it_is});
  made.push_back({"bars.png", bars(), eight_bit});
  made.push_back({"alpha.png", alpha(), eight_bit});
  made.push_back({"gray16.png", gray(), EncodeOptions{.depth = Depth::u16}});
  made.push_back({"uint_ids.exr", ids(), as_it_is});
  return made;
}

TexelBuffer file_of(const TestPicture& made) {
  return encode(*format_of_extension(made.file), made.picture, made.options).bytes;
}

}  // namespace gpupost
