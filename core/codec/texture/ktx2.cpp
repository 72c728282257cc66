// KTX 2.0 without supercompression; its data format descriptor as Khronos' Data Format Specification 1.3 has it.
#include "core/base/math.h"
#include "core/codec/common/little.h"
#include "core/codec/texture/ktx2_header.h"
#include "core/codec/texture/texture.h"

#include <array>
#include <numeric>

namespace gpupost {
namespace {

constexpr std::string_view identifier = "\xabKTX 20\xbb\r\n\x1a\n";

constexpr size_t descriptor_header_bytes = 24, sample_bytes = 16;
constexpr uint8_t sample_is_linear = 0x10, sample_is_signed_float = 0xc0;
constexpr std::array<uint8_t, 4> sample_channels{0, 1, 2, 15};  // red, green, blue, alpha
constexpr uint32_t float_minus_one = 0xbf800000, float_one = 0x3f800000;

// Describes one component of a texel.
void put_sample(std::vector<std::byte>& descriptor, const TexelFormat& texel, size_t component) {
  const size_t bits = 8 * bytes_of(texel.depth);
  const bool is_alpha = component == 3;
  uint8_t channel = sample_channels[component];
  if (is_float(texel.depth)) channel |= sample_is_signed_float;
  if (is_alpha && texel.transfer == Transfer::srgb) channel |= sample_is_linear;
  put(descriptor, uint16_t(component * bits));
  put(descriptor, uint8_t(bits - 1));
  put(descriptor, channel);
  put(descriptor, uint32_t(0));  // sample position
  put(descriptor, is_float(texel.depth) ? float_minus_one : 0);
  put(descriptor, is_float(texel.depth) ? float_one : (1u << bits) - 1);
}

// The data format descriptor: one basic block.
std::vector<std::byte> descriptor_of(const Texture& texture) {
  const TexelFormat& texel = texture.texel;
  const size_t block_bytes = descriptor_header_bytes + sample_bytes * texel.component_count;
  std::vector<std::byte> descriptor;
  put(descriptor, uint32_t(4 + block_bytes));
  put(descriptor, uint32_t(0));  // by Khronos, a basic block
  put(descriptor, uint16_t(2));  // of version 1.3
  put(descriptor, uint16_t(block_bytes));
  put(descriptor, ktx2::model_rgbsda);
  put(descriptor, texture.has_primaries ? ktx2::primaries_bt709 : ktx2::primaries_unspecified);
  put(descriptor, texel.transfer == Transfer::srgb ? ktx2::transfer_srgb : ktx2::transfer_linear);
  put(descriptor, texture.is_premultiplied ? ktx2::alpha_premultiplied : uint8_t(0));
  put(descriptor, uint32_t(0));              // a block of texels has one, and that is written as 0
  put(descriptor, uint64_t(texel.bytes()));  // of plane 0, the only one
  for (size_t component = 0; component < texel.component_count; ++component) put_sample(descriptor, texel, component);
  return descriptor;
}

void put_pair(std::vector<std::byte>& pairs, std::string_view key, std::string_view value) {
  constexpr size_t terminator = 1;
  put(pairs, uint32_t(key.size() + value.size() + 2 * terminator));
  put_text(pairs, key);
  put(pairs, '\0');
  put_text(pairs, value);
  put(pairs, '\0');
  pairs.resize(round_up(pairs.size(), size_t(4)));
}

// Keys and values, sorted by key. The swizzle says that the fourth component is no alpha.
std::vector<std::byte> key_values(const Texture& texture) {
  std::vector<std::byte> pairs;
  put_pair(pairs, "KTXorientation", "rd");
  if (texture.texel.component_count == 4 && !texture.has_alpha) put_pair(pairs, "KTXswizzle", "rgb1");
  put_pair(pairs, "KTXwriter", "gpupost " GPUPOST_VERSION);
  return pairs;
}

// Positions of level data: the smallest level first, with all images in each level.
void place_levels(const Texture& texture, TextureLayout& layout) {
  const auto level_count = size_t(texture.level_count), image_count = size_t(texture.image_count);
  layout.offsets.resize(level_count * image_count);
  for (size_t level = level_count; level-- > 0;) {
    layout.file_bytes = round_up(layout.file_bytes, std::lcm(size_t(4), texture.texel.bytes()));
    for (size_t image = 0; image < image_count; ++image) {
      layout.offsets[image * level_count + level] = layout.file_bytes;
      layout.file_bytes += texture.level_bytes(int(level));
    }
  }
}

void put_level_index(const Texture& texture, TextureLayout& layout) {
  for (int level = 0; level < texture.level_count; ++level) {
    const uint64_t bytes = uint64_t(texture.image_count) * texture.level_bytes(level);
    put(layout.header, uint64_t(layout.offsets[size_t(level)]));
    put(layout.header, bytes);
    put(layout.header, bytes);  // uncompressed
  }
}

}  // namespace

TextureLayout ktx2_layout(const Texture& texture) {
  const std::vector<std::byte> descriptor = descriptor_of(texture), pairs = key_values(texture);
  const size_t descriptor_at = ktx2::header_bytes + ktx2::level_entry_bytes * size_t(texture.level_count);
  const size_t pairs_at = descriptor_at + descriptor.size();
  TextureLayout layout{.file_bytes = pairs_at + pairs.size()};
  place_levels(texture, layout);

  std::vector<std::byte>& header = layout.header;
  put_text(header, identifier);
  put(header, texture.texel.vulkan);
  put(header, uint32_t(bytes_of(texture.texel.depth)));  // what a change of byte order would swap
  put(header, uint32_t(texture.size.width));
  put(header, uint32_t(texture.size.height));
  put(header, uint32_t(0));  // depth
  put(header, uint32_t(texture.arrangement == Arrangement::array ? texture.image_count : 0));
  put(header, uint32_t(texture.arrangement == Arrangement::cube ? texture.image_count : 1));
  put(header, uint32_t(texture.level_count));
  put(header, uint32_t(0));  // no supercompression
  put(header, uint32_t(descriptor_at));
  put(header, uint32_t(descriptor.size()));
  put(header, uint32_t(pairs_at));
  put(header, uint32_t(pairs.size()));
  put(header, uint64_t(0));  // supercompression has no global data
  put(header, uint64_t(0));
  put_level_index(texture, layout);
  header.insert(header.end(), descriptor.begin(), descriptor.end());
  header.insert(header.end(), pairs.begin(), pairs.end());
  return layout;
}

}  // namespace gpupost
