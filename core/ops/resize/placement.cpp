#include "core/ops/resize/placement.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/window_bounds.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

bool is_given(const Call& call, std::string_view option) {
  return option == "long-side" ? call.has(option) : !call.word(option).empty();
}

namespace {

bool is_fill(const Call& call) { return is_given(call, "fill"); }

// Is the result a share of the whole frame?
bool is_share(const Call& call) { return !is_given(call, "size") || percentage(call.word("size")).has_value(); }

// The sides scaled alike until they fit into the box of --fit, cover that of --fill, or the longer one has --long-side texels.
Size scaled_size(const Call& call, Size from) {
  double scale = 0;
  if (is_given(call, "long-side")) {
    scale = call.number("long-side") / std::max(from.width, from.height);
  } else {
    const auto box = whole_numbers(call.word(is_fill(call) ? "fill" : "fit"), "x");
    const double x = double((*box)[0]) / from.width, y = double((*box)[1]) / from.height;
    scale = is_fill(call) ? std::max(x, y) : std::min(x, y);
  }
  if (!call.flag("enlarge")) scale = std::min(scale, 1.0);
  const auto side = [&](int n) { return int(std::clamp(std::round(n * scale), 1.0, double(most_resized_texels) + 1)); };
  return {side(from.width), side(from.height)};
}

// The new sides of an image with the sides `from`: as given, or scaled.
Size asked_size(const Call& call, Size from) {
  const std::string& word = call.word("size");
  if (word.empty()) return scaled_size(call, from);
  const auto percent = percentage(word);
  const auto side = [&](int n) {
    return int(std::clamp(std::round(n * *percent / 100), 1.0, double(most_resized_texels) + 1));
  };
  const auto sides = whole_numbers(word, "x");
  return percent ? Size{side(from.width), side(from.height)} : Size{(*sides)[0], (*sides)[1]};
}

// Along one axis: texels are numbered as in EXR windows.
struct Side {
  int min = 0, max = 0;
  int64_t count() const { return int64_t(max) - min + 1; }
};

int64_t floor_of(int64_t number, int64_t divisor) {
  const int64_t quotient = number / divisor;
  return quotient - (number % divisor < 0 ? 1 : 0);
}

// How one axis of the picture is scaled. The corner of the frame, the display window, is a corner of texels in the source
// and in the result, so that all parts of a frame come out where the frame itself would have them.
struct Placed {
  Scale scale;
  Side data, display;
  int scaled = 0;   // texels that the data window becomes
  int skipped = 0;  // of these, those that --fill cuts off before the first
};

// The middle of the display window, at most `most` texels.
Side middle_of(const Side& display, int most) {
  const auto count = int(std::min<int64_t>(display.count(), most));
  const int begin = display.min + int(display.count() - count) / 2;
  return {begin, begin + count - 1};
}

// The part of an image in the middle of its display window, which then begins at 0.
Placed cut(Placed whole, int most) {
  const Side kept = middle_of(whole.display, most);
  const Side data{std::max(whole.data.min, kept.min), std::min(whole.data.max, kept.max)};
  if (data.min > data.max)
    fail(Exit::usage,
         "resize: --fill cuts off the whole data window of the image; use --fit, or `crop` before `resize`");
  whole.skipped = data.min - whole.data.min;
  whole.data = {data.min - kept.min, data.max - kept.min};
  whole.display = {0, kept.max - kept.min};
  return whole;
}

// `to`: what `from` texels become. Rounded outwards the data window holds all that the source has, else it has as many
// texels as were asked for.
Placed placed(const Side& data, const Side& display, int from, int to, bool is_outward) {
  const int64_t first = floor_of(int64_t(display.min) * to, from);
  const int64_t begin = (int64_t(data.min) - display.min) * to;  // behind `first`, in units of 1 / from texels
  const int64_t end = begin + data.count() * to;
  const int64_t offset = is_outward ? floor_of(begin, from) : floor_of(2 * begin + from, 2 * int64_t(from));
  const int64_t count = is_outward ? floor_of(end + from - 1, from) - offset : to;
  const int64_t frame = std::max<int64_t>(1, int64_t(std::round(double(display.count()) * to / from)));
  constexpr int64_t most = window_bound;
  if (std::max({std::abs(first), std::abs(first + frame), std::abs(first + offset),
                std::abs(first + offset + count)}) >= most)
    fail(Exit::usage, "resize: the windows of the result extend more than {} from the origin; make --size smaller",
         most - 1);
  return {.scale = {from, to, int(2 * (offset * from - begin))},
          .data = {int(first + offset), int(first + offset + count - 1)},
          .display = {int(first), int(first + frame - 1)},
          .scaled = int(count)};
}

struct Placement {
  Placed x, y;
};

// The scaled image, before --fill cuts it. A share is one of the frame's sides, rounded to whole texels; numbers of texels are
// those of the picture. Frames that are larger than pictures can be do not count.
Placement whole_placement_of(const Call& call, const Windows& windows) {
  const Window &data = windows.data, &display = windows.display;
  const Size size = size_of(data), frame = size_of(display), to = asked_size(call, size);
  const Size frame_to = asked_size(call, frame);
  const auto along = [&](Side data_side, Side display_side, int from_side, int to_side, int frame_side,
                         int frame_to_side) {
    const bool is_outward = is_share(call) && std::max(frame_side, frame_to_side) <= most_resized_texels;
    if (is_fill(call) && !is_outward) display_side = data_side;
    return is_outward ? placed(data_side, display_side, frame_side, frame_to_side, true)
                      : placed(data_side, display_side, from_side, to_side, false);
  };
  return {.x = along({data.min_x, data.max_x}, {display.min_x, display.max_x}, size.width, to.width, frame.width,
                     frame_to.width),
          .y = along({data.min_y, data.max_y}, {display.min_y, display.max_y}, size.height, to.height, frame.height,
                     frame_to.height)};
}

Size box_of_fill(const Call& call) {
  const auto sides = whole_numbers(call.word("fill"), "x");
  return {(*sides)[0], (*sides)[1]};
}

Placement placement_of(const Call& call, const Windows& windows) {
  const auto [x, y] = whole_placement_of(call, windows);
  if (!is_fill(call)) return {x, y};
  if (std::max(x.scaled, y.scaled) > most_resized_texels)
    fail(Exit::usage, "resize: --fill {} needs an image of more than {} texels per side before it is cut",
         call.word("fill"), most_resized_texels);
  const Size box = box_of_fill(call);
  return {.x = cut(x, box.width), .y = cut(y, box.height)};
}

}  // namespace

