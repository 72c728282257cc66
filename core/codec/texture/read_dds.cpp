// Microsoft's "Programming Guide for DDS": files with the DX10 header, and older ones with masks.
#include "core/base/printable.h"
#include "core/codec/texture/dds_header.h"
#include "core/codec/texture/read.h"

#include <algorithm>
#include <bit>

namespace gpupost {
namespace {

[[noreturn]] void refuse_format(const std::string& found) {
  fail(Exit::input,
       "has {}; expected R, RG, RGB or RGBA of unsigned integers of 8 or 16 bits, half or float, or BC1 to BC7 (not "
       "typeless)",
       found);
}

void take_dx10(Bytes file, StoredTexture& texture) {
  part_of(file, dds::header_bytes, dds::dx10_bytes);
  const auto word = [&](size_t index) { return little_at<uint32_t>(file, dds::header_bytes + 4 * index); };
  const TexelFormat* texel = texel_format_of_dxgi(word(0));
  if (!texel) refuse_format(fmt::format("DXGI_FORMAT {}", word(0)));
  if (word(1) != dds::dimension_2d) fail(Exit::input, "is not an image of two dimensions");
  texture.texel = *texel;
  texture.is_cube = (word(2) & dds::misc_cube) != 0;
  texture.image_count = uint64_t(word(3)) * (texture.is_cube ? 6 : 1);
  const uint32_t alpha_mode = word(4) & 7;
  texture.is_opaque = alpha_mode == dds::alpha_opaque;
  texture.alpha_is_data = alpha_mode == dds::alpha_custom;
  if (alpha_mode == dds::alpha_premultiplied) texture.alpha = Alpha::premultiplied_light;
  texture.colors.transfer = texel->transfer;
}

// Blocks of headers without DXGI_FORMAT, by their names. As for other color of 8 bits, these do not tell the curve.
struct BlockName {
  std::string_view name;
  BlockFormat blocks;
  Alpha alpha = Alpha::straight;
  bool is_signed = false;
};
constexpr BlockName block_names[] = {
    {"DXT1", BlockFormat::bc1},
    {"DXT2", BlockFormat::bc2, Alpha::premultiplied},
    {"DXT3", BlockFormat::bc2},
    {"DXT4", BlockFormat::bc3, Alpha::premultiplied},
    {"DXT5", BlockFormat::bc3},
    {"ATI1", BlockFormat::bc4},
    {"BC4U", BlockFormat::bc4},
    {"BC4S", BlockFormat::bc4, Alpha::straight, true},
    {"ATI2", BlockFormat::bc5},
    {"BC5U", BlockFormat::bc5},
    {"BC5S", BlockFormat::bc5, Alpha::straight, true},
};

// Numbers of D3DFORMAT that stand in the place of a name.
const TexelFormat* texel_format_of_d3d(uint32_t number) {
  switch (number) {
    case 36: return texel_format_of(Depth::u16, Transfer::linear, 4);
    case 111: return texel_format_of(Depth::half, Transfer::linear, 1);
    case 112: return texel_format_of(Depth::half, Transfer::linear, 2);
    case 113: return texel_format_of(Depth::half, Transfer::linear, 4);
    case 114: return texel_format_of(Depth::f32, Transfer::linear, 1);
    case 115: return texel_format_of(Depth::f32, Transfer::linear, 2);
    case 116: return texel_format_of(Depth::f32, Transfer::linear, 4);
    default: return nullptr;
  }
}

// Components of 8 bits that masks describe.
void take_masks(Bytes file, uint32_t flags, StoredTexture& texture) {
  const uint32_t bits = little_at<uint32_t>(file, 88);
  const auto mask = [&](size_t component) { return little_at<uint32_t>(file, 92 + 4 * component); };
  const uint32_t alpha = flags & dds::pixel_alpha ? mask(3) : 0;
  const auto has = [&](uint32_t red, uint32_t green, uint32_t blue) {
    return mask(0) == red && mask(1) == green && mask(2) == blue;
  };
  TexelFormat& texel = texture.texel;
  texel = {.depth = Depth::u8, .transfer = Transfer::srgb, .component_count = bits / 8};
  const bool is_luminance = (flags & dds::pixel_luminance) != 0, is_rgb = (flags & dds::pixel_rgb) != 0;
  const bool is_gray = is_luminance || (is_rgb && mask(1) == 0 && mask(2) == 0);
  if (is_gray && bits == 8 && mask(0) == 0xff && alpha == 0) return;
  if (is_gray && bits == 16 && mask(0) == 0xff && alpha == 0xff00) {
    texture.is_luminance_alpha = true;
    return;
  }
  if (is_gray && bits == 16 && mask(0) == 0xffff && alpha == 0) {
    texel = *texel_format_of(Depth::u16, Transfer::linear, 1);
    return;
  }
  if (is_rgb && bits == 32 && has(0xffff, 0xffff0000, 0) && alpha == 0) {  // D3DFMT_G16R16
    texel = *texel_format_of(Depth::u16, Transfer::linear, 2);
    return;
  }
  const bool is_whole = (bits == 24 && alpha == 0) || (bits == 32 && (alpha == 0 || alpha == 0xff000000));
  if (is_rgb && is_whole && has(0xff, 0xff00, 0xff0000)) texel.order = ComponentOrder::rgba;
  else if (is_rgb && is_whole && has(0xff0000, 0xff00, 0xff)) texel.order = ComponentOrder::bgra;
  else
    fail(Exit::input,
         "has a pixel format of {} bits with flags {:#x} and masks {:#x}, {:#x}, {:#x} and, for alpha, {:#x}; expected "
         "RGB (flag 0x40) of 8 bits each, with or without alpha, R and G of 16, or gray (flag 0x20000) of 8 or 16",
         bits, flags, mask(0), mask(1), mask(2), mask(3));
  texture.is_opaque = alpha == 0;
}

void take_pixel_format(Bytes file, StoredTexture& texture) {
  const uint32_t flags = little_at<uint32_t>(file, 80), number = little_at<uint32_t>(file, 84);
  if (!(flags & dds::pixel_four_cc)) return take_masks(file, flags, texture);
  const std::string_view name = text_of(part_of(file, 84, 4));
  if (const auto row = std::ranges::find(block_names, name, &BlockName::name); row != std::end(block_names)) {
    const bool is_color = row->blocks < BlockFormat::bc4;
    texture.texel = *texel_format_of(row->blocks, is_color ? Transfer::srgb : Transfer::linear, row->is_signed);
    texture.alpha = row->alpha;
    return;
  }
  const TexelFormat* texel = texel_format_of_d3d(number);
  if (!texel) {
    refuse_format(number < 256 ? fmt::format("D3DFORMAT {}", number)
                               : fmt::format("the format \"{}\"", printable(name)));
  }
  texture.texel = *texel;
}

void take_old_header(Bytes file, StoredTexture& texture) {
  take_pixel_format(file, texture);
  texture.colors.transfer = texture.texel.transfer;
  const uint32_t caps2 = little_at<uint32_t>(file, 112);
  if (caps2 & dds::caps2_volume) fail(Exit::input, "is a volume; expected an image of two dimensions");
  if (!(caps2 & dds::caps2_cube)) return;
  texture.image_count = uint64_t(std::popcount(caps2 & dds::caps2_faces));
  texture.is_cube = texture.image_count == 6;  // else some faces are missing
}

}  // namespace

Decoded read_dds(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  part_of(file, 0, dds::header_bytes);
  const auto word = [&](size_t index) { return little_at<uint32_t>(file, 4 * index); };
  const bool has_dx10 = (word(20) & dds::pixel_four_cc) != 0 && starts_with(file.subspan(84), "DX10");
  StoredTexture texture{.format = "dds"};
  texture.level_count = std::max(word(7), 1u);  // some writers do not set the flag that it is there
  if (has_dx10) take_dx10(file, texture);
  else take_old_header(file, texture);
  check_counts(texture, word(4), word(3), options.limits);
  texture.size = {int(word(4)), int(word(3))};
  std::vector<uint64_t> offsets;  // of the levels of an image
  uint64_t image_bytes = 0;
  for (uint32_t level = 0; level < texture.level_count; ++level) {
    offsets.push_back(image_bytes);
    image_bytes += texture.level_bytes(int(level));
  }
  const uint64_t start = dds::header_bytes + (has_dx10 ? dds::dx10_bytes : 0);
  texture.offset_of = [offsets, image_bytes, start](uint64_t image, int level) {
    return start + image * image_bytes + offsets[size_t(level)];
  };
  if (texture.texel.blocks == BlockFormat::bc1) texture.texel.component_count = 4;  // it may have alpha
  return read_texture(file, texture, options, lend);
}

}  // namespace gpupost
