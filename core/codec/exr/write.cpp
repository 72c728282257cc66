// Writes EXR files. tinyexr would copy the texels twice more, and has errors in windows, tiles and PIZ; OpenEXR is slower than
// encode_chunks(). It writes the compressions that encode_chunks() does not know.
#include "core/base/error.h"
#include "core/codec/common/writer.h"
#include "core/codec/exr/encode_chunks.h"
#include "core/codec/exr/encode_openexr.h"
#include "core/codec/exr/join_parts.h"
#include "core/codec/exr/pack_block.h"
#include "core/codec/exr/write_header.h"
#include "core/image/channel_names.h"
#include "core/image/cryptomatte.h"
#include "core/image/window_bounds.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

namespace gpupost {
namespace {

constexpr size_t longest_name = 255;  // bytes, of the format
constexpr int tile_side = 64;         // as texture tools and renderers expect

// Compressions that only OpenEXR can write.
bool needs_openexr(Compression compression) { return compression > Compression::zip; }

// Depth of a channel in the file. 8-bit sRGB fits in half, 16-bit does not.
Depth depth_of(const Channel& channel, const Group& group, const EncodeOptions& options) {
  if (group.depth == Depth::u32) return Depth::u32;
  if (group.is_color && !options.keep_depths) return options.depth;
  return channel.depth == Depth::half || channel.depth == Depth::u8 ? Depth::half : Depth::f32;
}

// Size of a level that is written to its own file. For a part of a frame it is rounded outward, and may exceed the size
// of the mip level.
Size size_of_level(const Picture& picture, const EncodeOptions& options) {
  for (const Group& group : picture.groups)
    if (options.level < int(group.levels.size())) return group.levels[size_t(options.level)].size;
  return level_size(picture.size(), options.level);
}

// Whether `group` can be written: only level `options.level`, or all levels.
bool has_levels(const Group& group, const Picture& picture, const EncodeOptions& options) {
  const int count = int(group.levels.size());
  if (!options.mipmapped)
    return options.level < count && group.levels[size_t(options.level)].size == size_of_level(picture, options);
  const Size base = picture.size();
  if (count < level_count_of(base)) return false;
  for (int level = 0; level < level_count_of(base); ++level)
    if (group.levels[size_t(level)].size != level_size(base, level)) return false;
  return true;
}

// Groups that have the requested levels, in the order of the format.
std::vector<ExrChannel> channels_of(const Picture& picture, const EncodeOptions& options, Encoded& encoded) {
  std::vector<ExrChannel> channels;
  std::string dropped;
  for (const Group& group : picture.groups) {
    if (group.depth == Depth::u8 || group.depth == Depth::u16)
      fail(Exit::bug, "exr: a group beside the color has depth {}", name_of(group.depth));
    const bool is_written = has_levels(group, picture, options);
    for (size_t c = 0; c < 4; ++c) {
      const Channel& channel = group.channels[c];
      if (channel.name.empty()) continue;
      if (is_written) channels.push_back({channel.name, &group, c, depth_of(channel, group, options)});
      else dropped += (dropped.empty() ? "" : " ") + channel.name;
    }
  }
  const std::string wanted = options.mipmapped ? fmt::format("all {} levels", level_count_of(picture.size()))
                                               : fmt::format("level {}", options.level);
  if (channels.empty()) fail(Exit::usage, "exr: no channel has {}", wanted);
  if (!dropped.empty())
    encoded.warnings.push_back(options.mipmapped || options.level > 0
                                   ? fmt::format("channels without {} are dropped: {}", wanted, dropped)
                                   : fmt::format("channels of another size are dropped: {}", dropped));
  std::ranges::sort(channels, {}, &ExrChannel::name);
  const auto twin = std::ranges::adjacent_find(channels, {}, &ExrChannel::name);
  if (twin != channels.end()) fail(Exit::usage, "exr: two channels have the name {}", twin->name);
  return channels;
}

// Attributes that are written unchanged.
constexpr std::string_view level_attribute = "dwaCompressionLevel";

// Whether an attribute has the name, but not the meaning, of one that describes tiles, parts or deep data.
bool only_looks_like_storage(const Attribute& attribute) {
  if (attribute.name == "tiles") return attribute.type != "tiledesc";
  if (attribute.name == "chunkCount") return attribute.type != "int";
  return attribute.name == "version" || attribute.name == "maxSamplesPerPixel";  // of deep data, which is not written
}

// `level` is that of dwaa and dwab.
std::vector<Attribute> written_attributes(const std::vector<Attribute>& attributes, bool is_tiled,
                                          std::optional<float> level, Encoded& encoded) {
  std::vector<Attribute> written;
  size_t dropped_count = 0;
  for (const Attribute& attribute : attributes) {
    if (is_texel_attribute(attribute.name)) continue;
    if (is_storage_attribute(attribute.name) && !only_looks_like_storage(attribute)) continue;
    if (is_tiled && attribute.name == "tiles") {
      encoded.warnings.push_back(
          "the attribute `tiles` is dropped, because the output has tiles, and there the name is that of their size");
      continue;
    }
    const bool can_write = !attribute.name.empty() && attribute.name.size() <= longest_name &&
                           attribute.type.size() <= longest_name && attribute.value.size() <= INT_MAX;
    if (can_write) written.push_back(attribute);
    else ++dropped_count;
  }
  if (dropped_count > 0)
    encoded.warnings.push_back(fmt::format("{} attributes with unusable names are dropped", dropped_count));
  if (level) {
    const auto bytes = std::bit_cast<std::array<uint8_t, sizeof(float)>>(*level);
    written.push_back({.name = std::string(level_attribute), .type = "float", .value = {bytes.begin(), bytes.end()}});
  }
  return written;
}

// The level of dwaa and dwab; empty: the default, or another compression.
std::optional<float> dwa_level(const Picture& picture, const EncodeOptions& options) {
  if (options.compression != Compression::dwaa && options.compression != Compression::dwab) return std::nullopt;
  if (options.compression_level > 0) return float(options.compression_level);
  const auto own = std::ranges::find(picture.attributes, level_attribute, &Attribute::name);
  if (!options.keeps_level || own == picture.attributes.end() || own->value.size() != sizeof(float))
    return std::nullopt;
  float level = 0;
  std::memcpy(&level, own->value.data(), sizeof level);
  return level >= 0 && level <= float(levels_of(options.compression).most) ? std::optional(level) : std::nullopt;
}

Attribute string_attribute(std::string name, std::string_view text) {
  return Attribute{.name = std::move(name), .type = "string", .value = {text.begin(), text.end()}};
}

// Attributes of the image, and those that texture readers expect in a mip-mapped file.
std::vector<Attribute> attributes_of(const Picture& picture, bool is_mipmapped) {
  std::vector<Attribute> attributes = picture.attributes;
  if (!is_mipmapped) return attributes;
  const auto environment = std::ranges::find(attributes, "envmap", &Attribute::name);
  const bool is_environment = environment != attributes.end() && environment->value.size() == 1;
  const bool is_latlong = is_environment && environment->value[0] == 0;
  const char* kind = is_latlong ? "LatLong Environment" : is_environment ? "CubeFace Environment" : "Plain Texture";
  for (Attribute& added : std::array{string_attribute("textureformat", kind),
                                     string_attribute("wrapmodes", is_latlong ? "periodic,clamp" : "black,black")})
    if (std::ranges::find(attributes, added.name, &Attribute::name) == attributes.end()) attributes.push_back(added);
  return attributes;
}

// Clips the display window to the range of OpenEXR.
Windows windows_to_write(const Picture& picture, Encoded& encoded) {
  const Window& data = picture.data_window;
  const Window& display = picture.display_window;
  if (display.max_x < display.min_x) return {.data = data, .display = data};
  const auto cut = [](int coordinate) { return std::clamp(coordinate, 1 - window_bound, window_bound - 1); };
  const Window written{cut(display.min_x), cut(display.min_y), cut(display.max_x), cut(display.max_y)};
  if (written != display)
    encoded.warnings.push_back(
        fmt::format("the display window is clipped to {} from the origin, the limit of the format", window_bound - 1));
  return {.data = data, .display = written};
}

// Whether a compression changes the values of a channel of a file.
bool is_lossy(std::string_view compression, std::string_view channel, Depth depth) {
  if (compression == "pxr24") return depth == Depth::f32;
  if (compression == "b44" || compression == "b44a") return depth == Depth::half;
  if (compression != "dwaa" && compression != "dwab") return false;
  constexpr std::string_view changed[] = {"R", "G", "B", "Y", "RY", "BY"};  // OpenEXR's rules
  return is_float(depth) && std::ranges::find(changed, channel.substr(channel.rfind('.') + 1)) != std::end(changed);
}

// Warns of values that the compression changes. For the input, it assumes that channels kept their names and types.
void warn_of_losses(const std::vector<ExrChannel>& channels, std::string_view name, const Picture& picture,
                    std::vector<std::string>& warnings) {
  const std::string& before = picture.compression;
  const std::vector<Cryptomatte> cryptomattes = cryptomattes_of(picture.attributes);
  std::vector<std::string> ids;
  bool is_second = false;
  for (const ExrChannel& channel : channels) {
    if (!is_lossy(name, channel.name, channel.depth)) continue;
    const Channel& own = channel.group->channels[channel.component];
    is_second |= is_lossy(before, channel.name, own.depth);
    if (channel.depth == Depth::f32 && is_rank_of_any(cryptomattes, own)) ids.push_back(channel.name);
  }
  if (is_second && before == name)
    warnings.push_back(
        fmt::format("compression {} is lossy and is applied a second time (avoid it with --compression zip)", name));
  else if (is_second)
    warnings.push_back(
        fmt::format("compression {} is lossy, and the input has been compressed with {}, which is lossy too (avoid a "
                    "second loss with --compression zip)",
                    name, before));
  if (!ids.empty())
    warnings.push_back(
        fmt::format("compression {} changes the ids of Cryptomattes, so that they select nothing: {} (keep them with "
                    "--compression zip)",
                    name, fmt::join(ids, ", ")));
}

}  // namespace

void check_exr(const Format&, const Picture& picture, const EncodeOptions& options) {
  if (options.compression > Compression::dwab)
    fail(Exit::usage, "exr: EXR has no compression {}", compression_names[size_t(options.compression)]);
  for (const std::string& name : names_of(picture))
    if (name.size() > longest_name)
      fail(Exit::usage, "exr: a channel name has {} bytes; the limit is {}", name.size(), longest_name);
  // a data window outside the range of OpenEXR cannot be clipped, because it decides where texels belong
  const Window& data = picture.data_window;
  if (std::min(data.min_x, data.min_y) < -data_window_bound || std::max(data.max_x, data.max_y) > data_window_bound)
    fail(Exit::usage, "exr: the data window ({}, {}) - ({}, {}) extends more than {} from the origin; crop it first",
         data.min_x, data.min_y, data.max_x, data.max_y, data_window_bound);
}

Encoded encode_exr(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (!is_working(picture)) {
    const Picture working = working_copy(picture, options.keep_depths ? Depth::f32 : options.depth);
    return encode_exr({.picture = &working, .others = source.others}, options);
  }
  Encoded encoded;
  const Size base = picture.size();
  const std::vector<ExrChannel> channels = channels_of(picture, options, encoded);
  const std::vector<Attribute> attributes = attributes_of(picture, options.mipmapped);
  const std::optional<float> level_of_dwa = dwa_level(picture, options);
  const std::vector<Attribute> written = written_attributes(attributes, options.mipmapped, level_of_dwa, encoded);
  const int level = options.mipmapped ? 0 : options.level;
  const Windows windows = windows_at_level(windows_to_write(picture, encoded), level,
                                           options.mipmapped ? base : size_of_level(picture, options));
  const bool is_b44 = options.compression == Compression::b44 || options.compression == Compression::b44a;
  const int least_tile_height = is_b44 ? 4 : 1;  // OpenEXR 3.1.5 overruns its buffer for B44 tiles of one row
  const Size tile = options.mipmapped
                        ? Size{std::min(tile_side, base.width), std::clamp(base.height, least_tile_height, tile_side)}
                        : Size{};
  const std::vector<std::byte> header = exr_header({.channels = channels,
                                                    .compression = options.compression,
                                                    .windows = windows,
                                                    .tile = tile,
                                                    .attributes = written});
  const ChunkOptions chunk_options{
      .compression = options.compression,
      .deflate_level = options.compression_level > 0 ? options.compression_level : usual_deflate_level,
      .level = level,
      .min_y = windows.data.min_y,
      .tile = tile};
  EncodedChunks chunks = needs_openexr(options.compression)
                             ? encode_by_openexr(header, channels, chunk_options, level_of_dwa)
                             : encode_chunks(header, channels, chunk_options);
  if (chunks.clamped_count > 0)
    encoded.warnings.push_back(
        fmt::format("number of values above 65504 that were clamped in half channels: {}; keep them with --bits 32f",
                    chunks.clamped_count));
  encoded.bytes = std::move(chunks.file);
  const std::string_view name = compression_names[size_t(options.compression)];
  if (is_b44 && std::ranges::find(channels, Depth::half, &ExrChannel::depth) == channels.end())
    encoded.warnings.push_back(
        fmt::format("compression {} compresses only half channels, and the image has none, so it is not compressed "
                    "(choose another --compression, or half with --bits 16f)",
                    name));
  warn_of_losses(channels, name, picture, encoded.warnings);
  if (source.others && source.others->are_kept())
    if (TexelBuffer joined = join_parts(encoded.bytes.bytes(), *source.others, encoded.warnings); !joined.empty()) {
      encoded.bytes = std::move(joined);
      encoded.has_other_parts = true;
    }
  return encoded;
}

}  // namespace gpupost
