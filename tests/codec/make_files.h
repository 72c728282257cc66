// Small files for the tests of the readers, made in memory by other libraries than the ones that read them.
#pragma once

#include "core/codec/codec.h"
#include "core/codec/common/bytes.h"

#include <OpenEXR/ImfHeader.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpupost {

using File = std::vector<std::byte>;

// Number of channel `channel` at (x, y) of level (level_x, level_y): every one differs from its neighbors.
float value_at(int channel, int level_x, int level_y, int x, int y);

struct ExrRecipe {
  int width = 17, height = 41;
  int min_x = 0, min_y = 0;
  std::vector<Channel> channels = {{"A", Depth::half}, {"B", Depth::half}, {"G", Depth::half}, {"R", Depth::half}};
  Imf::Compression compression = Imf::ZIP_COMPRESSION;
  Imf::LineOrder line_order = Imf::INCREASING_Y;
  std::vector<std::pair<int, int>> samplings = {};  // of each channel; none: 1 x 1
  int tile_side = 0;                                // 0: scan lines
  Imf::LevelMode level_mode = Imf::ONE_LEVEL;
  Imf::LevelRoundingMode rounding = Imf::ROUND_DOWN;
  std::function<void(Imf::Header&)> change_header = [](Imf::Header&) {};
};

// A file of value_at(), by OpenEXR.
File make_exr(const ExrRecipe& recipe);
// A file of several parts, one a recipe and scan lines each, with these names.
File make_exr_parts(const std::vector<std::pair<std::string, ExrRecipe>>& parts);

// Deep data. Texel (x, y) has `count(x, y)` samples; sample i of channel c has the value `value(c, x, y, i)`.
struct DeepRecipe {
  int width = 9, height = 7;
  int min_x = 0, min_y = 0;
  std::vector<Channel> channels;  // in alphabetical order
  Imf::Compression compression = Imf::ZIPS_COMPRESSION;
  int tile_side = 0;  // 0: scan lines
  Imf::LevelMode level_mode = Imf::ONE_LEVEL;
  std::function<unsigned(int x, int y)> count;
  std::function<double(size_t channel, int x, int y, unsigned sample)> value;
};
File make_deep_exr(const DeepRecipe& recipe);

// One part of a file of several: deep, or flat with or without tiles.
struct PartRecipe {
  std::string name, view;
  ExrRecipe flat = {};
  std::optional<DeepRecipe> deep = {};
};
File make_exr_of_parts(const std::vector<PartRecipe>& parts);

// A file with a part of deep data before a flat one.
File make_exr_behind_deep(const ExrRecipe& flat);
// A file of deep tiles alone.
File make_exr_of_deep_tiles(int width, int height);
// Waves of color as luminance and chroma of half the resolution. Sides are even.
File make_exr_of_chroma(int width, int height, const std::function<void(Imf::Header&)>& change_header);

struct PngChunk {
  std::string type;
  std::string data;
};
// Chunks with their lengths and checksums, behind the signature.
File make_png(const std::vector<PngChunk>& chunks);
// What IHDR and IDAT hold.
std::string png_header(int width, int height, int bits, int color, bool is_interlaced = false);
std::string zlib_packed(const std::string& data);

File file_of(const std::string& text);
std::string big_u32(uint32_t number);
// The low bytes of a number, the lowest one first.
std::string little(uint32_t number, size_t byte_count);

// decode() of a file in memory, through a pipe-like descriptor.
Decoded decode_bytes(const File& file, const DecodeOptions& options = {});
// The message of its error with its exit code before it ("2 file: is empty"); "" if there is none.
std::string refusal_of(const File& file, const DecodeOptions& options = {});

}  // namespace gpupost
