// KTX 2.0; its data format descriptor as Khronos' Data Format Specification 1.3 has it.
#include "core/base/math.h"
#include "core/base/threads.h"
#include "core/codec/common/little.h"
#include "core/codec/texture/ktx2_header.h"
#include "core/codec/texture/supercompression.h"
#include "core/codec/texture/texture.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace gpupost {
namespace {

constexpr std::string_view identifier = "\xabKTX 20\xbb\r\n\x1a\n";

constexpr size_t descriptor_header_bytes = 24, sample_bytes = 16;
constexpr uint8_t sample_is_linear = 0x10, sample_is_float = 0x80, sample_is_signed = 0x40;
constexpr std::array<uint8_t, 4> sample_channels{0, 1, 2, 15};  // red, green, blue, alpha
constexpr uint32_t float_minus_one = 0xbf800000, float_one = 0x3f800000;

// Describes one component of a texel.
void put_sample(std::vector<std::byte>& descriptor, const TexelFormat& texel, size_t component) {
  const size_t bits = 8 * bytes_of(texel.depth);
  const bool is_alpha = component == 3;
  uint8_t channel = sample_channels[component];
  if (is_float(texel.depth)) channel |= sample_is_float | sample_is_signed;
  if (is_alpha && texel.transfer == Transfer::srgb) channel |= sample_is_linear;
  put(descriptor, uint16_t(component * bits));
  put(descriptor, uint8_t(bits - 1));
  put(descriptor, channel);
  put(descriptor, uint32_t(0));  // sample position
  put(descriptor, is_float(texel.depth) ? float_minus_one : 0);
  put(descriptor, is_float(texel.depth) ? float_one : (1u << bits) - 1);
}

// Describes `bits` bits of a block from bit `offset` on.
void put_block_sample(std::vector<std::byte>& descriptor, size_t offset, size_t bits, uint8_t channel) {
  const bool is_float = (channel & sample_is_float) != 0;
  put(descriptor, uint16_t(offset));
  put(descriptor, uint8_t(bits - 1));
  put(descriptor, channel);
  put(descriptor, uint32_t(0));  // sample position
  put(descriptor, uint32_t(0));
  put(descriptor, is_float ? float_one : UINT32_MAX);
}

size_t sample_count_of(const TexelFormat& texel) {
  if (!texel.has_blocks()) return texel.component_count;
  return texel.blocks == BlockFormat::bc3 || texel.blocks == BlockFormat::bc5 ? 2 : 1;
}

void put_samples(std::vector<std::byte>& descriptor, const TexelFormat& texel) {
  const uint8_t alpha = uint8_t(15 | (texel.transfer == Transfer::srgb ? sample_is_linear : 0));
  switch (texel.blocks) {
    case BlockFormat::none:
      for (size_t component = 0; component < texel.component_count; ++component)
        put_sample(descriptor, texel, component);
      return;
    case BlockFormat::bc3: put_block_sample(descriptor, 0, 64, alpha); return put_block_sample(descriptor, 64, 64, 0);
    case BlockFormat::bc5: put_block_sample(descriptor, 0, 64, 0); return put_block_sample(descriptor, 64, 64, 1);
    case BlockFormat::bc6h: return put_block_sample(descriptor, 0, 128, sample_is_float);
    default: return put_block_sample(descriptor, 0, 8 * block_bytes_of(texel.blocks), 0);
  }
}

// The color model of the descriptor.
uint8_t model_of(BlockFormat blocks) {
  return blocks == BlockFormat::none ? ktx2::model_rgbsda
                                     : uint8_t(ktx2::model_bc1 + int(blocks) - int(BlockFormat::bc1));
}

// The data format descriptor: one basic block.
std::vector<std::byte> descriptor_of(const Texture& texture) {
  const TexelFormat& texel = texture.texel;
  const size_t block_bytes = descriptor_header_bytes + sample_bytes * sample_count_of(texel);
  std::vector<std::byte> descriptor;
  put(descriptor, uint32_t(4 + block_bytes));
  put(descriptor, uint32_t(0));  // by Khronos, a basic block
  put(descriptor, uint16_t(2));  // of version 1.3
  put(descriptor, uint16_t(block_bytes));
  put(descriptor, model_of(texel.blocks));
  put(descriptor, texture.has_primaries ? ktx2::primaries_bt709 : ktx2::primaries_unspecified);
  put(descriptor, texel.transfer == Transfer::srgb ? ktx2::transfer_srgb : ktx2::transfer_linear);
  put(descriptor, texture.is_premultiplied ? ktx2::alpha_premultiplied : uint8_t(0));
  put(descriptor, texel.has_blocks() ? ktx2::four_by_four : ktx2::one_texel);
  // bytesPlane0. Early revisions of the specification want 0 here in files with supercompression.
  put(descriptor, uint64_t(texel.unit_bytes()));
  put_samples(descriptor, texel);
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
    layout.file_bytes = round_up(layout.file_bytes, std::lcm(size_t(4), texture.texel.unit_bytes()));
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
  // bytes of a number whose order differs between machines
  put(header, uint32_t(texture.texel.has_blocks() ? 1 : bytes_of(texture.texel.depth)));
  put(header, uint32_t(texture.size.width));
  put(header, uint32_t(texture.size.height));
  put(header, uint32_t(0));  // depth
  put(header, uint32_t(texture.arrangement == Arrangement::array ? texture.image_count : 0));
  put(header, uint32_t(texture.arrangement == Arrangement::cube ? texture.image_count : 1));
  put(header, uint32_t(texture.level_count));
  put(header, uint32_t(Supercompression::none));
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

// Each level is compressed with all of its images. Compressed levels follow each other without padding.
TexelBuffer supercompressed_ktx2(const Texture& texture, const TextureLayout& layout, Bytes file,
                                 Supercompression supercompression, int effort) {
  std::vector<TexelBuffer> levels(size_t(texture.level_count));
  parallel_ranges(texture.level_count, 1, [&](int begin, int end) {
    for (int level = begin; level < end; ++level) {
      const size_t bytes = size_t(texture.image_count) * texture.level_bytes(level);
      levels[size_t(level)] = compressed(file.subspan(layout.offsets[size_t(level)], bytes), supercompression, effort);
    }
  });
  size_t file_bytes = layout.header.size();
  for (const TexelBuffer& level : levels) file_bytes += level.size();
  TexelBuffer made(file_bytes);
  const auto set = [&](size_t at, auto number) { std::memcpy(made.data() + at, &number, sizeof number); };
  std::ranges::copy(layout.header, made.data());
  set(ktx2::supercompression_at, uint32_t(supercompression));
  size_t offset = layout.header.size();
  for (size_t level = levels.size(); level-- > 0;) {
    const Bytes bytes = levels[level].bytes();
    const size_t entry = ktx2::header_bytes + ktx2::level_entry_bytes * level;
    set(entry, uint64_t(offset));
    set(entry + 8, uint64_t(bytes.size()));
    std::ranges::copy(bytes, made.data() + offset);
    offset += bytes.size();
  }
  return made;
}

}  // namespace gpupost
