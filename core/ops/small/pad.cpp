// An image in the middle of a canvas, which may be a cell of a sheet: the rows, the definition, and the pass.
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

Size size_in(const std::string& word) {
  const auto sides = whole_numbers(word, "x");
  return {(*sides)[0], (*sides)[1]};
}

// The canvas for an image of this size.
Size canvas_of(const Call& call, Size size) {
  if (call.op == &pad_op) return size_in(call.word("size"));
  const Size cell = call.word("cell").empty() ? size : size_in(call.word("cell"));
  const int gaps = 2 * call.integer("gap");
  return {cell.width + gaps, cell.height + gaps};
}

// Where texel (0, 0) of the canvas lies in the image.
Position corner_of(const Call& call, Size size) {
  const auto along = [](int from, int to) { return to >= from ? -((to - from) / 2) : (from - to) / 2; };
  const Size canvas = canvas_of(call, size);
  return {along(size.width, canvas.width), along(size.height, canvas.height)};
}

bool is_color(std::string_view word) {
  const auto numbers = list_of_numbers(word);
  if (!numbers || (numbers->size() != 3 && numbers->size() != 4)) return false;
  return std::ranges::all_of(*numbers, [](double n) { return std::abs(n) <= 65504; }) &&
         (numbers->size() == 3 || (numbers->back() >= 0 && numbers->back() <= 1));
}

}  // namespace

Color canvas_color(const Call& call) {
  const auto numbers = list_of_numbers(call.word("color"));
  if (!numbers) return {0, 0, 0, call.op == &pad_op ? 0.0 : 1.0};
  const double alpha = numbers->size() == 4 ? numbers->back() : 1;
  return {alpha * (*numbers)[0], alpha * (*numbers)[1], alpha * (*numbers)[2], alpha};
}

namespace {

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.has_alpha |= canvas_color(call)[3] < 1;
  if (made.size == Size{}) return made;
  made.size = canvas_of(call, made.size);
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
  const Size canvas = canvas_of(call, size_of(data));
  const int x = data.min_x + corner.x, y = data.min_y + corner.y;
  crop_frame(attributes, call.windows.display, {x, y, x + canvas.width - 1, y + canvas.height - 1});
}

// --- the definition -------------------------------------------------------------------------------------------------

Planes on_canvas(const Call& call, const Planes& base, const Color& color) {
  const Size size = size_of(base), canvas = canvas_of(call, size);
  const Position corner = corner_of(call, size);
  return made_of_texels(canvas, [&](size_t index) {
    const int x = int(index) % canvas.width + corner.x, y = int(index) / canvas.width + corner.y;
    if (x < 0 || y < 0 || x >= size.width || y >= size.height) return color;
    return color_at(base, size_t(y) * size_t(size.width) + size_t(x));
  });
}

std::vector<Planes> reference(const Call& call, Planes base) { return {on_canvas(call, base, canvas_color(call))}; }

std::vector<Planes> tolerance(const Call& call, const Planes&, const Planes& error, Depth depth) {
  Color off = canvas_color(call);
  for (double& number : off) number = rounding(std::abs(number), depth);
  return {on_canvas(call, error, off)};
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_pad(const Call& call, PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Position corner = corner_of(call, builder.whole_size());
  const Region made = builder.made_of(canvas_of(call, builder.whole_size()));
  const Position begin = builder.input().corner;
  const Color color = canvas_color(call);
  builder.add_result({.name = std::string(call.op->name),
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

bool is_size(std::string_view word) {
  const auto sides = whole_numbers(word, "x");
  return sides && std::ranges::all_of(*sides, [](int n) { return n > 0 && n <= 32768; });
}

}  // namespace

// --- the rows -------------------------------------------------------------------------------------------------------

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
          .form = {.syntax = "WxH", .matches = is_size},
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

// One cell of a sheet. The pipeline puts the cells of all inputs into one image: core/pipeline/sheet.h.
const Op sheet_op{
    .name = "sheet",
    .doc = {.group = OpGroup::combine,
            .summary = "Put all inputs into one image, as a contact sheet",
            .description =
                "Each input goes through the chain, and the results become cells of one image, row by row in the order "
                "of the inputs. The first input gives the name of the output, its depth and its attributes. Without "
                "--cell, all cells must have the same size. With --cell, smaller images are centered in the cell. "
                "Larger ones are an error: put `resize --fit WxH` before `sheet`. --gap texels of --color surround "
                "each cell, and cells without an image have that color. `sheet` must be the last op. All results are "
                "in memory at once.\nImages with windows show their display window. Colors become Rec. 709; other "
                "channels are dropped. There are no labels.",
            .citation = "ImageMagick montage; oiiotool --mosaic",
            .examples = {"", "--columns 2 --cell 40x30 --gap 2 --color 0.18,0.18,0.18",
                         "--gap 0 --color 1,0.5,0,0.25"}},
    .params = {{.name = "columns",
                .help = "Number of cells in a row",
                .kind = ParamKind::integer,
                .default_value = 4,
                .min = 1,
                .max = 4096},
               {.name = "cell",
                .help = "Size of each cell in texels, without the gap; default: the size of the images",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH", .matches = is_size}},
               {.name = "gap",
                .help = "Texels of --color on each side of each cell",
                .kind = ParamKind::integer,
                .default_value = 4,
                .min = 0,
                .max = 1024,
                .unit = "texels"},
               {.name = "color",
                .help = "Color between cells: linear, straight R, G and B, and alpha (1 if left out); default: black",
                .kind = ParamKind::text,
                .form = {.syntax = "R,G,B[,A]", .matches = is_color}}},
    .makes = Makes::cell,
    .needs = needs_rec709,
    .output = output,
    .footprint = footprint,
    .change_attributes =
        [](const Call&, std::vector<Attribute>& attributes) {
          remove_attributes(attributes,
                            {"envmap", "worldToCamera", "worldToNDC", "worldToScreen"});  // of one input's camera
        },
    .reference = {.levels = reference, .tolerance = tolerance},
    .plan = plan_pad,
};

}  // namespace gpupost