Windows scaled_windows(const Call& call, const Windows& windows) {
  const auto [x, y] = placement_of(call, windows);
  return {.data = {x.data.min, y.data.min, x.data.max, y.data.max},
          .display = {x.display.min, y.display.min, x.display.max, y.display.max}};
}

ScaledImage scaled_image(const Call& call, Size from) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  return {.size = {x.scaled, y.scaled},
          .kept = {.corner = {x.skipped, y.skipped}, .size = {int(x.data.count()), int(y.data.count())}},
          .scales = {.x = x.scale, .y = y.scale}};
}

Position nearest_resized_texel(const Call& call, Size from, Position at) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  const auto under = [](const Placed& placed, int i, int side) {
    const Scale& scale = placed.scale;
    const int64_t middle = (2 * (int64_t(i) + placed.skipped) + 1) * scale.from + scale.phase;
    return int(std::clamp<int64_t>(floor_of(middle - 1, 2 * int64_t(scale.to)), 0, side - 1));
  };
  return {under(x, at.x, from.width), under(y, at.y, from.height)};
}

std::optional<CutFrame> frame_of_fill(const Call& call, const Windows& windows) {
  if (!is_fill(call)) return {};
  const auto [x, y] = whole_placement_of(call, windows);
  const Size box = box_of_fill(call);
  const Side kept_x = middle_of(x.display, box.width), kept_y = middle_of(y.display, box.height);
  return CutFrame{.whole = {x.display.min, y.display.min, x.display.max, y.display.max},
                  .kept = {kept_x.min, kept_y.min, kept_x.max, kept_y.max}};
}

}  // namespace gpupost
