// A part of a picture: its row, its definition, and its pass.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/ops/shared/move.h"
#include "core/ops/small/row.h"

namespace gpupost {

namespace {

struct Part {
  Size size;
  Position corner;
};

constexpr std::string_view separators = "x++";

Part part_of(const Call& call) {
  const std::vector<int> numbers = *whole_numbers(call.word("window"), separators);
  return {.size = {numbers[0], numbers[1]}, .corner = {numbers[2], numbers[3]}};
}

Size result_size(const Call& call, Size from) {
  const Part part = part_of(call);
  const bool is_inside = part.size.width > 0 && part.size.height > 0 && part.size.width <= from.width &&
                         part.size.height <= from.height && part.corner.x <= from.width - part.size.width &&
                         part.corner.y <= from.height - part.size.height;
  if (!is_inside)
    fail(Exit::usage, "crop: --window {} is not inside the image, which is {} x {} texels", call.word("window"),
         from.width, from.height);
  return part.size;
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) return made;
  made.size = result_size(call, made.size);
  made.windows = {.data = window_of(made.size), .display = window_of(made.size)};
  return made;
}

Footprint footprint(const Call& call, Size) {
  return {.kind = Footprint::Kind::moves, .nearest = [corner = part_of(call).corner](Position at) -> Position {
            return {corner.x + at.x, corner.y + at.y};
          }};
}

// --- the definition -------------------------------------------------------------------------------------------------

std::vector<Planes> reference(const Call& call, Planes base) {
  const Part part = part_of(call);
  return by_component(std::move(base), [&](const Plane& from) {
    Plane to{.size = result_size(call, from.size), .values = {}};
    for (int y = part.corner.y; y < part.corner.y + part.size.height; ++y) {
      const auto row = from.values.begin() + ptrdiff_t(y) * from.size.width + part.corner.x;
      to.values.insert(to.values.end(), row, row + part.size.width);
    }
    return std::vector{std::move(to)};
  });
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_crop(const Call& call, PlanBuilder& builder) {
  const Size size = result_size(call, builder.image(builder.current_image()).size);
  plan_move(builder, "crop", {.size = size, .from = part_of(call).corner});
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  const auto [size, corner] = part_of(call);
  const int x = call.windows.data.min_x + corner.x, y = call.windows.data.min_y + corner.y;
  crop_frame(attributes, call.windows.display, {x, y, x + size.width - 1, y + size.height - 1});
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

const Op crop_op{
    .name = "crop",
    .doc = {.group = OpGroup::size,
            .summary = "Cut out a rectangle",
            .description =
                "The result has W x H texels. Its top left texel is X texels from the left and Y texels from the top "
                "of the data window. Texels are copied bit for bit. The result starts at (0, 0), and its display "
                "window equals its data window. A rectangle that is not wholly inside the image is an error.",
            .citation = "Windows as in oiiotool --cut",
            .examples = {"--window 1x1+0+0"}},
    .params = {{.name = "window",
                .help = "Size of the rectangle and position of its top left corner, in texels",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH+X+Y",
                         .matches = [](std::string_view text) { return whole_numbers(text, separators).has_value(); }},
                .presence = Presence::required}},
    .channels = Channels::all,
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = reference, .tolerance = exact_tolerance},
    .plan = plan_crop,
};

}  // namespace gpupost
