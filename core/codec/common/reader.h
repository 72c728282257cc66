// Readers of formats. Each checks the whole file and decodes one level per group into memory of the caller's allocator.
// They throw Error(Exit::input).
#pragma once

#include "core/base/error.h"
#include "core/codec/common/format.h"

#include <string>
#include <string_view>

namespace gpupost {

// For formats without parts, whose image is part 0. `part`: the requested one, "" for none.
inline void check_is_only_part(const std::string& part, std::string_view format) {
  if (!part.empty() && part != "0") fail(Exit::input, "has no part {}; a {} file has only part 0", part, format);
}

// For a file with this number of parts. `more`: other ways to name them.
[[noreturn]] inline void refuse_part(std::string_view part, uint64_t count, std::string_view more = "") {
  fail(Exit::input, "has no part {}; it has {}{}", part,
       count == 1 ? std::string("part 0") : fmt::format("the parts 0 to {}", count - 1), more);
}

// For a file with this number of levels.
[[noreturn]] inline void refuse_level(int level, int count) {
  fail(Exit::input, "has no level {}; expected --level 0{}", level,
       count == 1 ? ", its only level" : fmt::format(" to {}", count - 1));
}

Decoded read_exr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_png(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_jpeg(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_tiff(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_ktx2(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_dds(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_webp(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_bmp(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_hdr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);
Decoded read_tga(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);

// Detects the format of `file` and decodes it.
Decoded read_picture(Bytes file, const DecodeOptions& options, const TexelAllocator& lend);

}  // namespace gpupost
