// Writes EXR files with tinyexr. Errors of tinyexr are avoided before (order of channels, tile sizes) or fixed after
// (fix_tinyexr.h). OpenEXR writes the other compressions.
#include "core/base/error.h"
#include "core/codec/common/writer.h"
#include "core/codec/exr/fix_tinyexr.h"
#include "core/codec/exr/join_parts.h"
#include "core/codec/exr/planes.h"
#include "core/codec/exr/recompress.h"
#include "core/image/window_bounds.h"

#include <tinyexr.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace gpupost {
namespace {

constexpr size_t longest_name = 255;       // bytes, of the format
constexpr size_t longest_short_name = 31;  // longer names need a flag in the file
constexpr int tile_side = 64;              // as texture tools and renderers expect

// Compressions of OpenEXR; tinyexr then writes without compression. tinyexr 1.0.1 has only the first compressions, and
// its PIZ overflows the heap.
bool needs_openexr(Compression compression) { return compression > Compression::zip; }
Compression compression_of_tinyexr(Compression compression) {
  return needs_openexr(compression) ? Compression::none : compression;
}

int pixel_type_of(Depth depth) {
  if (depth == Depth::u32) return TINYEXR_PIXELTYPE_UINT;
  return depth == Depth::half ? TINYEXR_PIXELTYPE_HALF : TINYEXR_PIXELTYPE_FLOAT;
}

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
      if (channel.name.size() > longest_name)
        fail(Exit::output, "exr: a channel name has {} bytes; the limit is {}", channel.name.size(), longest_name);
      if (is_written) channels.push_back({channel.name, &group, c, depth_of(channel, group, options)});
      else dropped += (dropped.empty() ? "" : " ") + channel.name;
    }
  }
  const std::string wanted = options.mipmapped ? fmt::format("all {} levels", level_count_of(picture.size()))
                                               : fmt::format("level {}", options.level);
  if (channels.empty()) fail(Exit::output, "exr: no channel has {}", wanted);
  if (!dropped.empty()) encoded.warnings.push_back(fmt::format("channels without {} are dropped: {}", wanted, dropped));
  std::ranges::sort(channels, {}, &ExrChannel::name);
  const auto twin = std::ranges::adjacent_find(channels, {}, &ExrChannel::name);
  if (twin != channels.end()) fail(Exit::output, "exr: two channels have the name {}", twin->name);
  return channels;
}

// tinyexr's view of one level.
struct LevelView {
  Planes planes;
  std::vector<unsigned char*> images;  // pointers for all tiles
  std::vector<EXRTile> tiles;
  EXRImage image{};
};

void view_tiles(LevelView& view, size_t channel_count, int level) {
  for (int y = 0; y < view.planes.tile_count.height; ++y) {
    for (int x = 0; x < view.planes.tile_count.width; ++x) {
      const Size tile = view.planes.tile;
      view.tiles.push_back({.offset_x = x,
                            .offset_y = y,
                            .level_x = level,
                            .level_y = level,
                            .width = std::min(tile.width, view.planes.size.width - x * tile.width),
                            .height = std::min(tile.height, view.planes.size.height - y * tile.height),
                            .images = &view.images[view.tiles.size() * channel_count]});
    }
  }
  view.image.tiles = view.tiles.data();
  view.image.num_tiles = int(view.tiles.size());
}

std::unique_ptr<LevelView> view_of(const std::vector<ExrChannel>& channels, int level, Size tile, bool is_tiled) {
  auto view = std::make_unique<LevelView>(LevelView{.planes = make_planes(channels, level, tile)});
  for (int y = 0; y < view->planes.tile_count.height; ++y)
    for (int x = 0; x < view->planes.tile_count.width; ++x)
      for (size_t c = 0; c < channels.size(); ++c)
        view->images.push_back(reinterpret_cast<unsigned char*>(view->planes.plane(x, y, c)));
  view->image.level_x = view->image.level_y = is_tiled ? level : 0;
  view->image.width = view->planes.size.width;
  view->image.height = view->planes.size.height;
  view->image.num_channels = int(channels.size());
  if (is_tiled) view_tiles(*view, channels.size(), level);
  else view->image.images = view->images.data();
  return view;
}

