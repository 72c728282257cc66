#include "core/codec/exr/fix_tinyexr.h"

#include "core/base/math.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpupost {
namespace {

// Attributes that tinyexr writes with its own values.
constexpr std::array<std::string_view, 3> patched_attributes{"pixelAspectRatio", "screenWindowCenter",
                                                             "screenWindowWidth"};

constexpr std::array<std::string_view, 11> storage_attributes{
    "channels", "compression", "dataWindow", "displayWindow",      "lineOrder",          "tiles",
    "type",     "version",     "chunkCount", "maxSamplesPerPixel", "dwaCompressionLevel"};

// Attributes of texture systems about earlier texels. They would be wrong for new texels, and such a hash makes
// different files look equal.
constexpr std::array<std::string_view, 3> texel_attributes{"oiio:AverageColor", "oiio:ConstantColor", "oiio:SHA-1"};

template <class Number>
Number number_at(const std::byte* place) {
  Number number;
  std::memcpy(&number, place, sizeof number);
  return number;
}

// Finds the values of a header's attributes. The header was written by this program and needs no checks.
struct AttributeSpan {
  std::string_view name;
  std::string_view type;
  std::byte* begin = nullptr;
  std::byte* value = nullptr;
  size_t bytes = 0;

  std::byte* end() const { return value + bytes; }
};

struct Header {
  std::vector<AttributeSpan> attributes;
  std::byte* end = nullptr;  // start of the offset table
};

Header header_of(TexelBuffer& file) {
  Header header;
  std::byte* at = file.data() + 8;  // after magic number and version
  while (*at != std::byte{0}) {
    AttributeSpan& place = header.attributes.emplace_back();
    place.begin = at;
    place.name = reinterpret_cast<const char*>(at);
    place.type = place.name.data() + place.name.size() + 1;
    at += place.name.size() + place.type.size() + 2;
    place.bytes = size_t(number_at<int32_t>(at));
    place.value = at + sizeof(int32_t);
    at = place.end();
  }
  header.end = at + 1;
  return header;
}

void replace(const Header& header, std::string_view name, const void* value, size_t bytes) {
  const auto place = std::ranges::find(header.attributes, name, &AttributeSpan::name);
  if (place != header.attributes.end() && place->bytes == bytes) std::memcpy(place->value, value, bytes);
}

// OpenEXR 3.1.5 reads four bytes too many for an idmanifest. After the last attribute, that is the end of the header,
// and the file is unreadable. Before lineOrder, it is the start of that name, and readers use the default order, which
// is correct.
void move_manifests(TexelBuffer& file) {
  const Header header = header_of(file);
  const auto line_order = std::ranges::find(header.attributes, "lineOrder", &AttributeSpan::name);
  std::byte* to = line_order->begin;
  for (const AttributeSpan& place : header.attributes)
    if (place.type == "idmanifest" && place.begin > to) to = std::rotate(to, place.begin, place.end());
}

// Every chunk of scan lines begins with the y of its first.
void move_chunks(TexelBuffer& file, const std::byte* offsets, int chunk_count, int min_y) {
  for (int chunk = 0; chunk < chunk_count; ++chunk) {
    std::byte* const at = file.data() + number_at<uint64_t>(offsets + size_t(chunk) * sizeof(uint64_t));
    const int32_t y = number_at<int32_t>(at) + min_y;
    std::memcpy(at, &y, sizeof y);
  }
}

}  // namespace

bool is_storage_attribute(std::string_view name) {
  return std::ranges::find(storage_attributes, name) != storage_attributes.end();
}

bool is_texel_attribute(std::string_view name) {
  return std::ranges::find(texel_attributes, name) != texel_attributes.end();
}

bool is_patched_attribute(std::string_view name) {
  return std::ranges::find(patched_attributes, name) != patched_attributes.end();
}

void patch_exr(TexelBuffer& file, const Windows& windows, const std::vector<Attribute>& attributes, int chunk_lines) {
  static_assert(sizeof(Window) == 4 * sizeof(int32_t), "a box2i of the file");
  move_manifests(file);
  const Header header = header_of(file);
  replace(header, "dataWindow", &windows.data, sizeof windows.data);
  replace(header, "displayWindow", &windows.display, sizeof windows.display);
  for (const Attribute& attribute : attributes)
    if (is_patched_attribute(attribute.name))
      replace(header, attribute.name, attribute.value.data(), attribute.value.size());
  const Window& data = windows.data;
  if (chunk_lines == 0 || data.min_y == 0) return;
  const int line_count = data.max_y - data.min_y + 1;
  move_chunks(file, header.end, div_ceil(line_count, chunk_lines), data.min_y);
}

}  // namespace gpupost
