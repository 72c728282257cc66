#include "core/codec/exr/header.h"

#include "core/codec/common/size_limits.h"
#include "core/codec/exr/attributes.h"
#include "core/image/window_bounds.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <set>

namespace gpupost {

namespace {

constexpr size_t max_attribute_count = 4096;
// Limit for all values together; a preview image is one of them.
constexpr size_t max_attribute_bytes = size_t(64) << 20;
constexpr size_t max_name_bytes = 255;

constexpr int compression_count = int(Compression::dwab) + 1;
// Scan lines per chunk.
constexpr std::array<int, compression_count> lines_a_chunk = {1, 1, 1, 16, 32, 16, 32, 32, 32, 256};

// Reads a zero-terminated text at `at`.
std::string_view text_at(Bytes file, size_t at, std::string_view what) {
  const std::string_view rest = text_of(file).substr(std::min(at, file.size()));
  const size_t length = rest.find('\0');
  if (length == std::string_view::npos && rest.size() <= max_name_bytes)
    fail(Exit::input, "is cut off: {} at byte {} has no end", what, at);
  if (length > max_name_bytes) fail(Exit::input, "{} at byte {} is longer than {} bytes", what, at, max_name_bytes);
  return rest.substr(0, length);
}

struct RawAttribute {
  std::string_view name;
  std::string_view type;
  Bytes value;
  size_t next = 0;  // position after the attribute
};

RawAttribute attribute_at(Bytes file, size_t at) {
  RawAttribute attribute;
  attribute.name = text_at(file, at, "an attribute's name");
  attribute.type = text_at(file, at + attribute.name.size() + 1, "an attribute's type");
  const size_t size_at = at + attribute.name.size() + attribute.type.size() + 2;
  const uint32_t bytes = little_at<uint32_t>(file, size_at);
  if (bytes > file.size() - size_at - 4)
    fail(Exit::input, "attribute {} claims {} bytes; the file has {} left", printable(attribute.name), bytes,
         file.size() - size_at - 4);
  attribute.value = part_of(file, size_at + 4, bytes);
  attribute.next = size_at + 4 + bytes;
  return attribute;
}

struct SampledChannel {
  Channel channel;
  Size sampling;
};

SampledChannel channel_at(Bytes list, size_t& at) {
  Channel channel;
  channel.name = text_at(list, at, "a channel's name");
  at += channel.name.size() + 1;
  const uint32_t type = little_at<uint32_t>(list, at);
  const int32_t across = little_at<int32_t>(list, at + 8);
  const int32_t down = little_at<int32_t>(list, at + 12);
  at += 16;
  if (type > 2) fail(Exit::input, "channel {} is of type {}; 0 to 2 are known", printable(channel.name), type);
  if (across < 1 || down < 1)
    fail(Exit::input, "channel {} is sampled {} x {}; at least 1 x 1", printable(channel.name), across, down);
  channel.depth = type == 0 ? Depth::u32 : type == 1 ? Depth::half : Depth::f32;
  return {std::move(channel), {across, down}};
}

void take_channels(ExrHeader& header, Bytes value, const Limits& limits) {
  size_t at = 0;
  while (byte_at(value, at) != 0) {
    const auto [channel, sampling] = channel_at(value, at);
    if (!header.channels.empty() && channel.name <= header.channels.back().name)
      fail(Exit::input, "channel {} comes after {}; each channel must be there once, in alphabetical order",
           printable(channel.name), printable(header.channels.back().name));
    if (int(header.channels.size()) == limits.channel_count)
      fail(Exit::input, "has more than {} channels (raise the limit with --max-channels)", limits.channel_count);
    header.channels.push_back(channel);
    header.samplings.push_back(sampling);
  }
  if (header.channels.empty()) fail(Exit::input, "has no channels");
  if (at + 1 != value.size()) fail(Exit::input, "its channel list ends after {} of {} bytes", at + 1, value.size());
  header.channel_list = value;
}

Window window_in(Bytes value) {
  return {little_at<int32_t>(value, 0), little_at<int32_t>(value, 4), little_at<int32_t>(value, 8),
          little_at<int32_t>(value, 12)};
}

void take_compression(ExrHeader& header, Bytes value, const Limits&) {
  header.compression = byte_at(value, 0);
  if (header.compression >= compression_count)
    fail(Exit::input, "its compression is number {}; 0 to {} are known", header.compression, compression_count - 1);
}

void take_line_order(ExrHeader& header, Bytes value, const Limits&) {
  header.line_order = byte_at(value, 0);
  if (header.line_order > 2) fail(Exit::input, "its line order is number {}; 0 to 2 are known", header.line_order);
}

void take_tiles(ExrHeader& header, Bytes value, const Limits& limits) {
  const uint32_t width = little_at<uint32_t>(value, 0);
  const uint32_t height = little_at<uint32_t>(value, 4);
  const uint8_t mode = byte_at(value, 8);
  if (width < 1 || height < 1 || width > uint32_t(limits.side) || height > uint32_t(limits.side))
    fail(Exit::input, "its tiles are {} x {} texels; expected 1 to {} per side (raise it with --max-side)", width,
         height, limits.side);
  if ((mode & 15) > 2 || (mode >> 4) > 1) fail(Exit::input, "its tiles have the unknown mode {:#x}", mode);
  header.chunk_size = {int(width), int(height)};
  header.level_mode = ExrLevels(mode & 15);
  header.rounds_up = (mode >> 4) == 1;
}

void take_data_window(ExrHeader& header, Bytes value, const Limits&) { header.data_window = window_in(value); }
void take_display_window(ExrHeader& header, Bytes value, const Limits&) { header.display_window = window_in(value); }
void take_nothing(ExrHeader&, Bytes, const Limits&) {}

void take_name(ExrHeader& header, Bytes value, const Limits&) {
  if (value.size() <= max_name_bytes) header.name = text_of(value);
  else if (header.has_part_numbers)
    fail(Exit::input, "its part's name has {} bytes; at most {}", value.size(), max_name_bytes);
}

void take_chunk_count(ExrHeader& header, Bytes value, const Limits&) {
  header.claimed_chunk_count = little_at<uint32_t>(value, 0);
}

// In multi-part and deep files each part has its type; otherwise the flags decide. OpenEXR 3.1.5 reads a flat file that
// claims to be deep.
void take_type(ExrHeader& header, Bytes value, const Limits&) {
  if (!header.has_part_numbers && !header.is_deep) return;
  const std::string_view type = text_of(value);
  const std::string_view types[] = {"scanlineimage", "tiledimage", "deepscanline", "deeptile"};
  const auto found = std::ranges::find(types, type);
  if (found == std::end(types))
    fail(Exit::input, "a part of type {} is not supported; expected {}", printable(type.substr(0, max_name_bytes)),
         fmt::join(types, ", "));
  header.type = type;
  header.is_tiled = type == "tiledimage" || type == "deeptile";
  if (header.is_deep && !type.starts_with("deep"))
    fail(Exit::input, "its type is {}, but its flags say that it holds deep data", type);
  header.is_deep = type.starts_with("deep");
}

// Attributes that the format requires or that describe storage. The others describe the image and are kept.
struct KnownAttribute {
  std::string_view name;
  std::string_view type;
  size_t bytes;  // 0: any size
  bool is_required;
  bool is_kept;
  void (*take)(ExrHeader&, Bytes, const Limits&);
};
constexpr KnownAttribute known_attributes[] = {
    {"channels", "chlist", 0, true, false, take_channels},
    {"compression", "compression", 1, true, false, take_compression},
    {"dataWindow", "box2i", 16, true, false, take_data_window},
    {"displayWindow", "box2i", 16, true, false, take_display_window},
    {"lineOrder", "lineOrder", 1, true, false, take_line_order},
    {"pixelAspectRatio", "float", 4, true, true, take_nothing},
    {"screenWindowCenter", "v2f", 8, true, true, take_nothing},
    {"screenWindowWidth", "float", 4, true, true, take_nothing},
    {"tiles", "tiledesc", 9, false, false, take_tiles},
    {"chunkCount", "int", 4, false, false, take_chunk_count},
    {"type", "string", 0, false, false, take_type},
    {"name", "string", 0, false, false, take_name},
    {"version", "int", 4, false, false, take_nothing},
    {"maxSamplesPerPixel", "int", 4, false, false, take_nothing},
};

// Whether the attribute describes a part of this type. In other parts, it may have any type.
bool has_meaning(std::string_view name, const ExrHeader& header) {
  if (name == "name") return header.has_part_numbers;
  if (name == "tiles") return header.is_tiled;
  if (name == "version" || name == "maxSamplesPerPixel") return header.is_deep;
  return name != "chunkCount" || header.has_part_numbers || header.is_deep;
}

void take(ExrHeader& header, const RawAttribute& raw, const Limits& limits) {
  const auto known = std::ranges::find(known_attributes, raw.name, &KnownAttribute::name);
  if (known != std::end(known_attributes) && (raw.type == known->type || has_meaning(known->name, header))) {
    if (raw.type != known->type)
      fail(Exit::input, "attribute {} is of type {}; it must be {}", raw.name, printable(raw.type), known->type);
    if (known->bytes != 0 && raw.value.size() != known->bytes)
      fail(Exit::input, "attribute {} has {} bytes; it must have {}", raw.name, raw.value.size(), known->bytes);
    if (known->name != "tiles" || has_meaning(known->name, header)) known->take(header, raw.value, limits);
    const bool is_own_name = known->name == "name" && !header.has_part_numbers;  // of parts, it says which one this is
    const bool is_for_deep = known->name == "version" || known->name == "maxSamplesPerPixel";
    if (!known->is_kept && !is_own_name && (!is_for_deep || header.is_deep)) return;
  }
  check_exr_attribute(raw.name, raw.type, raw.value);
  const unsigned char* start = unsigned_bytes(raw.value);
  header.attributes.push_back({.name = std::string(raw.name),
                               .type = std::string(raw.type),
                               .value = std::vector<uint8_t>(start, start + raw.value.size())});
}

// Whether every part of this kind must have the attribute.
bool is_required(const KnownAttribute& known, const ExrHeader& header) {
  if (known.name == "tiles") return header.is_tiled;
  if (known.name == "type" && header.is_deep) return true;
  const bool is_of_parts = known.name == "name" || known.name == "type" || known.name == "chunkCount";
  return known.is_required || (is_of_parts && header.has_part_numbers);
}

void check_windows(const ExrHeader& header, const Limits& limits) {
  const Window& data = header.data_window;
  const Window& display = header.display_window;
  check_claimed_size(int64_t(data.max_x) - data.min_x + 1, int64_t(data.max_y) - data.min_y + 1, limits);
  const int far = std::max({std::abs(int64_t(data.min_x)), std::abs(int64_t(data.min_y)), std::abs(int64_t(data.max_x)),
                            std::abs(int64_t(data.max_y))}) > data_window_bound;
  if (far) fail(Exit::input, "its data window extends more than {} from the origin", data_window_bound);
  if (display.min_x > display.max_x || display.min_y > display.max_y)
    fail(Exit::input, "its display window ({}, {}) - ({}, {}) is empty", display.min_x, display.min_y, display.max_x,
         display.max_y);
  if (std::min(display.min_x, display.min_y) <= -window_bound || std::max(display.max_x, display.max_y) >= window_bound)
    fail(Exit::input, "its display window extends more than {} from the origin", window_bound);
}

// log2, rounded as the file requires.
int level_count(int side, bool up) {
  return up ? int(std::bit_width(unsigned(side) - 1)) + 1 : int(std::bit_width(unsigned(side)));
}

int level_side(int side, int level, bool up) {
  const int64_t unit = int64_t(1) << level;
  return int(std::max<int64_t>(1, up ? (side + unit - 1) / unit : side / unit));
}

// As OpenEXR requires: the window begins and ends at a sample.
void check_samplings(const ExrHeader& header) {
  const Window& window = header.data_window;
  const Size size = header.size();
  for (size_t i = 0; i < header.channels.size(); ++i) {
    const auto [across, down] = header.samplings[i];
    if (across == 1 && down == 1) continue;
    if (header.is_tiled || header.is_deep)
      fail(Exit::input, "channel {} is sampled {} x {}; in {} it must be 1 x 1", printable(header.channels[i].name),
           across, down, header.is_tiled ? "tiles" : "deep data");
    if (window.min_x % across || window.min_y % down || size.width % across || size.height % down)
      fail(Exit::input, "channel {} is sampled {} x {}; the data window ({}, {}) - ({}, {}) is not a multiple of it",
           printable(header.channels[i].name), across, down, window.min_x, window.min_y, window.max_x, window.max_y);
  }
}

void add_level(ExrHeader& header, int x, int y) {
  const Size base = header.size();
  ExrLevel level;
  level.x = x;
  level.y = y;
  level.first_chunk = header.chunk_count();
  level.size = {level_side(base.width, x, header.rounds_up), level_side(base.height, y, header.rounds_up)};
  level.columns = int((int64_t(level.size.width) + header.chunk_size.width - 1) / header.chunk_size.width);
  level.rows = int((int64_t(level.size.height) + header.chunk_size.height - 1) / header.chunk_size.height);
  header.levels.push_back(level);
}

void plan_levels(ExrHeader& header) {
  const Size base = header.size();
  const bool up = header.rounds_up;
  if (!header.is_tiled) header.chunk_size = {base.width, lines_of_exr_chunk(header.compression)};
  if (header.is_tiled && header.level_mode == ExrLevels::ripmap) {
    for (int y = 0; y < level_count(base.height, up); ++y)
      for (int x = 0; x < level_count(base.width, up); ++x) add_level(header, x, y);
    return;
  }
  const int count =
      !header.is_tiled || header.level_mode == ExrLevels::one ? 1 : level_count(std::max(base.width, base.height), up);
  for (int level = 0; level < count; ++level) add_level(header, level, level);
}

}  // namespace

std::string_view name_of_compression(int compression) { return compression_names[size_t(compression)]; }

int lines_of_exr_chunk(int compression) { return lines_a_chunk.at(size_t(compression)); }

size_t ExrHeader::bytes_per_texel() const {
  size_t bytes = 0;
  for (const Channel& channel : channels) bytes += bytes_of(channel.depth);
  return bytes;
}

bool ExrHeader::is_subsampled() const {
  return std::ranges::any_of(samplings, [](Size sampling) { return sampling != Size{1, 1}; });
}

size_t ExrHeader::chunk_count() const {
  if (levels.empty()) return 0;
  return levels.back().first_chunk + size_t(levels.back().columns) * size_t(levels.back().rows);
}

ExrHeader parse_exr_header(Bytes file, size_t& at, bool is_one_of_several, const Limits& limits) {
  ExrHeader header;
  header.has_part_numbers = is_one_of_several;
  header.is_tiled = !is_one_of_several && (little_at<uint32_t>(file, 4) & exr_is_tiled) != 0;
  header.is_deep = !is_one_of_several && (little_at<uint32_t>(file, 4) & exr_is_deep) != 0;
  const size_t start = at;
  std::set<std::string_view> seen;
  std::vector<RawAttribute> attributes;
  size_t value_bytes = 0;
  while (byte_at(file, at) != 0) {
    const RawAttribute raw = attribute_at(file, at);
    if (!seen.insert(raw.name).second) fail(Exit::input, "has attribute {} twice", printable(raw.name));
    value_bytes += raw.value.size();
    if (seen.size() > max_attribute_count) fail(Exit::input, "has more than {} attributes", max_attribute_count);
    if (value_bytes > max_attribute_bytes)
      fail(Exit::input, "has attributes of more than {} bytes together", max_attribute_bytes);
    attributes.push_back(raw);
    at = raw.next;
  }
  // the type of the part decides what other attributes must be
  const auto is_type = [](const RawAttribute& raw) { return raw.name == "type"; };
  std::stable_partition(attributes.begin(), attributes.end(), is_type);
  for (const RawAttribute& raw : attributes) take(header, raw, limits);
  header.raw = part_of(file, start, at - start);
  ++at;
  for (const KnownAttribute& known : known_attributes)
    if (is_required(known, header) && !seen.contains(known.name))
      fail(Exit::input, "has no attribute {}, which every EXR {}has", known.name,
           is_one_of_several && !known.is_required ? "part "
           : header.is_tiled                       ? "file of tiles "
                                                   : "file ");
  if (header.is_deep && header.compression > int(Compression::zips))
    fail(Exit::input, "its deep data has compression {}; expected none, rle or zips",
         name_of_compression(header.compression));
  check_windows(header, limits);
  check_samplings(header);
  plan_levels(header);
  return header;
}

}  // namespace gpupost
