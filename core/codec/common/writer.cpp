#include "core/codec/common/writer.h"

#include "core/image/to_working.h"

#include <algorithm>

namespace gpupost {

bool is_working(const Picture& picture) {
  return std::ranges::all_of(picture.groups, [&](const Group& group) {
    if (!group.is_color || group.depth == Depth::u32) return true;
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
                                                 .is_color = group.is_color,
                                                 .is_data = group.is_data,
                                                 .is_luminance = group.is_luminance});
    for (const Level& level : group.levels) {
      TexelBuffer texels(level.texels.size());
      std::ranges::copy(level.texels.bytes(), texels.data());
      made.levels.push_back(Level{level.size, std::move(texels)});
    }
  }
  make_working(copy, storage);
  return copy;
}

}  // namespace gpupost
