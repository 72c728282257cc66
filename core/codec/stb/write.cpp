// Writes TGA and Radiance with stb_image_write.
#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/writer.h"
#include "core/image/primaries.h"

#include <fmt/format.h>
#include <stb_image_write.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

namespace gpupost {

namespace {

using File = std::vector<std::byte>;

// stb_image_write calls this function with each piece of a file.
void append(void* file, void* bytes, int count) {
  const auto* from = static_cast<const std::byte*>(bytes);
  static_cast<File*>(file)->insert(static_cast<File*>(file)->end(), from, from + count);
}

// Components of the file. Few programs read gray with alpha.
std::vector<size_t> components_of_tga(const Group& color) {
  std::vector<size_t> components = components_of(color);
  if (components.size() == 2) components = {0, 1, 2, 3};
  return components;
}

// Components of the file, which has no alpha: premultiplied color is already composited over black.
std::vector<size_t> components_of_hdr(const Group& color) {
  std::vector<size_t> components = components_of(color);
  if (color.has_alpha()) components.pop_back();
  return components;
}

// stb_image_write counts values in int.
void check_count(const Format& format, const Level& level, size_t component_count) {
  constexpr int most = std::numeric_limits<int>::max();
  const size_t count = texel_count(level.size) * component_count;
  if (count > size_t(most))
    fail(Exit::usage, "{} files hold at most {} values; the image has {}; expected another format", format.name, most,
         count);
}

TexelBuffer bytes_of_file(File file) {
  const auto kept = std::make_shared<File>(std::move(file));
  return TexelBuffer(kept->data(), kept->size(), [kept] {});
}

// Half a step of the texel, so that the cut to 8 bits rounds to nearest. The largest component has 128 to 255 steps. If it
// rounds to 256 steps, the exponent grows, and so does the step of all components. 0 stays 0.
float half_step(const float* rgb, size_t count) {
  const float largest = *std::max_element(rgb, rgb + count);
  if (largest <= 0) return 0;
  const int step_exponent = std::ilogb(largest) - 7;
  const bool grows = largest >= std::ldexp(255.5f, step_exponent);
  return std::ldexp(0.5f, step_exponent + int(grows));
}

// RGBE holds numbers from 0 to below 2^127. stb_image_write does not check them.
std::vector<float> storable(const Pixels& pixels, std::vector<std::string>& warnings) {
  constexpr float most = 0x1.fep126f;
  std::vector<float> numbers(pixels.numbers.size() / sizeof(float));
  std::memcpy(numbers.data(), pixels.numbers.data(), pixels.numbers.size());
  size_t negative = 0, nan = 0, above = 0;
  for (float& number : numbers) {
    nan += std::isnan(number);
    negative += number < 0;
    above += number > most;
    number = number > 0 ? std::min(number, most) : 0;
  }
  if (negative)
    warnings.push_back(fmt::format("hdr holds no negative values; number of values that became 0: {}", negative));
  if (nan) warnings.push_back(fmt::format("number of values that were NaN and became 0: {}", nan));
  if (above) warnings.push_back(fmt::format("number of values above {:.3g} that were clamped: {}", most, above));
  for (size_t at = 0; at < numbers.size(); at += pixels.component_count) {
    const float add = half_step(&numbers[at], pixels.component_count);
    for (size_t c = 0; c < pixels.component_count; ++c) numbers[at + c] += add;
  }
  return numbers;
}

// The header of stb_image_write has an exposure, and no primaries.
void replace_header(File& file, Size size, const std::optional<Primaries>& primaries) {
  std::string header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n";
  if (const auto& p = primaries)
    header += fmt::format("PRIMARIES={:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", p->red.x, p->red.y,
                          p->green.x, p->green.y, p->blue.x, p->blue.y, p->white.x, p->white.y);
  header += fmt::format("\n-Y {} +X {}\n", size.height, size.width);
  const size_t size_line = text_of(file).find("\n-Y ") + 1;
  const size_t end = text_of(file).find('\n', size_line) + 1;
  const Bytes made(reinterpret_cast<const std::byte*>(header.data()), header.size());
  file.erase(file.begin(), file.begin() + ptrdiff_t(end));
  file.insert(file.begin(), made.begin(), made.end());
}

}  // namespace

void check_hdr(const Format& format, const Picture& picture, const EncodeOptions& options) {
  check_color(format, picture, options);
  const Group& color = picture.groups.front();
  check_count(format, color.levels[size_t(options.level)], components_of_hdr(color).size());
}

Encoded encode_hdr(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (!is_encodable(picture, options)) {
    const Picture working = working_copy(picture, Depth::f32);
    return encode_hdr({.picture = &working}, options);
  }
  Encoded encoded;
  Losses losses;
  const Group& color = picture.groups.front();
  const std::vector<size_t> components = components_of_hdr(color);
  if (color.has_alpha())
    encoded.warnings.push_back(color.is_data ? "hdr holds no alpha; alpha is dropped"
                                             : "hdr holds no alpha; the image is composited over black");
  const Pixels pixels = pixels_of(source, options.level, components, options, losses);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(picture, "hdr", encoded.warnings);
  const std::vector<float> numbers = storable(pixels, encoded.warnings);
  File file;
  if (!stbi_write_hdr_to_func(append, &file, pixels.size.width, pixels.size.height, int(components.size()),
                              numbers.data()))
    fail(Exit::output, "hdr: stb_image_write cannot encode the image");
  replace_header(file, pixels.size, options.is_tagged ? other_primaries(picture) : std::nullopt);
  encoded.bytes = bytes_of_file(std::move(file));
  return encoded;
}

void check_tga(const Format& format, const Picture& picture, const EncodeOptions& options) {
  constexpr int most_side = 65535;  // of 16 bits in the header
  check_color(format, picture, options);
  check_side(format, picture, options, most_side);
  const Group& color = picture.groups.front();
  check_count(format, color.levels[size_t(options.level)], components_of_tga(color).size());
}

Encoded encode_tga(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (!is_encodable(picture, options)) {
    const Picture working = working_copy(picture, Depth::f32);
    return encode_tga({.picture = &working, .base = source.base}, options);
  }
  Encoded encoded;
  Losses losses;
  const std::vector<size_t> components = components_of_tga(picture.groups.front());
  const Pixels pixels = pixels_of(source, options.level, components, options, losses);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(picture, "tga", encoded.warnings);
  if (options.transfer != Transfer::srgb && !picture.groups.front().is_data)
    encoded.warnings.push_back("tga records no transfer curve; programs will take the values as sRGB");
  File file;
  if (!stbi_write_tga_to_func(append, &file, pixels.size.width, pixels.size.height, int(components.size()),
                              pixels.numbers.data()))
    fail(Exit::output, "tga: stb_image_write cannot encode the image");
  encoded.bytes = bytes_of_file(std::move(file));
  return encoded;
}

}  // namespace gpupost
