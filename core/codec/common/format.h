// Types that describe formats, decoded images and encoded files.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/codec/common/other_parts.h"
#include "core/image/picture.h"
#include "core/image/to_working.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// Number of mip levels that one file can hold.
enum class FileLevels { one, one_or_all, any };

// Allocates zeroed memory for the texels of one level.
using TexelAllocator = std::function<TexelBuffer(size_t bytes)>;

// Limits of an input file. Exceeding one is Error(Exit::input).
struct Limits {
  int side = 32768;                    // limit per side in texels
  uint64_t texel_count = 268'435'456;  // limit for the texels of one level
  int channel_count = 64;
  uint64_t decoded_bytes = uint64_t(4) << 30;
  int cpu_seconds = 30;  // CPU time for one file over all threads
  int wall_seconds = 120;

  bool operator==(const Limits&) const = default;
};

// The parts of an ICC profile that a decoder applies.
enum class ProfileUse {
  all,
  all_but_tables,  // ignores a profile with tables, because they also convert primaries
  primaries,       // leaves the values as they are
  nothing,
};

// How a decoder that applies a profile treats alpha. `data`: as a channel of its own, which does not weight the color.
enum class AlphaUse { as_recorded, straight, premultiplied, data };

struct DecodeOptions {
  std::string part;   // number or name of a part; "" the first
  std::string layer;  // "" the default layer: channels without a dot
  int level = 0;      // level to read from a mip-mapped file
  Limits limits;
  int thread_count = 0;  // threads of the decoder; 0: one per core
  ProfileUse profile = ProfileUse::all;
  AlphaUse alpha = AlphaUse::as_recorded;
  bool keeps_orientation = false;  // ignore Exif and TIFF orientation
  bool flattens = false;           // composite the samples of deep data; otherwise deep data is an error
  bool keeps_parts = false;        // return the other parts of an EXR
  bool checks_all = false;         // EXR: decode all parts and levels, so that damage anywhere is an error
  bool requires_sandbox =
      false;  // fail with Exit::limit, not a warning, if system calls of decoders cannot be filtered
};

// The end of warnings about parts that were not read. It is wrong for files that --part does not apply to.
inline constexpr std::string_view part_hint = " (--part reads another)";

// A part of an EXR file, a page of a TIFF file, or a layer or face of a texture.
struct FilePart {
  std::string name;  // "" where it has none
  Size size;
  std::vector<std::string> channels;  // of an EXR file
  bool is_deep = false;
};

constexpr size_t most_parts = 16384;  // of a file

struct Decoded {
  Picture picture;
  std::vector<FilePart> parts;  // at least one; one of them was read
  std::vector<std::string> warnings;
  std::vector<std::string> write_warnings;  // losses that matter only if an image is written
  OtherParts others;
};

// The first ten have the numbers of EXR files.
enum class Compression {
  none,
  rle,
  zips,
  zip,
  piz,
  pxr24,
  b44,
  b44a,
  dwaa,
  dwab,
  lzw,
  zstd,
  bc1,
  bc3,
  bc4,
  bc5,
  bc6h,
  bc7
};
inline constexpr std::string_view compression_names[] = {"none", "rle",  "zips", "zip",  "piz",  "pxr24",
                                                         "b44",  "b44a", "dwaa", "dwab", "lzw",  "zstd",
                                                         "bc1",  "bc3",  "bc4",  "bc5",  "bc6h", "bc7"};

// Depth of the texels that blocks of a texture hold; nothing for other compressions.
constexpr std::optional<Depth> block_depth_of(Compression compression) {
  if (compression < Compression::bc1) return {};
  return compression == Compression::bc6h ? Depth::half : Depth::u8;
}

// Levels of a compression, least to most; 0 and 0 if it has none. Higher levels of zip, zips and zstd make smaller files in
// more time. Those of dwaa and dwab lose more.
struct CompressionLevels {
  int least = 0, most = 0;
};
constexpr CompressionLevels levels_of(Compression compression) {
  switch (compression) {
    case Compression::zips:
    case Compression::zip: return {1, 9};
    case Compression::dwaa:
    case Compression::dwab: return {1, 10000};
    case Compression::zstd: return {1, 22};
    default: return {};
  }
}

