#include "core/codec/exr/write_header.h"

#include "core/codec/common/little.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpupost {
namespace {

constexpr std::array<std::string_view, 11> storage_attributes{
    "channels", "compression", "dataWindow", "displayWindow",      "lineOrder",          "tiles",
    "type",     "version",     "chunkCount", "maxSamplesPerPixel", "dwaCompressionLevel"};

// Attributes of texture systems about earlier texels. They would be wrong for new texels, and such a hash makes
// different files look equal.
constexpr std::array<std::string_view, 3> texel_attributes{"oiio:AverageColor", "oiio:ConstantColor", "oiio:SHA-1"};

// Attributes that every file must have, with their values if the image has none of the same size.
struct Required {
  std::string_view name, type;
  std::array<float, 2> usual;
  size_t bytes;
};
constexpr Required required_attributes[] = {{"pixelAspectRatio", "float", {1}, sizeof(float)},
                                            {"screenWindowCenter", "v2f", {}, 2 * sizeof(float)},
                                            {"screenWindowWidth", "float", {1}, sizeof(float)}};

constexpr size_t longest_short_name = 31;  // bytes; longer names need a flag in the file

bool is_long(std::string_view name) { return name.size() > longest_short_name; }

int32_t code_of(Depth depth) { return depth == Depth::u32 ? 0 : depth == Depth::half ? 1 : 2; }

std::vector<std::byte> list_of(std::span<const ExrChannel> channels) {
  std::vector<std::byte> list;
  for (const ExrChannel& channel : channels) {
    put_text(list, channel.name);
    put(list, char(0));
    put(list, code_of(channel.depth));
    put(list, int32_t(0));                    // not perceptually linear
    put(list, std::array<int32_t, 2>{1, 1});  // not subsampled
  }
  put(list, char(0));
  return list;
}

bool is_required(std::string_view name) {
  return std::ranges::find(required_attributes, name, &Required::name) != std::end(required_attributes);
}

bool is_manifest(const Attribute& attribute) { return attribute.type == "idmanifest"; }

}  // namespace

bool is_storage_attribute(std::string_view name) {
  return std::ranges::find(storage_attributes, name) != storage_attributes.end();
}

bool is_texel_attribute(std::string_view name) {
  return std::ranges::find(texel_attributes, name) != texel_attributes.end();
}

void put_attribute(std::vector<std::byte>& header, std::string_view name, std::string_view type, Bytes value) {
  for (const std::string_view text : {name, type}) {
    put_text(header, text);
    put(header, uint8_t(0));
  }
  put(header, uint32_t(value.size()));
  header.insert(header.end(), value.begin(), value.end());
}

std::vector<std::byte> exr_header(const ExrHeaderText& header) {
  static_assert(sizeof(Window) == 4 * sizeof(int32_t), "a box2i of the file");
  std::vector<std::byte> bytes;
  bool has_long_names = std::ranges::any_of(header.channels, is_long, &ExrChannel::name);
  const auto put_own = [&](const Attribute& own) {
    has_long_names |= is_long(own.name) || is_long(own.type);
    put_attribute(bytes, own.name, own.type, std::as_bytes(std::span(own.value)));
  };
  put(bytes, int32_t(20000630));
  put(bytes, int32_t(0));  // version and flags, see below
  put_attribute(bytes, "channels", "chlist", list_of(header.channels));
  put_attribute(bytes, "compression", "compression", char(header.compression));
  put_attribute(bytes, "dataWindow", "box2i", header.windows.data);
  put_attribute(bytes, "displayWindow", "box2i", header.windows.display);
  // OpenEXR 3.1.5 reads four bytes too many for an idmanifest. After the last attribute, that is the end of the header,
  // and the file is unreadable. Before lineOrder, it is the start of that name, and readers use the default order, which
  // is correct.
  for (const Attribute& attribute : header.attributes)
    if (is_manifest(attribute)) put_own(attribute);
  put_attribute(bytes, "lineOrder", "lineOrder", char(0));
  for (const Required& required : required_attributes) {
    const auto own = std::ranges::find_if(header.attributes, [&](const Attribute& attribute) {
      return attribute.name == required.name && attribute.value.size() == required.bytes;
    });
    const Bytes usual = std::as_bytes(std::span(required.usual)).first(required.bytes);
    put_attribute(bytes, required.name, required.type,
                  own == header.attributes.end() ? usual : std::as_bytes(std::span(own->value)));
  }
  const bool is_tiled = header.tile.width > 0;
  if (is_tiled) {
    std::array<std::byte, 9> tiles{};
    std::memcpy(tiles.data(), &header.tile, 2 * sizeof(int32_t));
    tiles[8] = std::byte{1};  // mip levels, sizes rounded down
    put_attribute(bytes, "tiles", "tiledesc", tiles);
  }
  for (const Attribute& attribute : header.attributes)
    if (!is_required(attribute.name) && !is_manifest(attribute)) put_own(attribute);
  put(bytes, char(0));
  const int32_t version = 2 | (is_tiled ? 0x200 : 0) | (has_long_names ? 0x400 : 0);
  std::memcpy(bytes.data() + sizeof(int32_t), &version, sizeof version);
  return bytes;
}

}  // namespace gpupost
