// The size that a call of `resize` asks for, and where the texels of the scaled image lie.
#pragma once

#include "core/op/op.h"
#include "core/reference/filter.h"

#include <optional>
#include <string_view>

namespace gpupost {

inline constexpr int most_resized_texels = 32768;  // a side, as files and devices have them

// Whether a call has an option of size: --size, --fit, --fill or --long-side.
bool is_given(const Call& call, std::string_view option);

// The scaled image, of which the result is all or the middle that --fill keeps. Sizes are those before --pad.
struct ScaledImage {
  Size size;
  Region kept;
  Scales scales;
};
ScaledImage scaled_image(const Call& call, Size from);

// Windows of what is kept of it. Throws Error(Exit::usage) where nothing is, or where it is too large.
Windows scaled_windows(const Call& call, const Windows& windows);

// The texel under the middle of a texel of the result, the lower one of two.
Position nearest_resized_texel(const Call& call, Size from, Position at);

// The display window of the scaled image, and the part that --fill keeps; none without --fill.
struct CutFrame {
  Window whole, kept;
};
std::optional<CutFrame> frame_of_fill(const Call& call, const Windows& windows);

}  // namespace gpupost
