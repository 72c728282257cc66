// The table of formats. A new format is a folder with its reader or writer, and a row here.
#pragma once

#include "core/codec/common/format.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

std::span<const Format> all_formats();
std::vector<std::string_view> writable_formats();  // their names
// The extensions of the formats that can be written, those that hold a whole mip chain alone if `with_levels`, as
// messages name what they expect: ".exr, .png or .dds".
std::string writable_extensions(bool with_levels = false);
const Format* format_named(std::string_view name);         // nullptr: none
const Format* format_of_extension(std::string_view path);  // by what follows the last dot; nullptr: none
// The compression that a file of `format` gets where none is asked for: the input's if it came from that format, else zip.
Compression natural_compression(const Format& format, const Picture& picture);
const Format* format_of_bytes(Bytes start);  // by magic bytes; nullptr: no image format known here

constexpr size_t magic_bytes = 18;  // that tell the formats apart: a TGA's whole header
// The format of a file that begins so. Throws Error(Exit::input) for no image, and for a format that is only written.
const Format& readable_format(Bytes start);

}  // namespace gpupost
