#include "core/codec/encode.h"

#include "core/convert.h"
#include "core/error.h"

#include <algorithm>

namespace gpupost {

bool is_working(const Picture& picture) {
  return std::ranges::all_of(picture.groups, [&](const Group& group) {
    if (!group.is_colour || group.depth == Depth::u32) return true;
    const bool is_premultiplied = picture.alpha == Alpha::premultiplied || !group.has_alpha();
    return is_float(group.depth) && picture.transfer == Transfer::linear && is_premultiplied;
  });
}

Picture working_copy(const Picture& picture, Depth storage) {
  Picture copy{.format = picture.format,
               .compression = picture.compression,
               .data_window = picture.data_window,
               .display_window = picture.display_window,
               .transfer = picture.transfer,
               .exponent = picture.exponent,
               .alpha = picture.alpha,
               .attributes = picture.attributes};
  for (const Group& group : picture.groups) {
    Group& made = copy.groups.emplace_back(Group{.channels = group.channels,
                                                 .depth = group.depth,
                                                 .is_colour = group.is_colour,
                                                 .is_luminance = group.is_luminance});
    for (const Level& level : group.levels) {
      Memory texels(level.texels.size());
      std::ranges::copy(level.texels.bytes(), texels.data());
      made.levels.push_back(Level{level.size, std::move(texels)});
    }
  }
  make_working(copy, storage);
  return copy;
}

std::string channel_names(const Picture& picture) {
  std::string names;
  for (const Group& group : picture.groups)
    for (const Channel& channel : group.channels)
      if (!channel.name.empty()) names += (names.empty() ? "" : " ") + channel.name;
  return names;
}

Encoded encode(const Format& format, std::span<const Source> sources, Arrangement arrangement,
               const EncodeOptions& options) {
  if (!format.can_write())
    fail(Exit::output, "{} files can be read here but not written; expected {}", format.name, writable_extensions());
  if (format.holds_arrangements) return encode_texture(format, sources, arrangement, options);
  if (sources.size() != 1 || arrangement != Arrangement::single)
    fail(Exit::output, "{} holds one picture, not {} of a cube or an array", format.name, sources.size());
  return format.name == "exr" ? encode_exr(*sources.front().picture, options) : encode_png(sources.front(), options);
}

Encoded encode(const Format& format, const Picture& picture, const EncodeOptions& options) {
  const Source source{.picture = &picture};
  return encode(format, std::span(&source, 1), Arrangement::single, options);
}

}  // namespace gpupost
