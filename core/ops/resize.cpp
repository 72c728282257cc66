// A picture in another size: its row, its definition in double, and its passes.
#include "core/error.h"
#include "core/forms.h"
#include "core/ops/ops.h"
#include "core/passes/filter.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

constexpr int most_texels = 32768;  // a side, as files and devices have them

bool has_form(std::string_view word) {
  const auto sides = whole_numbers(word, "x");
  const auto percent = percentage(word);
  return (sides && (*sides)[0] > 0 && (*sides)[1] > 0) || (percent && *percent > 0);
}

Size result_size(const Call& call, Size from) {
  const std::string& word = call.word("size");
  const auto percent = percentage(word);
  const auto side = [&](int n) {
    return int(std::clamp(std::round(n * *percent / 100), 1.0, double(most_texels) + 1));
  };
  const auto sides = whole_numbers(word, "x");
  const Size to = percent ? Size{side(from.width), side(from.height)} : Size{(*sides)[0], (*sides)[1]};
  if (std::max(to.width, to.height) > most_texels)
    fail(Exit::usage, "resize: --size {} makes more than {} texels a side of {} x {}", word, most_texels, from.width,
         from.height);
  return to;
}

// What the sides are multiplied by. A percentage is of the display window as of the data window, whose sides are rounded.
struct Factor {
  double x = 1, y = 1;
};

Factor factor_of(const Call& call, Size from) {
  if (const auto percent = percentage(call.word("size"))) return {*percent / 100, *percent / 100};
  const Size to = result_size(call, from);
  return {double(to.width) / from.width, double(to.height) / from.height};
}

Window scaled(const Window& window, Factor factor) {
  const auto side = [](int length, double by) { return std::max(1, int(std::round(length * by))); };
  const Size size = size_of(window);
  const int x = int(std::floor(window.min_x * factor.x)), y = int(std::floor(window.min_y * factor.y));
  return {x, y, x + side(size.width, factor.x) - 1, y + side(size.height, factor.y) - 1};
}

Windows result_windows(const Call& call, const Windows& windows) {
  const Factor factor = factor_of(call, size_of(windows.data));
  return {.data = scaled(windows.data, factor), .display = scaled(windows.display, factor)};
}

// --- the definition -------------------------------------------------------------------------------------------------

std::vector<Planes> reference(const Call& call, Planes base) {
  std::vector<Planes> levels(1);
  levels[0] = filtered(base, result_size(call, size_of(base)), filtering_of(call));
  return levels;
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  std::vector<Planes> levels(1);
  levels[0] = filtered_tolerance(base, error, result_size(call, size_of(base)), filtering_of(call), depth);
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
              filtering_of(call));
  builder.set_current_image(target);
}

std::optional<Reach> reach(const Call& call, Size size) {
  return reach_of(filtering_of(call), size, result_size(call, size));
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

const Op resize_op{
    .name = "resize",
    .help = "the picture in another size",
    .description =
        "To W x H texels, or to a percentage of both sides, rounded to whole texels. Filters are as wide as the texels "
        "of the coarser side: they average where the picture gets smaller and interpolate where it gets larger. "
        "Weights are normalised; the arithmetic is float, with --fp16 too. lanczos3 and kaiser are the sharpest and "
        "overshoot at edges (numbers under 0 or over 1 stay in float files and are clamped in files of 8 and 16 bits; "
        "over 65504 they are 65504 in half), mitchell overshoots less, triangle and box not at all. Channels beside "
        "the color "
        "take the nearest texel without --apply-to, uint channels always. Data and display window are scaled.",
    .source =
        "Turkowski, Filters for Common Resampling Tasks, 1990 (lanczos3); Mitchell and Netravali, Reconstruction "
        "Filters in Computer Graphics, 1988; kaiser as in NVIDIA Texture Tools; hicomp as in OpenImageIO",
    .params = {{.name = "size",
                .help = "of the result, in texels, or its sides as a share of those of the picture",
                .kind = ParamKind::text,
                .form = "WxH or P%",
                .has_form = has_form,
                .is_required = true},
               filter_param(Filter::lanczos3),
               border_param(),
               hicomp_param()},
    .every_channel = true,
    .examples = {"--size 50%", "--size 24x40 --filter box", "--size 31x17 --filter triangle --border mirror",
                 "--size 45% --filter kaiser", "--size 130% --filter mitchell --border repeat",
                 "--size 60% --hicomp --border mirror"},
    .result_size = result_size,
    .result_windows = result_windows,
    .reference = reference,
    .tolerance = tolerance,
    .reach = reach,
    .plan = plan_resize,
};

}  // namespace gpupost
