// KTX File Format Specification 2.0; the data format descriptor as Khronos' Data Format Specification 1.3 has it.
#include "core/codec/texture/ktx2_header.h"
#include "core/codec/texture/read.h"
#include "core/codec/texture/supercompression.h"

#include <algorithm>
#include <array>

namespace gpupost {
namespace {

// Primaries of the data format descriptor that differ from Rec. 709; nothing for Rec. 709, and for numbers without a name here.
std::optional<Primaries> primaries_of(uint8_t number) {
  switch (number) {
    case 4: return rec2020;
    case 6: return ap0;
    case 7: return ap1;
    case 10: return p3_d65;
    case 11: return adobe_rgb;
    default: return {};
  }
}

// The basic block of the data format descriptor, if there is one.
void take_descriptor(Bytes file, StoredTexture& texture) {
  constexpr size_t block_at = 4, least_bytes = 28;
  const uint32_t offset = little_at<uint32_t>(file, 48), bytes = little_at<uint32_t>(file, 52);
  if (bytes == 0) return;
  if (bytes < least_bytes || offset < ktx2::header_bytes)
    fail(Exit::input, "its data format descriptor has {} bytes from byte {} on; expected at least {} behind the header",
         bytes, offset, least_bytes);
  const Bytes descriptor = part_of(file, offset, bytes);
  if (little_at<uint32_t>(descriptor, block_at) != 0) return;  // of another vendor or kind
  const uint8_t primaries = byte_at(descriptor, 13), transfer = byte_at(descriptor, 14),
                flags = byte_at(descriptor, 15);
  if (flags & ktx2::alpha_premultiplied) texture.alpha = Alpha::premultiplied_light;
  if (const auto other = primaries_of(primaries)) texture.colors.chromaticities = chromaticities_of(*other);
  else if (primaries > ktx2::primaries_bt709)
    texture.colors.warnings.push_back(
        fmt::format("its primaries (number {} of the data format descriptor) are not supported; without "
                    "--input-primaries, they are taken as Rec. 709",
                    primaries));
  const bool is_float_texel = is_float(texture.texel.depth);
  switch (transfer) {
    case ktx2::transfer_unspecified:
    case ktx2::transfer_linear: break;
    case ktx2::transfer_srgb:
      if (!is_float_texel) texture.colors.transfer = Transfer::srgb;
      break;
    case ktx2::transfer_itu:
      if (!is_float_texel) texture.colors.transfer = Transfer::bt709;
      break;
    default:
      texture.colors.warnings.push_back(
          fmt::format("its transfer function (number {} of the data format descriptor) is not supported; without "
                      "--input-transfer, it is taken as {}",
                      transfer, texture.colors.transfer == Transfer::srgb ? "sRGB" : "linear"));
  }
}

// "rd" is the usual one: x to the right, y down. An image of one row may have only the first letter.
void take_orientation(std::string_view text, StoredTexture& texture) {
  const bool is_left = text.starts_with('l'), is_up = text.size() > 1 && text[1] == 'u';
  texture.orientation = is_up ? (is_left ? 3 : 4) : (is_left ? 2 : 1);
}

// Applies a swizzle: four letters for R, G, B and alpha of a sampled texel. Each is a component (r, g, b or a), 0 or 1.
void take_swizzle(std::string_view text, StoredTexture& texture) {
  const size_t count = texture.texel.component_count;
  constexpr std::array<std::string_view, 4> usual{"r001", "rg01", "rgb1", "rgba"};
  std::string shown(text);  // components that a texel lacks are sampled as 0, alpha as 1
  for (char& letter : shown)
    if (const size_t component = usual.back().find(letter); component != text.npos && component >= count)
      letter = letter == 'a' ? '1' : '0';
  if (shown == usual[count - 1] || (count == 1 && shown == "rrr1")) return;
  if (count == 2 && shown == "rrrg") texture.is_luminance_alpha = true;
  else if (count == 4 && shown == "rgb1") texture.is_opaque = true;
  else texture.colors.warnings.push_back("its KTXswizzle, which exchanges components, is ignored");
}

// Pairs of a length, a key and a value, which are filled up to four bytes.
void take_key_values(Bytes file, StoredTexture& texture) {
  const uint32_t offset = little_at<uint32_t>(file, 56), bytes = little_at<uint32_t>(file, 60);
  if (bytes == 0) return;
  const Bytes pairs = part_of(file, offset, bytes);
  for (size_t at = 0; at < pairs.size();) {
    const size_t left = pairs.size() - at;
    const uint32_t count = left < 4 ? 0 : little_at<uint32_t>(pairs, at);
    if (left < 4 || count > left - 4)
      fail(Exit::input, "its keys and values end at byte {}, within a pair", uint64_t(offset) + bytes);
    const std::string_view pair = text_of(part_of(pairs, at + 4, count));
    const size_t end_of_key = pair.find('\0');
    if (end_of_key == pair.npos) fail(Exit::input, "its key at byte {} has no end", offset + at + 4);
    const std::string_view key = pair.substr(0, end_of_key);
    std::string_view value = pair.substr(end_of_key + 1);
    value = value.substr(0, value.find('\0'));
    if (key == "KTXorientation") take_orientation(value, texture);
    if (key == "KTXswizzle") take_swizzle(value, texture);
    at += 4 + (size_t(count) + 3) / 4 * 4;
  }
}

// Checks the sizes of the levels, that they begin behind everything else, and that they do not overlap.
void check_levels(Bytes file, const StoredTexture& texture) {
  const size_t index_bytes = ktx2::level_entry_bytes * texture.level_count;
  part_of(file, ktx2::header_bytes, index_bytes);
  uint64_t first = ktx2::header_bytes + index_bytes;
  for (const size_t range : {size_t(48), size_t(56)}) {  // of the descriptor, and of keys and values
    const auto offset = little_at<uint32_t>(file, range), bytes = little_at<uint32_t>(file, range + 4);
    if (bytes > 0) first = std::max(first, uint64_t(offset) + bytes);
  }
  std::vector<std::array<uint64_t, 3>> levels;  // offset, bytes, number
  for (uint32_t level = 0; level < texture.level_count; ++level) {
    const size_t entry = ktx2::header_bytes + ktx2::level_entry_bytes * level;
    const auto offset = little_at<uint64_t>(file, entry), bytes = little_at<uint64_t>(file, entry + 8);
    const uint64_t expected = texture.image_count * texture.level_bytes(int(level));
    const bool is_packed = texture.supercompression != Supercompression::none;
    const uint64_t claimed = is_packed ? little_at<uint64_t>(file, entry + 16) : bytes;
    if (claimed != expected) fail(Exit::input, "its level {} has {} bytes; expected {}", level, claimed, expected);
    if (is_packed) part_of(file, offset, bytes);
    if (offset < first)
      fail(Exit::input, "its level {} begins at byte {}, inside of the header, which ends at byte {}", level, offset,
           first);
    levels.push_back({offset, bytes, level});
  }
  std::ranges::sort(levels);
  for (size_t i = 1; i < levels.size(); ++i)
    if (levels[i][0] - levels[i - 1][0] < levels[i - 1][1])
      fail(Exit::input, "its levels {} and {} overlap at byte {}", levels[i - 1][2], levels[i][2], levels[i][0]);
}

// Throws Error(Exit::input) unless the scheme is one that is read.
Supercompression supercompression_of(uint32_t scheme) {
  const auto found = Supercompression(scheme);
  if (found == Supercompression::none || levels_of(found).most > 0) return found;
  fail(Exit::input, "is compressed with {}; expected no supercompression, Zstandard or ZLIB",
       found == Supercompression::basis_lz ? "BasisLZ of Basis Universal" : fmt::format("scheme {}", scheme));
}

[[noreturn]] void refuse_format(Bytes file, uint32_t format) {
  const bool is_uastc = format == 0 && byte_at(file, size_t(little_at<uint32_t>(file, 48)) + 12) == ktx2::model_uastc;
  fail(Exit::input,
       "has {}; expected R, RG, RGB or RGBA of unsigned integers of 8 or 16 bits, half or float, or BC1 to BC7",
       is_uastc ? "UASTC blocks of Basis Universal" : fmt::format("Vulkan format {}", format));
}

}  // namespace

Decoded read_ktx2(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  part_of(file, 0, ktx2::header_bytes);
  const auto word = [&](size_t index) { return little_at<uint32_t>(file, 12 + 4 * index); };
  const uint32_t format = word(0), width = word(2), depth = word(4), layers = word(5), faces = word(6);
  const uint32_t height = word(3) == 0 ? 1 : word(3);  // 0 for an image of one row
  const Supercompression supercompression = supercompression_of(word(8));
  const TexelFormat* texel = texel_format_of_vulkan(format);
  if (!texel) refuse_format(file, format);
  if (depth > 1) fail(Exit::input, "is a volume of {} slices; expected an image of two dimensions", depth);
  if (faces != 1 && faces != 6) fail(Exit::input, "has {} faces; expected 1 or 6", faces);
  StoredTexture texture{.format = "ktx2",
                        .texel = *texel,
                        .level_count = std::max(word(7), 1u),
                        .image_count = uint64_t(std::max(layers, 1u)) * faces,
                        .is_cube = faces == 6,
                        .supercompression = supercompression};
  texture.colors.transfer = texel->transfer;
  check_counts(texture, width, height, options.limits);
  texture.size = {int(width), int(height)};
  take_descriptor(file, texture);
  take_key_values(file, texture);
  check_levels(file, texture);
  const auto entry = [file](int level, size_t at) {
    return little_at<uint64_t>(file, ktx2::header_bytes + ktx2::level_entry_bytes * size_t(level) + at);
  };
  const bool is_packed = supercompression != Supercompression::none;
  texture.offset_of = [&texture, is_packed, entry](uint64_t image, int level) {
    const uint64_t start = is_packed ? 0 : entry(level, 0), beyond = image * texture.level_bytes(level);
    return start > UINT64_MAX - beyond ? UINT64_MAX : start + beyond;
  };
  if (is_packed)
    texture.decompressed_level = [&texture, file, entry](int level) {
      return decompressed(part_of(file, entry(level, 0), entry(level, 8)), texture.supercompression,
                          texture.image_count * texture.level_bytes(level), level);
    };
  return read_texture(file, texture, options, lend);
}

}  // namespace gpupost
