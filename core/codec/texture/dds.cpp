// DDS with the DX10 header, as Microsoft's "Programming Guide for DDS" has it.
#include "core/codec/common/little.h"
#include "core/codec/texture/dds_header.h"
#include "core/codec/texture/texture.h"

namespace gpupost {
namespace {

void put_zeros(std::vector<std::byte>& header, size_t count) {
  for (size_t i = 0; i < count; ++i) put(header, uint32_t(0));
}

uint32_t alpha_mode_of(const Texture& texture) {
  if (!texture.has_alpha) return dds::alpha_opaque;
  if (texture.is_data) return dds::alpha_custom;
  return texture.is_premultiplied ? dds::alpha_premultiplied : dds::alpha_straight;
}

std::vector<std::byte> header_of(const Texture& texture) {
  const bool is_cube = texture.arrangement == Arrangement::cube;
  const uint32_t caps =
      dds::caps_texture | (texture.level_count > 1 ? dds::caps_mip_mapped : 0) | (is_cube ? dds::caps_complex : 0);
  std::vector<std::byte> header;
  put_text(header, "DDS ");
  put(header, uint32_t(124));  // bytes of the header
  put(header, dds::has_all_fields | (texture.texel.has_blocks() ? dds::has_level_bytes : dds::has_pitch));
  put(header, uint32_t(texture.size.height));
  put(header, uint32_t(texture.size.width));
  put(header, uint32_t(texture.texel.has_blocks() ? texture.level_bytes(0)
                                                  : size_t(texture.size.width) * texture.texel.texel_bytes()));
  put(header, uint32_t(1));  // depth
  put(header, uint32_t(texture.level_count));
  put_zeros(header, 11);
  put(header, uint32_t(32));  // bytes of the pixel format
  put(header, dds::pixel_four_cc);
  put_text(header, "DX10");
  put_zeros(header, 5);
  put(header, caps);
  put(header, is_cube ? dds::caps2_cube | dds::caps2_faces : 0);
  put_zeros(header, 3);
  put(header, texture.texel.dxgi);
  put(header, dds::dimension_2d);
  put(header, is_cube ? dds::misc_cube : 0);
  put(header, uint32_t(is_cube ? 1 : texture.image_count));  // number of cubes, not of faces
  put(header, alpha_mode_of(texture));
  return header;
}

}  // namespace

// Images in order, each with its levels from level 0.
TextureLayout dds_layout(const Texture& texture) {
  TextureLayout layout{.header = header_of(texture)};
  layout.file_bytes = layout.header.size();
  for (int image = 0; image < texture.image_count; ++image) {
    for (int level = 0; level < texture.level_count; ++level) {
      layout.offsets.push_back(layout.file_bytes);
      layout.file_bytes += texture.level_bytes(level);
    }
  }
  return layout;
}

}  // namespace gpupost
