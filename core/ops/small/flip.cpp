// A picture mirrored: its row, its definition, and its pass.
#include "core/image/attributes.h"
#include "core/image/window_bounds.h"
#include "core/ops/shared/move.h"
#include "core/ops/small/row.h"

#include <algorithm>

namespace gpupost {

namespace {

bool flips(const Call& call, char axis) { return call.choice("axis").find(axis) != std::string_view::npos; }

Position nearest_texel(const Call& call, Size size, Position at) {
  return {flips(call, 'x') ? size.width - 1 - at.x : at.x, flips(call, 'y') ? size.height - 1 - at.y : at.y};
}

// Where the part of a side that ends with `high` begins in the mirror of the side begin..end. It has `length` texels.
int mirrored_low(int64_t high, int64_t begin, int64_t end, int length) {
  return std::min(bounded_coordinate(double(begin + end - high)), window_bound - length);
}

Footprint footprint(const Call& call, Size size) {
  return {.kind = Footprint::Kind::moves,
          .nearest = [call, size](Position at) { return nearest_texel(call, size, at); }};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) return made;
  const Windows windows = windows_before(call, made);
  Window data = windows.data;
  const Window& display = windows.display;
  const Size size = made.size;
  if (flips(call, 'x')) data.min_x = mirrored_low(data.max_x, display.min_x, display.max_x, size.width);
  if (flips(call, 'y')) data.min_y = mirrored_low(data.max_y, display.min_y, display.max_y, size.height);
  data.max_x = data.min_x + size.width - 1;
  data.max_y = data.min_y + size.height - 1;
  made.windows = {.data = data, .display = display};
  return made;
}

// --- the definition -------------------------------------------------------------------------------------------------

std::vector<Planes> reference(const Call& call, Planes base) {
  return by_component(std::move(base), [&](Plane plane) {
    const auto width = ptrdiff_t(plane.size.width);
    if (flips(call, 'y')) {
      std::ranges::reverse(plane.values);
      for (auto row = plane.values.begin(); row != plane.values.end(); row += width) std::reverse(row, row + width);
    }
    if (flips(call, 'x'))
      for (auto row = plane.values.begin(); row != plane.values.end(); row += width) std::reverse(row, row + width);
    return std::vector{std::move(plane)};
  });
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_flip(const Call& call, PlanBuilder& builder) {
  const Size size = builder.image(builder.current_image()).size;
  plan_move(builder, "flip", size, nearest_texel(call, size, {0, 0}),
            {flips(call, 'x') ? -1 : 1, flips(call, 'y') ? -1 : 1});
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

const Op flip_op{
    .name = "flip",
    .doc = {.group = OpGroup::size,
            .summary = "Mirror the image",
            .description = "`flip x` swaps left and right, `flip y` swaps top and bottom, and `flip xy` does both, "
                           "which is half a turn. Texels are copied bit for bit. The image is mirrored within its "
                           "display window; a smaller data window moves with it.",
            .citation = "Windows as in oiiotool --flop (x) and --flip (y)",
            .examples = {"x", "y", "xy"}},
    .params = {{.name = "axis",
                .help = "Axis along which texels swap places",
                .kind = ParamKind::choice,
                .choices = {"x", "y", "xy"},
                .is_positional = true}},
    .channels = Channels::all,
    .output = output,
    .footprint = footprint,
    .change_attributes =
        [](const Call& call, std::vector<Attribute>& attributes) {
          mirror_frame(attributes, flips(call, 'x'), flips(call, 'y'));
        },
    .reference = {.levels = reference, .tolerance = exact_tolerance},
    .plan = plan_flip,
};

}  // namespace gpupost
