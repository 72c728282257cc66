// An image in the middle of a canvas: the row, the definition, and the pass.
#include "core/base/error.h"
#include "core/base/math.h"
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/op/point.h"
#include "core/ops/small/row.h"
#include "core/plan/plan.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

Size canvas_of(const Call& call) {
  const auto sides = whole_numbers(call.word("size"), "x");
  return {(*sides)[0], (*sides)[1]};
}

// Where texel (0, 0) of the canvas lies in the image.
Position corner_of(const Call& call, Size size) {
  const auto along = [](int from, int to) { return to >= from ? -((to - from) / 2) : (from - to) / 2; };
  const Size canvas = canvas_of(call);
  return {along(size.width, canvas.width), along(size.height, canvas.height)};
}

bool is_color(std::string_view word) {
  const auto numbers = list_of_numbers(word);
  if (!numbers || (numbers->size() != 3 && numbers->size() != 4)) return false;
  return std::ranges::all_of(*numbers, [](double n) { return std::abs(n) <= 65504; }) &&
         (numbers->size() == 3 || (numbers->back() >= 0 && numbers->back() <= 1));
}

// Premultiplied; transparent black where none is given.
Color color_of(const Call& call) {
  const auto numbers = list_of_numbers(call.word("color"));
  if (!numbers) return {0, 0, 0, 0};
  const double alpha = numbers->size() == 4 ? numbers->back() : 1;
  return {alpha * (*numbers)[0], alpha * (*numbers)[1], alpha * (*numbers)[2], alpha};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.has_alpha |= color_of(call)[3] < 1;
  if (made.size == Size{}) return made;
  made.size = canvas_of(call);
  made.windows = {.data = window_of(made.size), .display = window_of(made.size)};
  return made;
}

Footprint footprint(const Call& call, Size size) {
  const Position corner = corner_of(call, size);
  return {.kind = Footprint::Kind::around, .nearest = [size, corner](Position at) -> Position {
            return {std::clamp(at.x + corner.x, 0, size.width - 1), std::clamp(at.y + corner.y, 0, size.height - 1)};
          }};
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  const Window& data = call.windows.data;
  const Position corner = corner_of(call, size_of(data));
  const Size canvas = canvas_of(call);
  const int x = data.min_x + corner.x, y = data.min_y + corner.y;
  crop_frame(attributes, call.windows.display, {x, y, x + canvas.width - 1, y + canvas.height - 1});
}

// --- the definition -------------------------------------------------------------------------------------------------

Planes on_canvas(const Call& call, const Planes& base, const Color& color) {
  const Size size = size_of(base), canvas = canvas_of(call);
  const Position corner = corner_of(call, size);
  return made_of_texels(canvas, [&](size_t index) {
    const int x = int(index) % canvas.width + corner.x, y = int(index) / canvas.width + corner.y;
    if (x < 0 || y < 0 || x >= size.width || y >= size.height) return color;
    return color_at(base, size_t(y) * size_t(size.width) + size_t(x));
  });
}

std::vector<Planes> reference(const Call& call, Planes base) { return {on_canvas(call, base, color_of(call))}; }

std::vector<Planes> tolerance(const Call& call, const Planes&, const Planes& error, Depth depth) {
  Color off = color_of(call);
  for (double& number : off) number = rounding(std::abs(number), depth);
  return {on_canvas(call, error, off)};
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_pad(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Position corner = corner_of(call, builder.whole_size());
  const Region made = builder.made_of(canvas_of(call));
  const Position begin = builder.input().corner;
  const Color color = color_of(call);
  builder.add_result({.name = "pad",
                      .kernel = "small/pad.glsl",
                      .values = {{"end_x", made.size.width},
                                 {"end_y", made.size.height},
                                 {"corner_x", made.corner.x + corner.x - begin.x},
                                 {"corner_y", made.corner.y + corner.y - begin.y},
                                 {"width", image.size.width},
                                 {"height", image.size.height},
                                 {"red", float(color[0])},
                                 {"green", float(color[1])},
                                 {"blue", float(color[2])},
                                 {"alpha", float(color[3])}},
                      .grid = {.count = {div_ceil(made.size.width, 64), div_ceil(made.size.height, 16)}},
                      .source = {.image = source}},
                     {.size = made.size, .depth = image.depth});
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

const Op pad_op{
    .name = "pad",
    .doc = {.group = OpGroup::size,
            .summary = "Center the image on a canvas of another size",
            .description =
                "An image smaller than the canvas is surrounded by --color. A larger image is cropped to its middle. "
                "`resize --fit 100x100 pad --size 100x100` makes letterboxes. The data window and the display window "
                "of the result are the canvas. Channels other than color repeat their border texels.",
            .citation = "oiiotool --fit:pad=1",
            .examples = {"--size 400x300 --color 0.18,0.18,0.18", "--size 20x90", "--size 21x33 --color 1,0.5,0,0.25"}},
    .params =
        {{.name = "size",
          .help = "Size of the canvas in texels",
          .kind = ParamKind::text,
          .form = {.syntax = "WxH",
                   .matches =
                       [](std::string_view word) {
                         const auto sides = whole_numbers(word, "x");
                         return sides && std::ranges::all_of(*sides, [](int n) { return n > 0 && n <= 32768; });
                       }},
          .presence = Presence::required},
         {.name = "color",
          .help =
              "Color of the canvas: linear, straight R, G and B, and alpha (1 if left out); default: transparent black",
          .kind = ParamKind::text,
          .form = {.syntax = "R,G,B[,A]", .matches = is_color}}},
    .channels = Channels::all,
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_pad,
};

}  // namespace gpupost
