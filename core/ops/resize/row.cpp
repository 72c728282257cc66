// A picture in another size: its row, its definition in double, and its passes.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/image/window_bounds.h"
#include "core/op/op.h"
#include "core/ops/shared/canvas.h"
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

constexpr std::string_view size_options[] = {"size", "fit", "fill", "long-side"};

bool is_given(const Call& call, std::string_view option) {
  return option == "long-side" ? call.has(option) : !call.word(option).empty();
}

void check(const Call& call) {
  const auto count =
      std::ranges::count_if(size_options, [&](std::string_view option) { return is_given(call, option); });
  if (count != 1)
    fail(Exit::usage, "resize: {}; expected --size, --fit, --fill or --long-side",
         count == 0 ? "no size is given" : "more than one size is given");
}

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
  const auto side = [&](int n) { return int(std::clamp(std::round(n * scale), 1.0, double(most_texels) + 1)); };
  return {side(from.width), side(from.height)};
}

// What the sides `from` become: the number of texels that was asked for, or a share of them.
Size asked_size(const Call& call, Size from) {
  const std::string& word = call.word("size");
  if (word.empty()) return scaled_size(call, from);
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
    const bool is_outward = is_share(call) && std::max(frame_side, frame_to_side) <= most_texels;
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
  if (std::max(x.scaled, y.scaled) > most_texels)
    fail(Exit::usage, "resize: --fill {} needs an image of more than {} texels per side before it is cut",
         call.word("fill"), most_texels);
  const Size box = box_of_fill(call);
  return {.x = cut(x, box.width), .y = cut(y, box.height)};
}

// Windows of the scaled image.
Windows scaled_windows(const Call& call, const Windows& windows) {
  const auto [x, y] = placement_of(call, windows);
  return {.data = {x.data.min, y.data.min, x.data.max, y.data.max},
          .display = {x.display.min, y.display.min, x.display.max, y.display.max}};
}

// The canvas of --pad around a scaled image with these windows; empty without --pad.
std::optional<Canvas> canvas_of(const Call& call, const Windows& scaled) {
  if (call.word("pad").empty()) return {};
  const auto box = whole_numbers(call.word("fit"), "x");
  Canvas canvas = canvas_around(scaled, {(*box)[0], (*box)[1]});
  canvas.color = canvas_color_of(call.word("pad"), {});
  canvas.repeats = call.is_beside_color;
  return canvas;
}

// The same for an image of this size.
std::optional<Canvas> canvas_of(const Call& call, Size from) {
  return canvas_of(call, scaled_windows(call, windows_before(call, from)));
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) {
    const std::optional<Canvas> canvas = canvas_of(call, Windows{});
    return canvas ? canvas_output(*canvas, made) : made;
  }
  made.windows = scaled_windows(call, windows_before(call, made));
  const Size from = made.size, to = size_of(made.windows.data);
  if (std::max(to.width, to.height) > most_texels)
    fail(Exit::usage, "resize: the result of {} x {} would have more than {} texels per side; make it smaller",
         from.width, from.height, most_texels);
  made.size = to;
  const std::optional<Canvas> canvas = canvas_of(call, made.windows);
  return canvas ? canvas_output(*canvas, made) : made;
}

// Size of the image before --pad.
Size unpadded_size(const Call& call, Size from) {
  return size_of(scaled_windows(call, windows_before(call, from)).data);
}

Filtering filtering_from(const Call& call, Size from) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  Filtering filtering = filtering_of(call);
  filtering.scales = Scales{.x = x.scale, .y = y.scale};
  return filtering;
}

// The texel under the middle of a texel of the result, the lower one of two.
Position nearest_texel(const Call& call, Size from, Position at) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  const auto under = [](const Placed& placed, int i, int side) {
    const Scale& scale = placed.scale;
    const int64_t middle = (2 * (int64_t(i) + placed.skipped) + 1) * scale.from + scale.phase;
    return int(std::clamp<int64_t>(floor_of(middle - 1, 2 * int64_t(scale.to)), 0, side - 1));
  };
  return {under(x, at.x, from.width), under(y, at.y, from.height)};
}

// --- the definition -------------------------------------------------------------------------------------------------

// Where the result lies in the scaled picture: all of it, or the middle that --fill keeps.
struct Cut {
  Size scaled;
  Region kept;
};