// The levels to write, each linked to the next. A whole level is one tile to make_planes().
std::vector<std::unique_ptr<LevelView>> views_of(const std::vector<ExrChannel>& channels, const Picture& picture,
                                                 const EncodeOptions& options) {
  std::vector<std::unique_ptr<LevelView>> views;
  if (!options.mipmapped) {
    views.push_back(view_of(channels, options.level, size_of_level(picture, options), false));
    return views;
  }
  const Size base = picture.size();
  const Size tile{std::min(tile_side, base.width), std::min(tile_side, base.height)};
  for (int level = 0; level < level_count_of(base); ++level) {
    views.push_back(view_of(channels, level, tile, true));
    if (level > 0) views[size_t(level) - 1]->image.next_level = &views.back()->image;
  }
  return views;
}

// Attributes that are written unchanged.
std::vector<EXRAttribute> custom_attributes(const std::vector<Attribute>& attributes, Encoded& encoded) {
  std::vector<EXRAttribute> customs;
  size_t dropped_count = 0;
  for (const Attribute& attribute : attributes) {
    if (is_storage_attribute(attribute.name) || is_texel_attribute(attribute.name) ||
        is_patched_attribute(attribute.name))
      continue;
    const bool can_write = !attribute.name.empty() && attribute.name.size() <= longest_name &&
                           attribute.type.size() <= longest_name && attribute.value.size() <= INT_MAX;
    if (!can_write) {
      ++dropped_count;
      continue;
    }
    EXRAttribute& custom = customs.emplace_back();
    std::ranges::copy(attribute.name, custom.name);
    std::ranges::copy(attribute.type, custom.type);
    custom.value = const_cast<unsigned char*>(attribute.value.data());  // tinyexr only reads it
    custom.size = int(attribute.value.size());
  }
  if (dropped_count > 0)
    encoded.warnings.push_back(fmt::format("{} attributes with unusable names are dropped", dropped_count));
  return customs;
}

Attribute string_attribute(std::string name, std::string_view text) {
  return Attribute{.name = std::move(name), .type = "string", .value = {text.begin(), text.end()}};
}

// Attributes of the image, and those that texture readers expect in a mip-mapped file.
std::vector<Attribute> attributes_of(const Picture& picture, bool is_mipmapped) {
  std::vector<Attribute> attributes = picture.attributes;
  if (!is_mipmapped) return attributes;
  for (Attribute& added :
       std::array{string_attribute("textureformat", "Plain Texture"), string_attribute("wrapmodes", "black,black")})
    if (std::ranges::find(attributes, added.name, &Attribute::name) == attributes.end()) attributes.push_back(added);
  return attributes;
}

bool is_long(const std::string& name) { return name.size() > longest_short_name; }

// A header of tinyexr with its arrays.
struct HeaderView {
  std::vector<EXRChannelInfo> channels;
  std::vector<int> pixel_types;
  std::vector<EXRAttribute> customs;
  EXRHeader header{};
};

HeaderView header_of(const std::vector<ExrChannel>& channels, const std::vector<Attribute>& attributes, Size base,
                     const EncodeOptions& options, Encoded& encoded) {
  HeaderView view{.customs = custom_attributes(attributes, encoded)};
  for (const ExrChannel& channel : channels) {
    std::ranges::copy(channel.name, view.channels.emplace_back().name);
    view.pixel_types.push_back(pixel_type_of(channel.depth));
  }
  EXRHeader& header = view.header;
  InitEXRHeader(&header);
  header.data_window = {0, 0, base.width - 1, base.height - 1};
  header.tiled = options.mipmapped;
  header.tile_size_x = std::min(tile_side, base.width);
  header.tile_size_y = std::min(tile_side, base.height);
  header.tile_level_mode = TINYEXR_TILE_MIPMAP_LEVELS;
  header.tile_rounding_mode = TINYEXR_TILE_ROUND_DOWN;
  header.long_name = std::ranges::any_of(channels, is_long, &ExrChannel::name) ||
                     std::ranges::any_of(attributes, is_long, &Attribute::name) ||
                     std::ranges::any_of(attributes, is_long, &Attribute::type);
  header.num_custom_attributes = int(view.customs.size());
  header.custom_attributes = view.customs.data();
  header.channels = view.channels.data();
  header.num_channels = int(view.channels.size());
  header.pixel_types = header.requested_pixel_types = view.pixel_types.data();
  header.compression_type = int(compression_of_tinyexr(options.compression));
  return view;
}

