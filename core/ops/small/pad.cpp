// An image in the middle of a canvas, which may be a cell of a sheet: the rows.
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/image/label.h"
#include "core/ops/shared/canvas.h"
#include "core/ops/small/row.h"

#include <algorithm>

namespace gpupost {

namespace {

Size size_in(const std::string& word) {
  const auto sides = whole_numbers(word, "x");
  return {(*sides)[0], (*sides)[1]};
}

// The canvas for an image with these windows. A cell of a sheet shows the image itself.
Canvas canvas_of(const Call& call, const Windows& windows) {
  if (call.op == &pad_op) {
    Canvas canvas = canvas_around(windows, size_in(call.word("size")));
    canvas.color = canvas_color(call);
    canvas.repeats = call.is_beside_color;
    return canvas;
  }
  const Size size = size_of(windows.data), cell = call.word("cell").empty() ? size : size_in(call.word("cell"));
  const int gaps = 2 * call.integer("gap"), strip = call.flag("labels") ? label_height(cell) : 0;
  Canvas canvas = canvas_around({.data = window_of(size), .display = window_of(size)},
                                {cell.width + gaps, cell.height + gaps + strip});
  canvas.color = canvas_color(call);
  canvas.strip = strip;
  return canvas;
}

Canvas canvas_of(const Call& call, Size size) { return canvas_of(call, windows_before(call, size)); }

Output output(const Call& call, std::span<const Output> inputs) {
  const Output& input = inputs.front();
  return canvas_output(canvas_of(call, windows_before(call, input)), input);
}

// Beside color, where the border repeats, texels are only moved.
Footprint footprint(const Call& call, Size size) {
  return {.kind = call.is_beside_color ? Footprint::Kind::moves : Footprint::Kind::around,
          .nearest = [canvas = canvas_of(call, size)](Position at) { return nearest_on(canvas, at); }};
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  crop_to_canvas(canvas_of(call, call.windows), call.windows, attributes);
}

std::vector<Planes> reference(const Call& call, Planes base) {
  return {on_canvas(canvas_of(call, size_of(base)), base)};
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  return {canvas_tolerance(canvas_of(call, size_of(base)), error, depth)};
}

void plan_pad(const Call& call, PlanBuilder& builder) {
  const Canvas canvas = canvas_of(call, builder.whole_size());
  plan_canvas(builder, std::string(call.op->name), canvas, builder.input().corner, builder.made_of(canvas.size));
}

bool is_size(std::string_view word) {
  const auto sides = whole_numbers(word, "x");
  return sides && std::ranges::all_of(*sides, [](int n) { return n > 0 && n <= 32768; });
}

}  // namespace

Color canvas_color(const Call& call) {
  return canvas_color_of(call, "color", {0, 0, 0, call.op == &pad_op ? 0.0 : 1.0});
}

// --- the rows -------------------------------------------------------------------------------------------------------

const Op pad_op{
    .name = "pad",
    .doc = {.group = OpGroup::size,
            .summary = "Center the image on a canvas of another size",
            .description =
                "The display window of the image is centered on the canvas. An image smaller than the canvas is "
                "surrounded by --color. A larger image is cropped to its middle. `resize --fit 100x100 --pad 0,0,0` "
                "makes letterboxes. The canvas is the data window and the display window of the result. It begins at "
                "(0, 0), also if the display window of the image began elsewhere. Channels other than color repeat "
                "their border texels.",
            .citation = "oiiotool --fit:pad=1",
            .examples = {"--size 400x300 --color 0.18,0.18,0.18", "--size 20x90", "--size 21x33 --color 1,0.5,0,0.25"}},
    .params =
        {{.name = "size",
          .help = "Size of the canvas in texels",
          .kind = ParamKind::text,
          .form = {.syntax = "WxH", .range = "W and H in 1..32768", .matches = is_size},
          .presence = Presence::required},
         {.name = "color",
          .help =
              "Color of the canvas: linear, straight R, G and B, and alpha (1 if left out); default: transparent black",
          .kind = ParamKind::text,
          .form = canvas_color_form}},
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
                "in memory at once.\n--labels writes the name of each file without its folder, so also its frame "
                "number, in a strip below its cell. Letters are opaque, and white or black, whichever stands out more "
                "from --color. Their height is 7 texels, 14 for cells from 400 x 200 on, 21 from 600 x 300 on, and so "
                "on. A name that is too long loses its extension, then its middle. Characters other than ASCII become "
                "`?`.\nAn image with windows is cropped or extended to its display window before the chain. Colors "
                "become Rec. 709; other channels are dropped.",
            .citation = "ImageMagick montage; oiiotool --mosaic",
            .examples = {"", "--columns 2 --cell 40x30 --gap 2 --color 0.18,0.18,0.18", "--gap 0 --color 1,0.5,0,0.25",
                         "--labels --color 0.8,0.8,0.8"}},
    .params = {{.name = "columns",
                .help = "Number of cells in a row",
                .kind = ParamKind::integer,
                .default_value = 4,
                .min = 1,
                .max = 4096},
               {.name = "cell",
                .help = "Size of each cell in texels, without gap and label; default: the size of the images",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH", .range = "W and H in 1..32768", .matches = is_size}},
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
                .form = canvas_color_form},
               {.name = "labels", .help = "Write the name of each file below its cell", .kind = ParamKind::flag}},
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
