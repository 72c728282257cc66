// The formats, and what is said of a file that is read or written.
#pragma once

#include "core/codec/common/bytes.h"
#include "core/image/picture.h"
#include "core/image/to_working.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// How many mip levels one file of a format holds.
enum class FileLevels { one, one_or_all, any };

// Lends zeroed memory for the texels of one level.
using TexelAllocator = std::function<TexelBuffer(size_t bytes)>;

// What a file may be, at most. Over one of them is Exit::input.
struct Limits {
  int side = 32768;                    // texels
  uint64_t texel_count = 268'435'456;  // of one level
  int channel_count = 64;
  uint64_t decoded_bytes = uint64_t(4) << 30;
  int cpu_seconds = 30;  // for one file, all threads together
  int wall_seconds = 120;
};

struct DecodeOptions {
  std::string part;   // number or name of an EXR's part; "" the first
  std::string layer;  // "" the default layer: channels without a dot
  int level = 0;      // of a mip-mapped file
  Limits limits;
  int thread_count = 0;            // of the decoder; 0: one for each core
  bool keeps_orientation = false;  // texels stay as they are stored, whatever Exif or TIFF say
  bool requires_sandbox = false;   // a system that cannot filter the decoder's system calls is Exit::limit, no warning
};

// A part of an EXR file.
struct FilePart {
  std::string name;  // "" where it has none
  Size size;
  std::vector<std::string> channels;
  bool is_deep = false;
};

struct Decoded {
  Picture picture;
  std::vector<FilePart> parts;  // of an EXR, one at least; one of them was read
  std::vector<std::string> warnings;
};

// The first ten are numbered as in EXR files.
enum class Compression { none, rle, zips, zip, piz, pxr24, b44, b44a, dwaa, dwab, lzw, zstd };
inline constexpr std::string_view compression_names[] = {"none", "rle",  "zips", "zip",  "piz", "pxr24",
                                                         "b44",  "b44a", "dwaa", "dwab", "lzw", "zstd"};

struct EncodeOptions {
  Depth depth = Depth::half;                   // of color channels; one of the format's written_depths
  bool keep_depths = false;                    // EXR: each channel as its Channel::depth says
  Compression compression = Compression::zip;  // one of the format's, where it has some
  bool mipmapped = false;                      // one file with all levels; else level `level` alone
  int level = 0;
  Transfer transfer = Transfer::srgb;  // of integers: PNG 8 and 16 bit, KTX2 and DDS 8 bit
  Dither dither = Dither::none;        // of 8 bits
  int quality = 90;                    // of JPEG, 1 to 100; chroma is whole from 90 on
};

struct Encoded {
  TexelBuffer bytes;
  std::vector<std::string> warnings;  // what the format could not hold, what was clipped
};

// One picture of a file: linear and premultiplied, or as its fields say.
struct Source {
  const Picture* picture = nullptr;
  const Picture* base = nullptr;  // its level 0 as it was read: written instead where that needs no conversion
};

// How the pictures of a file belong together.
enum class Arrangement { single, cube, array };

// One row of the table of formats. A format that can only be read or only be written lacks the other function.
struct Format {
  std::string_view name;                     // "exr", "png", "ktx2", ...
  std::vector<std::string_view> extensions;  // without the dot, the first is the one that is written
  std::string_view description;
  bool (*matches)(Bytes start) = nullptr;  // Does a file begin so? `start` has magic_bytes, or is the whole file.
  // Checks the whole file before a library sees it, or while it does. Throws Error(Exit::input).
  Decoded (*read)(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) = nullptr;
  Encoded (*write)(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                   const EncodeOptions& options) = nullptr;
  std::vector<Depth> written_depths = {};      // of color, in the order in which messages name them
  std::vector<Compression> compressions = {};  // that are written; empty: there is no choice
  FileLevels levels = FileLevels::one;
  bool holds_arrangements = false;  // cubes and arrays
  bool holds_everything = false;    // any channels, attributes, data and display windows
  bool holds_primaries = false;     // says which primaries its colors have; others hold those of Rec. 709

  bool can_read() const { return read != nullptr; }
  bool can_write() const { return write != nullptr; }
  bool can_write(Depth depth) const { return std::ranges::find(written_depths, depth) != written_depths.end(); }
};

}  // namespace gpupost