TexelBuffer save(const EXRImage& image, const EXRHeader& header) {
  unsigned char* bytes = nullptr;
  const char* text = nullptr;
  const size_t size = SaveEXRImageToMemory(&image, &header, &bytes, &text);
  if (size != 0) return TexelBuffer(reinterpret_cast<std::byte*>(bytes), size, [bytes] { std::free(bytes); });
  const std::string reason = text ? text : "no reason given";
  FreeEXRErrorMessage(text);
  fail(Exit::output, "exr: tinyexr cannot encode the image: {}", reason.substr(0, reason.find('\n')));
}

// Clips the display window to the range of OpenEXR. A data window outside the range is an error, because it decides
// where texels belong.
Windows windows_to_write(const Picture& picture, Encoded& encoded) {
  const Window& data = picture.data_window;
  if (std::min(data.min_x, data.min_y) < -data_window_bound || std::max(data.max_x, data.max_y) > data_window_bound)
    fail(Exit::output, "exr: the data window ({}, {}) - ({}, {}) extends more than {} from the origin; crop it first",
         data.min_x, data.min_y, data.max_x, data.max_y, data_window_bound);
  const Window& display = picture.display_window;
  if (display.max_x < display.min_x) return {.data = data, .display = data};
  const auto cut = [](int coordinate) { return std::clamp(coordinate, 1 - window_bound, window_bound - 1); };
  const Window written{cut(display.min_x), cut(display.min_y), cut(display.max_x), cut(display.max_y)};
  if (written != display)
    encoded.warnings.push_back(
        fmt::format("the display window is clipped to {} from the origin, the limit of the format", window_bound - 1));
  return {.data = data, .display = written};
}

}  // namespace

Encoded encode_exr(const Source& source, const EncodeOptions& options) {
  const Picture& picture = *source.picture;
  if (options.compression > Compression::dwab)
    fail(Exit::output, "exr: EXR has no compression {}", compression_names[size_t(options.compression)]);
  if (!is_float(options.depth)) fail(Exit::output, "exr holds 16f and 32f, not {}", name_of(options.depth));
  if (!is_working(picture)) {
    const Picture working = working_copy(picture, options.keep_depths ? Depth::f32 : options.depth);
    return encode_exr({.picture = &working, .others = source.others}, options);
  }
  Encoded encoded;
  const Size base = picture.size();
  const std::vector<ExrChannel> channels = channels_of(picture, options, encoded);
  const std::vector<Attribute> attributes = attributes_of(picture, options.mipmapped);
  const HeaderView header = header_of(channels, attributes, base, options, encoded);
  {
    const auto views = views_of(channels, picture, options);
    size_t clamped_count = 0;
    for (const auto& view : views) clamped_count += view->planes.clamped_count;
    if (clamped_count > 0) encoded.warnings.push_back(fmt::format("{} values over 65504 were clamped", clamped_count));
    encoded.bytes = save(views.front()->image, header.header);
  }
  const int level = options.mipmapped ? 0 : options.level;
  const Windows windows = windows_at_level(windows_to_write(picture, encoded), level,
                                           options.mipmapped ? base : size_of_level(picture, options));
  const Compression packed = compression_of_tinyexr(options.compression);
  patch_exr(encoded.bytes, windows, attributes, options.mipmapped ? 0 : packed == Compression::zip ? 16 : 1);
  if (needs_openexr(options.compression)) encoded.bytes = recompressed(encoded.bytes.bytes(), options.compression);
  const bool is_lossy = options.compression >= Compression::pxr24;
  if (is_lossy && picture.compression == compression_names[size_t(options.compression)])
    encoded.warnings.push_back(fmt::format(
        "compression {} is lossy and is applied a second time (avoid it with --compression zip)", picture.compression));
  if (source.others && source.others->are_kept())
    if (TexelBuffer joined = join_parts(encoded.bytes.bytes(), *source.others, encoded.warnings); !joined.empty()) {
      encoded.bytes = std::move(joined);
      encoded.has_other_parts = true;
    }
  return encoded;
}

}  // namespace gpupost
