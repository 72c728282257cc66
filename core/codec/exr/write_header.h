// Writes headers of EXR files, and says which attributes an image keeps.
#pragma once

#include "core/codec/common/format.h"
#include "core/image/level_windows.h"

#include <type_traits>

namespace gpupost {

// A channel of the output file.
struct ExrChannel {
  std::string name;
  const Group* group = nullptr;
  size_t component = 0;
  Depth depth = Depth::half;  // half, f32 or u32
};

// Returns whether the attribute describes storage. The writer makes those itself.
bool is_storage_attribute(std::string_view name);

// Returns whether the attribute describes the texels, so that it is wrong for other texels.
bool is_texel_attribute(std::string_view name);

// Content of the header of a single-part file. `channels` are sorted by name.
struct ExrHeaderText {
  std::span<const ExrChannel> channels;
  Compression compression = Compression::zip;
  Windows windows;
  Size tile;                              // of a mip-mapped file; 0 x 0: scan lines
  std::span<const Attribute> attributes;  // those that the writer does not make itself
};

// Appends an attribute to a header.
void put_attribute(std::vector<std::byte>& header, std::string_view name, std::string_view type, Bytes value);
template <class Value>
requires(!std::is_convertible_v<Value, Bytes>) void put_attribute(std::vector<std::byte>& header, std::string_view name,
                                                                  std::string_view type, const Value& value) {
  put_attribute(header, name, type, std::as_bytes(std::span(&value, 1)));
}

// The bytes from the magic number to the end of the header, where the table of chunks begins.
std::vector<std::byte> exr_header(const ExrHeaderText& header);

}  // namespace gpupost