// Compression of whole levels of a KTX2, with the numbers that its header has. basis_lz is neither read nor written.
enum class Supercompression : uint32_t { none, basis_lz, zstd, zlib };
inline constexpr std::string_view supercompression_names[] = {"none", "basis-lz", "zstd", "zlib"};

constexpr CompressionLevels levels_of(Supercompression supercompression) {
  switch (supercompression) {
    case Supercompression::zstd: return {1, 22};
    case Supercompression::zlib: return {1, 9};
    default: return {};
  }
}

enum class BlockFormat;  // in core/codec/blocks/block.h

// Encodes the blocks of a level as encode_blocks() in core/codec/blocks does, bit for bit.
using BlockEncoder = std::function<void(BlockFormat, Size, Bytes texels, std::span<std::byte> blocks)>;

struct EncodeOptions {
  Depth depth = Depth::half;                   // depth of color channels; one of the format's written_depths
  bool keep_depths = false;                    // EXR: write each channel with its Channel::depth
  Compression compression = Compression::zip;  // one of the format's compressions, if it has any
  int compression_level = 0;                   // 0: the default of the format; else one of levels_of(compression)
  Supercompression supercompression = Supercompression::none;  // only for KTX2
  int supercompression_level = 0;  // 0: the default; else one of levels_of(supercompression)
  bool keeps_level = false;        // dwaa, dwab: without a level, take the one that the image records
  bool mipmapped = false;          // write all levels to one file; otherwise only `level`
  int level = 0;
  Transfer transfer = Transfer::srgb;  // transfer of integers: 8- and 16-bit PNG, 8-bit KTX2 and DDS
  bool is_tagged = true;               // false: record no curve and no primaries, because they are not known
  Dither dither = Dither::none;        // dithering for 8 bits
  bool colors_transparent = false;     // light with alpha 0 is a straight color, so no warning is due
  bool is_straight = false;            // color of floats was divided by alpha
  int quality = 90;                    // JPEG quality, 1 to 100; from 90 chroma has full resolution
  BlockEncoder block_encoder = {};     // instead of encode_blocks(); empty: none
};

struct Encoded {
  TexelBuffer bytes;
  std::vector<std::string> warnings;  // data that the format could not hold, and clamped values
  bool has_other_parts = false;       // the parts of Source::others are in the file
};

// Level 0 of an image as it was read, in integers of the output.
struct BaseLevel {
  Picture picture;
  bool is_clamped = false;  // it was converted, and some of its values were out of the range of integers
};

// One image to encode, linear and premultiplied unless its fields say otherwise.
struct Source {
  const Picture* picture = nullptr;
  const BaseLevel* base = nullptr;     // written as level 0 if it needs no conversion
  const OtherParts* others = nullptr;  // parts to add to an EXR; nullptr: none
};

// How the images of a file are arranged.
enum class Arrangement { single, cube, array };

// One row of the table of formats. `read` or `write` is null if the format cannot be read or written.
struct Format {
  std::string_view name;                     // "exr", "png", "ktx2", ...
  std::vector<std::string_view> extensions;  // without the dot; the first is used for output
  std::string_view description;
  // Returns whether a file begins like this format. `start` has magic_bytes, or is the whole file.
  bool (*matches)(Bytes start) = nullptr;
  // Reads a file. Checks it before or while a library reads it. Throws Error(Exit::input).
  Decoded (*read)(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) = nullptr;
  Encoded (*write)(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                   const EncodeOptions& options) = nullptr;
  // Throws Error(Exit::usage) if the format cannot hold the image. Reads sizes, names and attributes, but no texels.
  void (*check)(const Format& format, const Picture& picture, const EncodeOptions& options) = nullptr;
  std::vector<Depth> written_depths = {};      // depths of color that can be written, in order for messages
  std::vector<Compression> compressions = {};  // compressions that can be written; empty: no choice
  FileLevels levels = FileLevels::one;
  bool holds_arrangements = false;  // can hold cubes and arrays
  bool holds_everything = false;    // can hold any channels, attributes and windows
  bool holds_primaries = false;     // records primaries; other formats hold only Rec. 709

  bool can_read() const { return read != nullptr; }
  bool can_write() const { return write != nullptr; }
  bool can_write(Depth depth) const { return std::ranges::find(written_depths, depth) != written_depths.end(); }
};

}  // namespace gpupost
