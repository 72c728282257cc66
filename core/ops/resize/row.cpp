// A picture in another size: its row, its definition in double, and its passes.
#include "core/ops/resize/row.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/window_bounds.h"
#include "core/ops/shared/filter_passes.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

constexpr int most_texels = 32768;  // a side, as files and devices have them

bool matches_syntax(std::string_view word) {
  const auto sides = whole_numbers(word, "x");
  const auto percent = percentage(word);
  return (sides && (*sides)[0] > 0 && (*sides)[1] > 0) || (percent && *percent > 0);
}

bool is_share(const Call& call) { return percentage(call.word("size")).has_value(); }

// What the sides `from` become: the number of texels that was asked for, or a share of them.
Size asked_size(const Call& call, Size from) {
  const std::string& word = call.word("size");
  const auto percent = percentage(word);
  const auto side = [&](int n) {
    return int(std::clamp(std::round(n * *percent / 100), 1.0, double(most_texels) + 1));
  };
  const auto sides = whole_numbers(word, "x");
  return percent ? Size{side(from.width), side(from.height)} : Size{(*sides)[0], (*sides)[1]};
}

// --- where texels lie -----------------------------------------------------------------------------------------------

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
};

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
          .display = {int(first), int(first + frame - 1)}};
}

struct Placement {
  Placed x, y;
};

// A share is one of the frame's sides, rounded to whole texels; numbers of texels are those of the picture. Frames that are
// larger than pictures can be do not count.
Placement placement_of(const Call& call, const Windows& windows) {
  const Window &data = windows.data, &display = windows.display;
  const Size size = size_of(data), frame = size_of(display), to = asked_size(call, size);
  const Size frame_to = asked_size(call, frame);
  const auto along = [&](Side data_side, Side display_side, int from_side, int to_side, int frame_side,
                         int frame_to_side) {
    const bool is_outward = is_share(call) && std::max(frame_side, frame_to_side) <= most_texels;
    return is_outward ? placed(data_side, display_side, frame_side, frame_to_side, true)
                      : placed(data_side, display_side, from_side, to_side, false);
  };
  return {.x = along({data.min_x, data.max_x}, {display.min_x, display.max_x}, size.width, to.width, frame.width,
                     frame_to.width),
          .y = along({data.min_y, data.max_y}, {display.min_y, display.max_y}, size.height, to.height, frame.height,
                     frame_to.height)};
}

Windows result_windows(const Call& call, const Windows& windows) {
  const auto [x, y] = placement_of(call, windows);
  return {.data = {x.data.min, y.data.min, x.data.max, y.data.max},
          .display = {x.display.min, y.display.min, x.display.max, y.display.max}};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) return made;
  made.windows = result_windows(call, windows_before(call, made));
  const Size from = made.size, to = size_of(made.windows.data);
  if (std::max(to.width, to.height) > most_texels)
    fail(Exit::usage, "resize: --size {} makes more than {} texels per side from {} x {}; make it smaller",
         call.word("size"), most_texels, from.width, from.height);
  made.size = to;
  return made;
}

Size result_size(const Call& call, Size from) { return gpupost::result_size({&call, 1}, from); }

Filtering filtering_from(const Call& call, Size from) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  Filtering filtering = filtering_of(call);
  filtering.scales = Scales{.x = x.scale, .y = y.scale};
  return filtering;
}

// The texel under the middle of a texel of the result, the lower one of two.
Position nearest_texel(const Call& call, Size from, Position at) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  const auto under = [](const Scale& scale, int i, int side) {
    const int64_t middle = (2 * int64_t(i) + 1) * scale.from + scale.phase;
    return int(std::clamp<int64_t>(floor_of(middle - 1, 2 * int64_t(scale.to)), 0, side - 1));
  };
  return {under(x.scale, at.x, from.width), under(y.scale, at.y, from.height)};
}

// --- the definition -------------------------------------------------------------------------------------------------

std::vector<Planes> reference(const Call& call, Planes base) {
  const Size from = size_of(base);
  std::vector<Planes> levels(1);
  levels[0] = filtered(base, result_size(call, from), filtering_from(call, from));
  return levels;
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Size from = size_of(base);
  std::vector<Planes> levels(1);
  levels[0] = filtered_tolerance(base, error, result_size(call, from), filtering_from(call, from), depth);
  return levels;
}

// --- the passes -----------------------------------------------------------------------------------------------------

void plan_resize(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size from = builder.whole_size(), to = result_size(call, from);
  const Region made = builder.made_of(to);
  const int target = builder.add_image({.size = made.size, .depth = image.depth});
  plan_filter(builder,
              {{.name = "resize",
                .source_image = source,
                .from = from,
                .target_image = target,
                .to = to,
                .source = {.corner = builder.input().corner, .size = image.size},
                .target = made}},
              filtering_from(call, from));
  builder.set_current_image(target);
}

Footprint footprint(const Call& call, Size size) {
  return {.kind = Footprint::Kind::around,
          .margin = reach_of(filtering_from(call, size), size, result_size(call, size)),
          .nearest = [call, size](Position at) { return nearest_texel(call, size, at); }};
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

const Op resize_op{
    .name = "resize",
    .doc =
        {.group = OpGroup::size,
         .summary = "Change the size of the image",
         .description =
             "--size gives the new size in texels, or as a percentage of both sides, which is rounded to whole texels. "
             "Filters average when the image shrinks and interpolate when it grows. Weights are normalized. Arithmetic "
             "is 32-bit float, even with --fp16.\nlanczos3 and kaiser are the sharpest and overshoot at edges. "
             "mitchell overshoots less, triangle and box not at all. Values below 0 or above 1 stay in float files and "
             "are clamped in integer files. Half files clamp at 65504.\nOther channels than color take the nearest "
             "texel unless --apply-to names them; uint channels always do. The display window is scaled too. If the "
             "data window is not the display window, a percentage rounds the new data window outward, so that parts of "
             "one frame still fit together. W x H is the size of the new data window.",
         .citation =
             "Turkowski, Filters for Common Resampling Tasks, 1990 (lanczos3); Mitchell and Netravali, Reconstruction "
             "Filters in Computer Graphics, 1988; NVIDIA Texture Tools (kaiser); OpenImageIO (hicomp)",
         .examples = {"--size 50%", "--size 24x40 --filter box", "--size 31x17 --filter triangle --border mirror",
                      "--size 45% --filter kaiser", "--size 130% --filter mitchell --border repeat",
                      "--size 60% --hicomp --border mirror"}},
    .params = {{.name = "size",
                .help = "New size in texels, or as a percentage of both sides",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH or P%", .matches = matches_syntax},
                .presence = Presence::required},
               filter_param(Filter::lanczos3),
               border_param(),
               hicomp_param()},
    .channels = Channels::all,
    .output = output,
    .footprint = footprint,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_resize,
};

}  // namespace gpupost