Cut cut_of(const Call& call, Size from) {
  const auto [x, y] = placement_of(call, windows_before(call, from));
  return {.scaled = {x.scaled, y.scaled},
          .kept = {.corner = {x.skipped, y.skipped}, .size = unpadded_size(call, from)}};
}

Planes part_of(const Planes& planes, const Region& region) {
  if (size_of(planes) == region.size) return planes;
  Planes made;
  for (size_t c = 0; c < 4; ++c) {
    made[c].size = region.size;
    for (int y = region.corner.y; y < region.corner.y + region.size.height; ++y) {
      const auto row = planes[c].values.begin() + ptrdiff_t(y) * planes[c].size.width + region.corner.x;
      made[c].values.insert(made[c].values.end(), row, row + region.size.width);
    }
  }
  return made;
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const Size from = size_of(base);
  const auto [scaled, kept] = cut_of(call, from);
  Planes made = part_of(filtered(base, scaled, filtering_from(call, from)), kept);
  const std::optional<Canvas> canvas = canvas_of(call, from);
  return {canvas ? on_canvas(*canvas, made) : std::move(made)};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Size from = size_of(base);
  const auto [scaled, kept] = cut_of(call, from);
  Planes made = part_of(filtered_tolerance(base, error, scaled, filtering_from(call, from), depth), kept);
  const std::optional<Canvas> canvas = canvas_of(call, from);
  return {canvas ? canvas_tolerance(*canvas, made, depth) : std::move(made)};
}

// --- the passes -----------------------------------------------------------------------------------------------------

// Makes a region of the result without --pad.
void plan_scaled(const Call& call, PlanBuilder& builder, Region made) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size from = builder.whole_size();
  const auto [scaled, kept] = cut_of(call, from);
  const int target = builder.add_image({.size = made.size, .depth = image.depth});
  made.corner = {made.corner.x + kept.corner.x, made.corner.y + kept.corner.y};
  const FilterStep step{.name = "resize",
                        .source_image = source,
                        .from = from,
                        .target_image = target,
                        .to = scaled,
                        .source = {.corner = builder.input().corner, .size = image.size},
                        .target = made};
  const Filtering filtering = filtering_from(call, from);
  plan_filter(builder, {step}, filtering, filters_rows_first(step, filtering));
  builder.set_current_image(target);
}

void plan_resize(const Call& call, PlanBuilder& builder) {
  const Size from = builder.whole_size();
  const std::optional<Canvas> canvas = canvas_of(call, from);
  if (!canvas) return plan_scaled(call, builder, builder.made_of(unpadded_size(call, from)));
  const Region made = builder.made_of(canvas->size);
  const Position first = nearest_on(*canvas, made.corner);
  const Position last =
      nearest_on(*canvas, {made.corner.x + made.size.width - 1, made.corner.y + made.size.height - 1});
  plan_scaled(call, builder, {.corner = first, .size = {last.x - first.x + 1, last.y - first.y + 1}});
  plan_canvas(builder, "pad", *canvas, first, made);
}

Footprint footprint(const Call& call, Size size) {
  const Size scaled = cut_of(call, size).scaled;
  const Margin margin = reach_of(filtering_from(call, size), size, scaled);
  const std::optional<Canvas> canvas = canvas_of(call, size);
  return {.kind = Footprint::Kind::around, .margin = margin, .nearest = [call, size, canvas](Position at) {
            return nearest_texel(call, size, canvas ? nearest_on(*canvas, at) : at);
          }};
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  const Windows scaled = scaled_windows(call, call.windows);
  if (const std::optional<Canvas> canvas = canvas_of(call, scaled)) crop_to_canvas(*canvas, scaled, attributes);
  if (!is_fill(call)) return;
  const auto [x, y] = whole_placement_of(call, call.windows);
  const Size box = box_of_fill(call);
  const Side kept_x = middle_of(x.display, box.width), kept_y = middle_of(y.display, box.height);
  crop_frame(attributes, {x.display.min, y.display.min, x.display.max, y.display.max},
             {kept_x.min, kept_y.min, kept_x.max, kept_y.max});
}

