// Writes PNG files: 8 bits with stb_image_write, 16 bits with code here.
#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/codec/common/little.h"
#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/parallel_deflate.h"
#include "core/codec/common/writer.h"
#include "core/codec/metadata/icc.h"

#include <libdeflate.h>
#include <stb_image_write.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
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

// cICP for PQ and HLG; sRGB with perceptual intent; gAMA of 1; an ICC profile; or none, if the encoding is not known.
std::vector<ColorChunk> color_chunks_of(const Picture& picture, const EncodeOptions& options) {
  if (!options.is_tagged) return {};
  const Transfer transfer = options.transfer;
  const bool is_gray = picture.groups.front().is_luminance;
  const Primaries primaries = is_gray ? rec709 : other_primaries(picture).value_or(rec709);
  if (transfer == Transfer::pq || transfer == Transfer::hlg) {
    const std::optional<int> code = code_of(primaries);
    if (!code)
      fail(Exit::output,
           "png: --transfer pq and hlg need primaries that the cICP chunk has a number for, like --output-primaries "
           "rec2020");
    return {{"cICP", bytes_of({*code, transfer == Transfer::pq ? 16 : 18, 0, 1})}};
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
constexpr size_t header_bytes = first_bytes.size() + chunk_overhead + 13;  // position of the end of IHDR

TexelBuffer write_8_bit(const Pixels& pixels, std::span<const ColorChunk> color) {
  const auto [width, height] = pixels.size;
  const auto components = int(pixels.component_count);
  if ((int64_t(width) * components + 1) * height > INT_MAX)
    fail(Exit::output, "png: {}x{} with {} components is too large for 8 bit", width, height, components);
  // stb returns the whole file; other chunks are inserted after the header.
  struct Sink {
    std::span<const ColorChunk> chunks;
    TexelBuffer file;
  } sink{.chunks = color, .file = {}};
  const auto take = [](void* context, void* data, int count) {
    auto& [chunks, file] = *static_cast<Sink*>(context);
    size_t inserted = 0;
    for (const ColorChunk& chunk : chunks) inserted += chunk_overhead + chunk.data.size();
    file = TexelBuffer(size_t(count) + inserted);
    std::memcpy(file.data(), data, header_bytes);
    std::byte* to = file.data() + header_bytes;
    for (const ColorChunk& chunk : chunks) {
      put_chunk(to, chunk);
      to += chunk_overhead + chunk.data.size();
    }
    std::memcpy(file.data() + header_bytes + inserted, static_cast<std::byte*>(data) + header_bytes,
                size_t(count) - header_bytes);
  };
  if (!stbi_write_png_to_func(take, &sink, width, height, components, pixels.numbers.data(), 0))
    fail(Exit::limit, "out of memory: png: stb_image_write gives up on {}x{}", width, height);
  return std::move(sink.file);
}

// Rows of big-endian values after a filter byte, each minus the value one texel to the left (filter 1, Sub).
TexelBuffer filtered_rows(const Pixels& pixels) {
  const size_t texel_bytes = 2 * pixels.component_count;
  const size_t row_bytes = size_t(pixels.size.width) * texel_bytes;
  TexelBuffer rows(size_t(pixels.size.height) * (row_bytes + 1));
  parallel_ranges(pixels.size.height, std::max(1, 65536 / pixels.size.width), [&](int begin, int end) {
    std::vector<uint8_t> row(texel_bytes + row_bytes);  // starts with a texel of zeros
    for (auto y = size_t(begin); y < size_t(end); ++y) {
      const std::byte* from = pixels.numbers.data() + y * row_bytes;
      for (size_t i = 0; i < row_bytes; i += 2) {
        uint16_t number;
        std::memcpy(&number, from + i, sizeof number);
        const uint16_t big = __builtin_bswap16(number);
        std::memcpy(&row[texel_bytes + i], &big, sizeof big);
      }
      auto* to = reinterpret_cast<uint8_t*>(rows.data()) + y * (row_bytes + 1);
      *to++ = 1;
      for (size_t i = 0; i < row_bytes; ++i) to[i] = uint8_t(row[texel_bytes + i] - row[i]);
    }
  });
  return rows;
}

TexelBuffer write_16_bit(const Pixels& pixels, std::span<const ColorChunk> color) {
  ZlibStream stream;
  {
    const TexelBuffer rows = filtered_rows(pixels);
    stream = zlib_compress(rows.bytes());
  }
  constexpr std::array<uint8_t, 5> color_types{0, 0, 4, 2, 6};  // by component_count
  std::array<std::byte, 13> header{};
  put_big(&header[0], uint32_t(pixels.size.width));
  put_big(&header[4], uint32_t(pixels.size.height));
  header[8] = std::byte{16};
  header[9] = std::byte{color_types[pixels.component_count]};

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

Encoded encode_png(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (options.depth != Depth::u8 && options.depth != Depth::u16)
    fail(Exit::output, "png holds 8 and 16 bits, not {}", name_of(options.depth));
  check_color(picture, "png", options);
  if (!is_encodable(picture, options)) {
    const Picture working = working_copy(picture, Depth::f32);
    return encode_png({.picture = &working, .base = source.base}, options);
  }
  Encoded encoded;
  Losses losses;
  const Pixels pixels = pixels_of(source, options.level, components_of(picture.groups.front()), options, losses);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(picture, "png", encoded.warnings);
  const std::vector<ColorChunk> color = color_chunks_of(picture, options);
  encoded.bytes = options.depth == Depth::u8 ? write_8_bit(pixels, color) : write_16_bit(pixels, color);
  return encoded;
}

}  // namespace gpupost
