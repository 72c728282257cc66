// The table of formats. To add a format, add a folder with a reader or writer, and a row here.
#pragma once

#include "core/codec/common/format.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

std::span<const Format> all_formats();
// Extensions of formats that can be written, with the name of each.
std::vector<std::string_view> writable_formats();
// Extensions of formats that can be written, for messages: ".exr, .png or .dds". With `with_levels`, only formats that
// can hold all mip levels.
std::string writable_extensions(bool with_levels = false);
const Format* format_named(std::string_view name);         // nullptr if there is none
const Format* format_of_extension(std::string_view path);  // from the text after the last dot; nullptr if unknown
// Compression of a `format` output without --compression: as the input if it has the same format, else zip.
Compression natural_compression(const Format& format, const Picture& picture);
const Format* format_of_bytes(Bytes start);  // from magic bytes; nullptr if unknown

constexpr size_t magic_bytes = 18;  // bytes that are enough to detect a format: the size of a TGA header
// The format of a file that begins with `start`. Throws Error(Exit::input) if it is unknown, or if this build cannot read it.
const Format& readable_format(Bytes start);

}  // namespace gpupost
