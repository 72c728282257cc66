// A picture in another size: its row, its definition in double, and its passes.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/op/point.h"
#include "core/ops/resize/placement.h"
#include "core/ops/shared/canvas.h"
#include "core/ops/shared/filter_passes.h"

#include <algorithm>

namespace gpupost {

namespace {

bool matches_syntax(std::string_view word) {
  const auto sides = whole_numbers(word, "x");
  const auto percent = percentage(word);
  return (sides && (*sides)[0] > 0 && (*sides)[1] > 0) || (percent && *percent > 0);
}

constexpr std::string_view size_options[] = {"size", "fit", "fill", "long-side"};

void check(const Call& call) {
  const auto count =
      std::ranges::count_if(size_options, [&](std::string_view option) { return is_given(call, option); });
  if (count != 1)
    fail(Exit::usage, "resize: {}; expected --size, --fit, --fill or --long-side",
         count == 0 ? "no size is given" : "more than one size is given");
}

// The canvas of --pad around a scaled image with these windows; empty without --pad.
std::optional<Canvas> canvas_of(const Call& call, const Windows& scaled) {
  if (call.word("pad").empty()) return {};
  const auto box = whole_numbers(call.word("fit"), "x");
  Canvas canvas = canvas_around(scaled, {(*box)[0], (*box)[1]});
  canvas.color = canvas_color_of(call, "pad", {});
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
  if (std::max(to.width, to.height) > most_resized_texels)
    fail(Exit::usage, "resize: the result of {} x {} would have more than {} texels per side; make it smaller",
         from.width, from.height, most_resized_texels);
  made.size = to;
  const std::optional<Canvas> canvas = canvas_of(call, made.windows);
  return canvas ? canvas_output(*canvas, made) : made;
}

bool is_nearest(const Call& call) { return Filter(call.integer("filter")) == Filter::nearest; }

Filtering filtering_from(const Call& call, const ScaledImage& scaled) {
  Filtering filtering = filtering_of(call);
  filtering.scales = scaled.scales;
  return filtering;
}

// --- the definition -------------------------------------------------------------------------------------------------

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

// --filter nearest: each texel of the result before --pad is a copy.
Planes nearest_texels(const Call& call, const Planes& base) {
  const Size from = size_of(base), to = scaled_image(call, from).kept.size;
  return made_of_texels(to, [&](size_t index) {
    const Position at{int(index % size_t(to.width)), int(index / size_t(to.width))};
    const Position under = nearest_resized_texel(call, from, at);
    return color_at(base, size_t(under.y) * size_t(from.width) + size_t(under.x));
  });
}

Planes scaled_planes(const Call& call, const Planes& base) {
  if (is_nearest(call)) return nearest_texels(call, base);
  const ScaledImage scaled = scaled_image(call, size_of(base));
  return part_of(filtered(base, scaled.size, filtering_from(call, scaled)), scaled.kept);
}

Planes scaled_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  if (is_nearest(call)) return nearest_texels(call, error);
  const ScaledImage scaled = scaled_image(call, size_of(base));
  return part_of(filtered_tolerance(base, error, scaled.size, filtering_from(call, scaled), depth), scaled.kept);
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const Size from = size_of(base);
  Planes made = scaled_planes(call, base);
  const std::optional<Canvas> canvas = canvas_of(call, from);
  return {canvas ? on_canvas(*canvas, made) : std::move(made)};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  Planes made = scaled_tolerance(call, base, error, depth);
  const std::optional<Canvas> canvas = canvas_of(call, size_of(base));
  return {canvas ? canvas_tolerance(*canvas, made, depth) : std::move(made)};
}

// --- the passes -----------------------------------------------------------------------------------------------------

// Copies a region of the result without --pad; `made` begins in the image before --fill cuts it.
void plan_nearest(const Call& call, PlanBuilder& builder, const Region& made) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size from = builder.whole_size();
  const Scales scales = scaled_image(call, from).scales;
  const PlanImage target{.size = made.size, .depth = image.depth};
  const Position corner = builder.input().corner;
  builder.add_result({.name = "resize",
                      .kernel = "resize/nearest.glsl",
                      .values = {{"end_x", made.size.width},
                                 {"end_y", made.size.height},
                                 {"first_x", made.corner.x},
                                 {"first_y", made.corner.y},
                                 {"from_width", scales.x.from},
                                 {"from_height", scales.y.from},
                                 {"to_width", scales.x.to},
                                 {"to_height", scales.y.to},
                                 {"phase_x", scales.x.phase},
                                 {"phase_y", scales.y.phase},
                                 {"width", from.width},
                                 {"height", from.height},
                                 {"corner_x", corner.x},
                                 {"corner_y", corner.y}},
                      .grid = {.count = {div_ceil(made.size.width, 64), div_ceil(made.size.height, 16)}},
                      .source = {.image = source},
                      .access = {.only_copies = true, .copies_raw = true},
                      .memory = {.bytes_read = bytes_of_level(target, 0)}},
                     target);
}

// Makes a region of the result without --pad.
void plan_scaled(const Call& call, PlanBuilder& builder, Region made) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size from = builder.whole_size();
  const ScaledImage scaled = scaled_image(call, from);
  made.corner = {made.corner.x + scaled.kept.corner.x, made.corner.y + scaled.kept.corner.y};
  if (is_nearest(call)) return plan_nearest(call, builder, made);
  const int target = builder.add_image({.size = made.size, .depth = image.depth});
  const FilterStep step{.name = "resize",
                        .source_image = source,
                        .from = from,
                        .target_image = target,
                        .to = scaled.size,
                        .source = {.corner = builder.input().corner, .size = image.size},
                        .target = made};
  const Filtering filtering = filtering_from(call, scaled);
  plan_filter(builder, {step}, filtering, filters_rows_first(step, filtering));
  builder.set_current_image(target);
}

