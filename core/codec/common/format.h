// The formats, and what is said of a file that is read or written.
#pragma once

#include "core/image/picture.h"
#include "core/image/to_working.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// How many mip levels one file of a format holds.
enum class FileLevels { one, one_or_all, any };

// One row of the table of formats.
struct Format {
  std::string_view name;                     // "exr", "png", "ktx2", "dds", "jpg", "tga", "bmp", "hdr"
  std::vector<std::string_view> extensions;  // without the dot, the first is the one that is written
  std::string_view description;
  bool can_read = false;
  std::vector<Depth> written_depths;  // of color, in the order in which messages name them; empty: it is not written
  FileLevels levels = FileLevels::one;
  bool holds_arrangements = false;  // cubes and arrays
  bool holds_everything = false;    // any channels, attributes, data and display windows

  bool can_write() const { return !written_depths.empty(); }
  bool can_write(Depth depth) const { return std::ranges::find(written_depths, depth) != written_depths.end(); }
};

std::span<const Format> all_formats();
// The extensions of the formats that can be written, those that hold a whole mip chain alone if `with_levels`, as
// messages name what they expect: ".exr, .png or .dds".
std::string writable_extensions(bool with_levels = false);
const Format* format_named(std::string_view name);                // nullptr: none
const Format* format_of_extension(std::string_view path);         // by what follows the last dot; nullptr: none
const Format* format_of_bytes(std::span<const std::byte> start);  // by magic bytes; nullptr: no image format known here

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
  int thread_count = 0;           // of the decoder; 0: one for each core
  bool requires_sandbox = false;  // a system that cannot filter the decoder's system calls is Exit::limit, no warning
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

enum class Compression { none, rle, zips, zip };

struct EncodeOptions {
  Depth depth = Depth::half;                   // of color channels; one of the format's written_depths
  bool keep_depths = false;                    // EXR: each channel as its Channel::depth says
  Compression compression = Compression::zip;  // EXR
  bool mipmapped = false;                      // one file with all levels; else level `level` alone
  int level = 0;
  Transfer transfer = Transfer::srgb;  // of integers: PNG 8 and 16 bit, KTX2 and DDS 8 bit
  Dither dither = Dither::none;        // of 8 bits
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

// Was OpenEXR built in? Without it, EXR files that tinyexr cannot read are refused.
bool has_openexr();

}  // namespace gpupost
