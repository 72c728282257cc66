// Writes PNG files.
#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/codec/common/little.h"
#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/parallel_deflate.h"
#include "core/codec/common/writer.h"
#include "core/codec/metadata/icc.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace gpupost {
namespace {

struct WrittenChunk {
  std::string_view type;
  Bytes data;
};

void put_big(std::byte* to, uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = std::byte(number >> (24 - 8 * i));
}

// Length, type, data and checksum, as PNG has them.
constexpr size_t chunk_overhead = 12;
void put_chunk(std::byte* to, const WrittenChunk& chunk) {
  put_big(to, uint32_t(chunk.data.size()));
  std::memcpy(to + 4, chunk.type.data(), 4);
  if (!chunk.data.empty()) std::memcpy(to + 8, chunk.data.data(), chunk.data.size());
  put_big(to + 8 + chunk.data.size(), libdeflate_crc32(0, to + 4, 4 + chunk.data.size()));
}

// Chunks that describe the encoding of color.
struct ColorChunk {
  std::string_view type;
  std::vector<std::byte> data;
  operator WrittenChunk() const { return {type, data}; }
};

std::vector<std::byte> bytes_of(std::initializer_list<int> numbers) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) bytes.push_back(std::byte(number));
  return bytes;
}

Primaries recorded_primaries(const Picture& picture) {
  return picture.groups.front().is_luminance ? rec709 : other_primaries(picture).value_or(rec709);
}

// Returns whether the primaries are recorded by a number.
bool needs_code(const EncodeOptions& options) {
  return options.is_tagged && (options.transfer == Transfer::pq || options.transfer == Transfer::hlg);
}

// cICP for PQ and HLG; sRGB with perceptual intent; gAMA of 1; an ICC profile; or none, if the encoding is not known.
std::vector<ColorChunk> color_chunks_of(const Picture& picture, const EncodeOptions& options) {
  if (!options.is_tagged) return {};
  const Transfer transfer = options.transfer;
  const bool is_gray = picture.groups.front().is_luminance;
  const Primaries primaries = recorded_primaries(picture);
  if (needs_code(options)) {
    return {{"cICP", bytes_of({*code_of(primaries), transfer == Transfer::pq ? 16 : 18, 0, 1})}};
  }
  if (are_same(primaries, rec709) && transfer == Transfer::srgb) return {{"sRGB", bytes_of({0})}};
  if (are_same(primaries, rec709)) return {{"gAMA", bytes_of({0, 1, 0x86, 0xa0})}};
  constexpr std::string_view head("ICC profile\0\0", 13);  // a name, and the one way of compression
  ColorChunk chunk{"iCCP", {}};
  put_text(chunk.data, head);
  const std::vector<std::byte> profile = profile_of(primaries, transfer, is_gray);
  const ZlibStream stream = zlib_compress(profile);
  for (const Bytes piece : stream.pieces) chunk.data.insert(chunk.data.end(), piece.begin(), piece.end());
  return {std::move(chunk)};
}

constexpr std::array<unsigned char, 8> first_bytes{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

// Writes rows with big-endian numbers after a filter byte: each byte minus that of the texel to the left (filter 1, Sub),
// which is best for run lengths. The texels have four numbers, of which the file gets `Count`.
template <class Number, size_t Count>
void write_rows(const Pixels& pixels, size_t begin, size_t end, std::byte* to) {
  const auto width = size_t(pixels.size.width);
  const auto* from = reinterpret_cast<const Number*>(pixels.numbers.data()) + 4 * width * begin;
  for (size_t y = begin; y < end; ++y) {
    *to++ = std::byte{1};
    std::array<Number, Count> left{};
    for (size_t x = 0; x < width; ++x, from += 4)
      for (size_t c = 0; c < Count; ++c) {
        const Number number = from[Count == 2 && c == 1 ? 3 : c];
        for (int shift = 8 * (sizeof(Number) - 1); shift >= 0; shift -= 8)
          *to++ = std::byte(uint8_t((number >> shift) - (left[c] >> shift)));
        left[c] = number;
      }
  }
}

template <class Number>
ZlibStream compressed_rows(const Pixels& pixels, size_t count) {
  constexpr std::array functions{write_rows<Number, 1>, write_rows<Number, 2>, write_rows<Number, 3>,
                                 write_rows<Number, 4>};
  const size_t row_bytes = 1 + size_t(pixels.size.width) * count * sizeof(Number);
  return zlib_compress(
      size_t(pixels.size.height), row_bytes,
      [&, write = functions[count - 1]](size_t begin, size_t end, std::byte* to) { write(pixels, begin, end, to); });
}

// `count`: numbers of a texel in the file.
TexelBuffer file_of(const Pixels& pixels, size_t count, Depth depth, std::span<const ColorChunk> color) {
  const ZlibStream stream =
      depth == Depth::u8 ? compressed_rows<uint8_t>(pixels, count) : compressed_rows<uint16_t>(pixels, count);
  constexpr std::array<uint8_t, 5> color_types{0, 0, 4, 2, 6};  // by `count`
  std::array<std::byte, 13> header{};
  put_big(&header[0], uint32_t(pixels.size.width));
  put_big(&header[4], uint32_t(pixels.size.height));
  header[8] = std::byte(8 * gpupost::bytes_of(depth));
  header[9] = std::byte{color_types[count]};

  std::vector<WrittenChunk> chunks{{"IHDR", header}};
  chunks.insert(chunks.end(), color.begin(), color.end());
  for (const Bytes piece : stream.pieces) chunks.push_back({"IDAT", piece});
  chunks.push_back({"IEND", {}});
  std::vector<size_t> places;
  size_t end = first_bytes.size();
  for (const WrittenChunk& chunk : chunks) {
    places.push_back(end);
    end += chunk_overhead + chunk.data.size();
  }
  TexelBuffer file(end);
  std::memcpy(file.data(), first_bytes.data(), first_bytes.size());
  parallel_ranges(int(chunks.size()), 8, [&](int begin, int stop) {
    for (auto i = size_t(begin); i < size_t(stop); ++i) put_chunk(file.data() + places[i], chunks[i]);
  });
  return file;
}

}  // namespace

void check_png(const Format& format, const Picture& picture, const EncodeOptions& options) {
  check_color(format, picture, options);
  if (needs_code(options) && !code_of(recorded_primaries(picture)))
    fail(Exit::usage,
         "png: --transfer pq and hlg need primaries that the cICP chunk has a number for, like --output-primaries "
         "rec2020");
}

Encoded encode_png(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (!is_encodable(picture, options)) {
    const Picture working = working_copy(picture, Depth::f32);
    return encode_png({.picture = &working, .base = source.base}, options);
  }
  Encoded encoded;
  Losses losses;
  const Pixels pixels = rgba_of(source, options.level, options, losses);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(picture, "png", encoded.warnings);
  encoded.bytes =
      file_of(pixels, components_of(picture.groups.front()).size(), options.depth, color_chunks_of(picture, options));
  return encoded;
}

}  // namespace gpupost
