#include "core/codec/exr/write_header.h"

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

class HeaderWriter {
 public:
  std::vector<std::byte> bytes;
  bool has_long_names = false;

  template <class Number>
  void number(const Number& number) {
    add(&number, sizeof number);
  }
  // With the zero byte at its end.
  void name(std::string_view name) {
    has_long_names |= name.size() > longest_short_name;
    add(name.data(), name.size());
    number(char(0));
  }
  void attribute(std::string_view attribute_name, std::string_view type, const void* value, size_t count) {
    name(attribute_name);
    name(type);
    number(int32_t(count));
    add(value, count);
  }
  void attribute(const Attribute& own) { attribute(own.name, own.type, own.value.data(), own.value.size()); }

 private:
  void add(const void* from, size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + count);
  }
};

int32_t code_of(Depth depth) { return depth == Depth::u32 ? 0 : depth == Depth::half ? 1 : 2; }

std::vector<std::byte> list_of(std::span<const ExrChannel> channels, bool& has_long_names) {
  HeaderWriter list;
  for (const ExrChannel& channel : channels) {
    list.name(channel.name);
    list.number(code_of(channel.depth));
    list.number(int32_t(0));                    // not perceptually linear
    list.number(std::array<int32_t, 2>{1, 1});  // not subsampled
  }
  list.number(char(0));
  has_long_names |= list.has_long_names;
  return list.bytes;
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

std::vector<std::byte> exr_header(const ExrHeaderText& header) {
  static_assert(sizeof(Window) == 4 * sizeof(int32_t), "a box2i of the file");
  HeaderWriter to;
  to.number(int32_t(20000630));
  to.number(int32_t(0));  // version and flags, see below
  const std::vector<std::byte> list = list_of(header.channels, to.has_long_names);
  to.attribute("channels", "chlist", list.data(), list.size());
  to.attribute("compression", "compression", std::array{char(header.compression)}.data(), 1);
  to.attribute("dataWindow", "box2i", &header.windows.data, sizeof header.windows.data);
  to.attribute("displayWindow", "box2i", &header.windows.display, sizeof header.windows.display);
  // OpenEXR 3.1.5 reads four bytes too many for an idmanifest. After the last attribute, that is the end of the header,
  // and the file is unreadable. Before lineOrder, it is the start of that name, and readers use the default order, which
  // is correct.
  for (const Attribute& attribute : header.attributes)
    if (is_manifest(attribute)) to.attribute(attribute);
  to.attribute("lineOrder", "lineOrder", std::array{char(0)}.data(), 1);
  for (const Required& required : required_attributes) {
    const auto own = std::ranges::find_if(header.attributes, [&](const Attribute& attribute) {
      return attribute.name == required.name && attribute.value.size() == required.bytes;
    });
    const void* value =
        own == header.attributes.end() ? static_cast<const void*>(required.usual.data()) : own->value.data();
    to.attribute(required.name, required.type, value, required.bytes);
  }
  const bool is_tiled = header.tile.width > 0;
  if (is_tiled) {
    std::array<std::byte, 9> tiles{};
    std::memcpy(tiles.data(), &header.tile, 2 * sizeof(int32_t));
    tiles[8] = std::byte{1};  // mip levels, sizes rounded down
    to.attribute("tiles", "tiledesc", tiles.data(), tiles.size());
  }
  for (const Attribute& attribute : header.attributes)
    if (!is_required(attribute.name) && !is_manifest(attribute)) to.attribute(attribute);
  to.number(char(0));
  const int32_t version = 2 | (is_tiled ? 0x200 : 0) | (to.has_long_names ? 0x400 : 0);
  std::memcpy(to.bytes.data() + sizeof(int32_t), &version, sizeof version);
  return std::move(to.bytes);
}

}  // namespace gpupost
