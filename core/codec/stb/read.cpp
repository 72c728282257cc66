// Reads BMP, TGA and Radiance with stb_image, after its own check for each format.
#include "core/codec/common/reader.h"
#include "core/codec/metadata/checked_file.h"
#include "core/codec/metadata/raster.h"

#include <fmt/core.h>
#include <stb_image.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace gpupost {

namespace {

struct Texels {
  std::unique_ptr<void, void (*)(void*)> data;
  Size size;
  int channel_count = 0;  // channels in the file; texels always have four
};

Texels load(Bytes file, Depth depth) {
  if (file.size() > size_t(std::numeric_limits<int>::max()))
    fail(Exit::input, "has {} bytes; at most {}", file.size(), std::numeric_limits<int>::max());
  Texels texels{.data = {nullptr, stbi_image_free}, .size = {}, .channel_count = 0};
  const auto load_with = [&](auto* function) {
    return static_cast<void*>(function(unsigned_bytes(file), int(file.size()), &texels.size.width, &texels.size.height,
                                       &texels.channel_count, 4));
  };
  texels.data.reset(depth == Depth::f32 ? load_with(stbi_loadf_from_memory) : load_with(stbi_load_from_memory));
  if (!texels.data) fail(Exit::input, "cannot be decoded: {}", stbi_failure_reason());
  return texels;
}

// Whether alpha makes a difference. Where it is 0 everywhere, ops warn of it.
bool has_visible_alpha(const Raster& raster) {
  if (raster.channel_count % 2 != 0) return false;
  const std::span<const uint8_t> bytes = raster.texels.as<uint8_t>();
  uint8_t least = 255, most = 0;
  for (size_t i = 3; i < bytes.size(); i += 4) {
    least = std::min(least, bytes[i]);
    most = std::max(most, bytes[i]);
  }
  return least < 255 && most > 0;
}

Decoded read(std::string_view format, Bytes file, Checked checked, Depth depth, const DecodeOptions& options,
             const TexelAllocator& lend) {
  check_is_only_part(options.part, format);
  Raster raster{.format = format,
                .size = checked.size,
                .depth = depth,
                .texels = lend_texels(checked.size, depth, options.limits, lend),
                .alpha = is_float(depth) ? Alpha::premultiplied : checked.alpha,
                .colors = std::move(checked.colors)};
  if (is_float(depth)) raster.colors.transfer = Transfer::linear;
  const Texels texels = load(checked.rewritten.empty() ? file : Bytes(checked.rewritten), depth);
  if (texels.size != checked.size)
    fail(Exit::input, "has two sizes, {} x {} and {} x {} texels", checked.size.width, checked.size.height,
         texels.size.width, texels.size.height);
  std::memcpy(raster.texels.data(), texels.data.get(), raster.texels.size());
  raster.channel_count = texels.channel_count;
  if (!checked.denies_alpha.empty() && options.alpha == AlphaUse::as_recorded && has_visible_alpha(raster))
    raster.colors.warnings.push_back(fmt::format(
        "its {} says that alpha has no meaning; it is read as alpha (to drop it, run the file through `channels --list "
        "R,G,B` with --input-alpha data)",
        checked.denies_alpha));
  return decoded_of(std::move(raster), options, lend);
}

}  // namespace

Decoded read_bmp(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  return read("bmp", file, check_bmp(file, options.limits), Depth::u8, options, lend);
}

Decoded read_tga(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  return read("tga", file, check_tga(file, options.limits), Depth::u8, options, lend);
}

Decoded read_hdr(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  return read("hdr", file, check_hdr(file, options.limits), Depth::f32, options, lend);
}

}  // namespace gpupost