Param box_param(std::string_view name, std::string_view help) {
  const auto matches = [](std::string_view word) {
    const auto sides = whole_numbers(word, "x");
    return sides && (*sides)[0] > 0 && (*sides)[1] > 0 && (*sides)[0] <= most_texels && (*sides)[1] <= most_texels;
  };
  return {.name = name, .help = help, .kind = ParamKind::text, .form = {.syntax = "WxH", .matches = matches}};
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

extern const Op resize_op;
const Op resize_op{
    .name = "resize",
    .doc =
        {.group = OpGroup::size,
         .summary = "Change the size of the image",
         .description =
             "--size gives the new size in texels, or as a percentage of both sides, which is rounded to whole "
             "texels. Filters average when the image shrinks and interpolate when it grows. Weights are normalized. "
             "Arithmetic is 32-bit float, even with --fp16.\nThe lanczos filters and kaiser are the sharpest and "
             "overshoot at edges. mitchell and catmull-rom overshoot less. box, triangle, cubic and gaussian have no "
             "negative weights and do not overshoot. Around a very bright texel, negative weights make rings: dark "
             "ones, even below 0, and bright ones. --ringing limit, the default, prevents both. It limits each "
             "weighted mean, first along rows, then along columns. The lower limit is the least value at most 2 "
             "texels away, counted in texels of the smaller image. The upper limit is above M, the largest value "
             "under the filter's middle lobe, by a quarter of the difference of M and that least value. So edges keep "
             "their bright overshoot and lose the dark one. --ringing keep writes the plain weighted means. Float "
             "files keep values below 0 and above 1; integer files clamp them. Half files clamp at 65504.\nChannels "
             "other than color take the nearest texel unless --apply-to names them; uint channels always do. The "
             "display window is scaled too. The attribute pixelAspectRatio stays, also if W x H has other "
             "proportions. W x H of --size is the size of the new data window. A percentage, --fit, --fill and "
             "--long-side scale the display window; if the data window is another one, it is rounded outward. Regions "
             "of one frame that are resized separately therefore still fit together.\n--fit, --fill and --long-side "
             "keep the proportions, and never enlarge without --enlarge. --fit makes the largest image that fits into "
             "W x H. --fill covers W x H and cuts off the rest equally on both sides. With --pad, --fit centers the "
             "image on a canvas of W x H texels; channels other than color repeat their border texels there.",
         .citation =
             "Turkowski, Filters for Common Resampling Tasks, 1990 (lanczos3); Mitchell and Netravali, Reconstruction "
             "Filters in Computer Graphics, 1988; NVIDIA Texture Tools (kaiser); OpenImageIO (hicomp); libplacebo "
             "antiringing (ringing)",
         .examples = {"--size 50%", "--size 24x40 --filter box", "--fit 40x30 --filter catmull-rom",
                      "--fill 30x30 --filter lanczos2", "--long-side 50 --filter gaussian",
                      "--fit 90x20 --pad 0.18,0.18,0.18 --enlarge", "--fit 25x60 --pad 1,0.5,0,0.25",
                      "--fit 90x90 --enlarge --filter cubic", "--size 31x17 --filter triangle --border mirror",
                      "--size 45% --filter kaiser", "--size 130% --filter mitchell --border repeat",
                      "--size 60% --hicomp --border mirror", "--size 70% --filter lanczos4",
                      "--size 30% --filter lanczos6", "--size 55% --ringing keep"}},
    .params = {{.name = "size",
                .help = "New size in texels, or as a percentage of both sides",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH or P%", .matches = matches_syntax}},
               box_param("fit", "Fit the image into W x H texels and keep its proportions"),
               box_param("fill", "Cover W x H texels, keep the proportions and cut off the rest"),
               {.name = "pad",
                .help = "Surround the image by this color until it has W x H texels: linear, straight R, G and B, and "
                        "alpha (1 if left out)",
                .kind = ParamKind::text,
                .form = canvas_color_form,
                .effect = {.in = [](const Call& call) { return is_given(call, "fit"); }, .requirement = "--fit"}},
               {.name = "long-side",
                .help = "New length of the longer side, in texels",
                .kind = ParamKind::integer,
                .default_value = 1024,
                .min = 1,
                .max = most_texels,
                .unit = "texels",
                .presence = Presence::optional},
               {.name = "enlarge",
                .help = "Let --fit, --fill and --long-side make the image larger",
                .kind = ParamKind::flag,
                .effect = {.in = [](const Call& call) { return !is_given(call, "size"); },
                           .requirement = "--fit, --fill or --long-side"}},
               filter_param(Filter::lanczos3, true),
               border_param(),
               hicomp_param(),
               ringing_param()},
    .check = check,
    .channels = Channels::all,
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_resize,
};

}  // namespace gpupost
