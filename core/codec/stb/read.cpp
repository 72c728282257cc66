// PNG, JPEG, BMP, TGA and Radiance to a picture, by stb_image, after a check of its own for each.
#include "core/codec/common/reader.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/checked_file.h"

#include <stb_image.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace gpupost {

namespace {

struct Checker {
  std::string_view format;
  Checked (*check)(Bytes, const Limits&);
};
constexpr Checker checkers[] = {
    {"png", check_png}, {"jpg", check_jpeg}, {"bmp", check_bmp}, {"tga", check_tga}, {"hdr", check_hdr}};

struct Texels {
  std::unique_ptr<void, void (*)(void*)> data;
  Size size;
  int channels = 0;  // in the file; the texels have four
};

Texels load(Bytes file, Depth depth) {
  if (file.size() > size_t(std::numeric_limits<int>::max()))
    fail(Exit::input, "has {} bytes; at most {}", file.size(), std::numeric_limits<int>::max());
  Texels texels{.data = {nullptr, stbi_image_free}, .size = {}, .channels = 0};
  const auto load_with = [&](auto* function) {
    return static_cast<void*>(
        function(unsigned_bytes(file), int(file.size()), &texels.size.width, &texels.size.height, &texels.channels, 4));
  };
  texels.data.reset(depth == Depth::f32   ? load_with(stbi_loadf_from_memory)
                    : depth == Depth::u16 ? load_with(stbi_load_16_from_memory)
                                          : load_with(stbi_load_from_memory));
  if (!texels.data) fail(Exit::input, "cannot be decoded: {}", stbi_failure_reason());
  return texels;
}

Group group_of(int channels, Depth depth) {
  Group group;
  group.depth = depth;
  group.is_color = true;
  group.is_luminance = channels <= 2;
  constexpr std::string_view names[4] = {"R", "G", "B", "A"};
  const bool has_alpha = channels == 2 || channels == 4;
  for (size_t i = 0; i < (has_alpha ? 4 : 3); ++i)
    if (!group.is_luminance || i == 3) group.channels[i] = {.name = std::string(names[i]), .depth = depth};
  if (group.is_luminance) group.channels[0] = {.name = std::string("Y"), .depth = depth};
  return group;
}

// As an EXR has it, byte for byte.
Attribute attribute_of(const Chromaticities& chromaticities) {
  Attribute attribute{.name = "chromaticities", .type = "chromaticities"};
  attribute.value.resize(sizeof chromaticities);
  std::memcpy(attribute.value.data(), chromaticities.data(), sizeof chromaticities);
  return attribute;
}

}  // namespace

Decoded read_with_stb(Bytes file, const Format& format, const DecodeOptions& options, const TexelAllocator& lend) {
  if (!options.part.empty()) fail(Exit::input, "has no part {}; a {} has none", options.part, format.name);
  if (!options.layer.empty()) fail(Exit::input, "has no layer {}; a {} has none", options.layer, format.name);
  if (options.level != 0) fail(Exit::input, "has no level {}; a {} has level 0 alone", options.level, format.name);
  const auto checker = std::ranges::find(checkers, format.name, &Checker::format);
  Checked checked = checker->check(file, options.limits);
  const Depth depth = format.name == "hdr" ? Depth::f32 : checked.is_16_bit ? Depth::u16 : Depth::u8;
  const size_t bytes = texel_count(checked.size) * 4 * bytes_of(depth);
  check_decoded_bytes(bytes, options.limits);

  const Texels texels = load(checked.rewritten.empty() ? file : Bytes(checked.rewritten), depth);
  if (texels.size != checked.size)
    fail(Exit::input, "is of {} x {} texels once, and of {} x {} then", checked.size.width, checked.size.height,
         texels.size.width, texels.size.height);
  Level level{.size = texels.size, .texels = lend(bytes)};
  std::memcpy(level.texels.data(), texels.data.get(), bytes);

  Decoded decoded{.warnings = std::move(checked.colors.warnings)};
  Picture& picture = decoded.picture;
  picture.format = format.name;
  picture.data_window = picture.display_window = window_of(texels.size);
  picture.transfer = is_float(depth) ? Transfer::linear : checked.colors.transfer;
  picture.exponent = checked.colors.exponent;
  picture.alpha = is_float(depth) ? Alpha::premultiplied : Alpha::straight;
  picture.groups.push_back(group_of(texels.channels, depth));
  picture.groups[0].levels.push_back(std::move(level));
  if (checked.colors.chromaticities && !picture.groups[0].is_luminance)
    picture.attributes.push_back(attribute_of(*checked.colors.chromaticities));
  return decoded;
}

}  // namespace gpupost