void plan_resize(const Call& call, PlanBuilder& builder) {
  const Size from = builder.whole_size();
  const std::optional<Canvas> canvas = canvas_of(call, from);
  if (!canvas) return plan_scaled(call, builder, builder.made_of(scaled_image(call, from).kept.size));
  const Region made = builder.made_of(canvas->size);
  const Position first = nearest_on(*canvas, made.corner);
  const Position last =
      nearest_on(*canvas, {made.corner.x + made.size.width - 1, made.corner.y + made.size.height - 1});
  plan_scaled(call, builder, {.corner = first, .size = {last.x - first.x + 1, last.y - first.y + 1}});
  plan_canvas(builder, "pad", *canvas, first, made);
}

Footprint footprint(const Call& call, Size size) {
  const ScaledImage scaled = scaled_image(call, size);
  const Margin margin = reach_of(filtering_from(call, scaled), size, scaled.size);
  const std::optional<Canvas> canvas = canvas_of(call, size);
  const bool moves = is_nearest(call) && !canvas;
  const auto kind = moves ? Footprint::Kind::moves : Footprint::Kind::around;
  return {.kind = kind, .margin = margin, .nearest = [call, size, canvas](Position at) {
            return nearest_resized_texel(call, size, canvas ? nearest_on(*canvas, at) : at);
          }};
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  const Windows scaled = scaled_windows(call, call.windows);
  if (const std::optional<Canvas> canvas = canvas_of(call, scaled)) crop_to_canvas(*canvas, scaled, attributes);
  if (const std::optional<CutFrame> frame = frame_of_fill(call, call.windows))
    crop_frame(attributes, frame->whole, frame->kept);
}

// For options that --filter nearest ignores.
Param of_means(Param param, std::string_view requirement, bool (*in)(const Call& call)) {
  param.effect = {.in = in, .requirement = requirement};
  return param;
}

Param box_param(std::string_view name, std::string_view help) {
  const auto matches = [](std::string_view word) {
    const auto sides = whole_numbers(word, "x");
    return sides && (*sides)[0] > 0 && (*sides)[1] > 0 && (*sides)[0] <= most_resized_texels &&
           (*sides)[1] <= most_resized_texels;
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
             "weighted mean, first along rows, then along columns. Let m be the least value less than 2 texels away, "
             "counted in texels of the smaller image, and M the largest value under the filter's middle lobe. The "
             "result is at least m and at most M + (M - m) / 4. So edges keep "
             "their bright overshoot and lose the dark one. --ringing keep writes the plain weighted means. Float "
             "files keep values below 0 and above 1; integer files clamp them. Half files clamp at 65504.\nChannels "
             "other than color take the nearest texel unless --apply-to names them; uint channels and Cryptomattes "
             "always do. The display window is scaled too. The attribute pixelAspectRatio stays, also if W x H has "
             "other "
             "proportions. W x H of --size is the size of the new data window. A percentage, --fit, --fill and "
             "--long-side scale the display window; if the data window is another one, it is rounded outward. Regions "
             "of one frame that are resized separately therefore still fit together.\n--fit, --fill and --long-side "
             "keep the proportions, and never enlarge without --enlarge. --fit makes the largest image that fits into "
             "W x H. --fill covers W x H and cuts off the rest equally on both sides. With --pad, --fit centers the "
             "image on a canvas of W x H texels that begins at (0, 0); channels other than color repeat their border "
             "texels there.",
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
                      "--size 30% --filter lanczos6", "--size 55% --ringing keep", "--size 70% --filter nearest",
                      "--fit 90x90 --enlarge --filter nearest --pad 1,0.5,0,0.25", "--fill 30x20 --filter nearest"}},
    .params = {{.name = "size",
                .help = "New size in texels, or as a percentage of both sides",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH or P%",
                         .range = "sides above 0; for one side, write --long-side",
                         .matches = matches_syntax}},
               box_param("fit",
                         "Fit the image into W x H texels and keep its proportions. A smaller image is not enlarged "
                         "without --enlarge"),
               box_param("fill",
                         "Cover W x H texels, keep the proportions and cut off the rest. A smaller image is not "
                         "enlarged without --enlarge"),
               {.name = "pad",
                .help = "Surround the image by this color until it has W x H texels: linear, straight R, G and B, and "
                        "alpha (1 if left out)",
                .kind = ParamKind::text,
                .form = canvas_color_form,
                .effect = {.in = [](const Call& call) { return is_given(call, "fit"); }, .requirement = "--fit"}},
               {.name = "long-side",
                .help = "New length of the longer side, in texels. A smaller image is not enlarged without --enlarge",
                .kind = ParamKind::integer,
                .default_value = 1024,
                .min = 1,
                .max = most_resized_texels,
                .unit = "texels",
                .presence = Presence::optional},
               {.name = "enlarge",
                .help = "Let --fit, --fill and --long-side make the image larger",
                .kind = ParamKind::flag,
                .effect = {.in = [](const Call& call) { return !is_given(call, "size"); },
                           .requirement = "--fit, --fill or --long-side"}},
               filter_param(Filter::lanczos3, true),
               of_means(
                   border_param(), "a --filter other than box or nearest",
                   [](const Call& call) { return Filter(call.integer("filter")) != Filter::box && !is_nearest(call); }),
               of_means(hicomp_param(), "a --filter other than nearest",
                        [](const Call& call) { return !is_nearest(call); }),
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
