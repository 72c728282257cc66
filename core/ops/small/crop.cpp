// A part of an image, or the image in another window: its row, its definition, and its pass.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/image/attributes.h"
#include "core/ops/shared/move.h"
#include "core/ops/small/row.h"

#include <algorithm>

namespace gpupost {

namespace {

enum class Target { window, data, display, content };  // in the order of the choices of --to

// The rectangle that becomes the result. The corner is in texels of the input.
struct Part {
  Size size;
  Position corner;
  Window display;  // display window of the result
};

constexpr std::string_view separators = "x++";
constexpr int most_side = 32768;  // a larger side is allowed only if the input has it

Target target_of(const Call& call) { return Target(call.integer("to")); }

// The numbers of --window.
std::vector<int> numbers_of(const Call& call) { return *whole_numbers(call.word("window"), separators); }
Position corner_of(const Call& call) { return {numbers_of(call)[2], numbers_of(call)[3]}; }

Part rectangle(const Call& call, Size from) {
  const Size size{numbers_of(call)[0], numbers_of(call)[1]};
  if (size.width < 1 || size.height < 1)
    fail(Exit::usage, "crop: --window {} holds no texel; expected a width and a height of at least 1",
         call.word("window"));
  const Part part{.size = size, .corner = corner_of(call), .display = window_of(size)};
  const bool is_inside = part.size.width <= from.width && part.size.height <= from.height &&
                         part.corner.x <= from.width - part.size.width &&
                         part.corner.y <= from.height - part.size.height;
  if (!is_inside)
    fail(Exit::usage, "crop: --window {} is not inside the image, which is {} x {} texels", call.word("window"),
         from.width, from.height);
  return part;
}

Part display_part(const Windows& windows) {
  const auto& [data, display] = windows;
  const int64_t width = int64_t(display.max_x) - display.min_x + 1, height = int64_t(display.max_y) - display.min_y + 1;
  const Size from = size_of(data);
  if (width > std::max(most_side, from.width) || height > std::max(most_side, from.height))
    fail(Exit::usage, "crop: --to display: the display window has {} x {} texels; the limit is {} per side", width,
         height, most_side);
  return {.size = {int(width), int(height)},
          .corner = {display.min_x - data.min_x, display.min_y - data.min_y},
          .display = display};
}

Part part_of(const Call& call, const Windows& windows) {
  const Size from = size_of(windows.data);
  switch (target_of(call)) {
    case Target::window: return rectangle(call, from);
    case Target::data: return {.size = from, .corner = {}, .display = windows.data};
    // the pipeline has cropped the image
    case Target::content:
      return {.size = from, .corner = {}, .display = call.flag("keep-display") ? windows.display : windows.data};
    case Target::display: return display_part(windows);
  }
  return {};
}

Part part_of(const Call& call, Size from) { return part_of(call, windows_before(call, from)); }

void check(const Call& call) {
  const bool has_rectangle = !call.word("window").empty();
  if (target_of(call) == Target::window && !has_rectangle)
    fail(Exit::usage, "crop: no window is given; expected --window WxH+X+Y, --to data, --to display or --to content");
  if (target_of(call) != Target::window && has_rectangle)
    fail(Exit::usage, "crop: two windows are given; expected --window or --to {}, not both",
         call.op->param("to")->choices[size_t(target_of(call))]);
}

// Whether the display window reaches beyond the data window, if both are known.
bool may_reach_beyond(const Windows& windows) {
  const auto& [data, display] = windows;
  return windows == Windows{} || display.min_x < data.min_x || display.min_y < data.min_y ||
         display.max_x > data.max_x || display.max_y > data.max_y;
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  made.may_be_transparent |= target_of(call) == Target::display && may_reach_beyond(made.windows);
  if (made.size == Size{}) return made;
  const Windows before = windows_before(call, made);
  const Part part = part_of(call, before);
  made.size = part.size;
  const bool keeps_data = target_of(call) == Target::content;
  made.windows = {.data = keeps_data ? before.data : part.display, .display = part.display};
  return made;
}

Needs needs(const Call& call) {
  if (target_of(call) != Target::content) return {};
  return {.front = "it finds the content of the input, so it must be the first op (use two runs)",
          .only_content = true};
}

Footprint footprint(const Call& call, Size size) {
  if (target_of(call) == Target::content) return {.kind = Footprint::Kind::texel};
  Footprint made{.kind = Footprint::Kind::moves};
  if (target_of(call) == Target::data) {
    made.nearest = [](Position at) { return at; };
  } else if (target_of(call) == Target::window) {
    made.nearest = [corner = corner_of(call)](Position at) -> Position { return {corner.x + at.x, corner.y + at.y}; };
  } else {
    made.copied = [corner = part_of(call, size).corner, size](Position at) -> Position {
      const Position from{corner.x + at.x, corner.y + at.y};
      const bool is_inside = from.x >= 0 && from.y >= 0 && from.x < size.width && from.y < size.height;
      return is_inside ? from : Position{-1, -1};
    };
  }
  return made;
}

// --- the definition -------------------------------------------------------------------------------------------------

std::vector<Planes> reference(const Call& call, Planes base) {
  const Part part = part_of(call, size_of(base));
  return by_component(std::move(base), [&](const Plane& from) {
    Plane to{.size = part.size, .values = std::vector<double>(texel_count(part.size))};
    for (int y = 0; y < part.size.height; ++y)
      for (int x = 0; x < part.size.width; ++x) {
        const int column = part.corner.x + x, row = part.corner.y + y;
        if (column < 0 || row < 0 || column >= from.size.width || row >= from.size.height) continue;
        to.values[size_t(y) * size_t(part.size.width) + size_t(x)] =
            from.values[size_t(row) * size_t(from.size.width) + size_t(column)];
      }
    return std::vector{std::move(to)};
  });
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_crop(const Call& call, PlanBuilder& builder) {
  const Part part = part_of(call, builder.image(builder.current_image()).size);
  plan_move(builder, "crop", {.size = part.size, .from = part.corner, .fills = target_of(call) == Target::display});
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  const auto& [data, display] = call.windows;
  const Part part = part_of(call, call.windows);
  if (call.flag("keep-display")) return;
  const int x = data.min_x + part.corner.x, y = data.min_y + part.corner.y;
  crop_frame(attributes, display, {x, y, x + part.size.width - 1, y + part.size.height - 1});
}

}  // namespace

// --- the row --------------------------------------------------------------------------------------------------------

const Op crop_op{
    .name = "crop",
    .doc =
        {.group = OpGroup::size,
         .summary = "Cut out a rectangle, or crop and extend to a window",
         .description =
             "--window cuts out W x H texels. The first one is X texels from the left and Y texels from the top of "
             "the data window. The result starts at (0, 0). A rectangle that is not wholly inside the image is an "
             "error.\n--to data makes the data window of an EXR its display window too, so that other formats get "
             "every texel. --to display crops and extends the image to its display window. Missing texels are "
             "transparent black, or black without alpha; other channels are 0 there. With --to data and --to "
             "display, texels keep their coordinates, and the display window of the result equals its data window. "
             "An image without windows does not change.\n--to content trims the image to the smallest rectangle "
             "that holds every texel with content. A texel with straight alpha has content if its alpha is not 0. "
             "A texel with premultiplied alpha, as in an EXR, also has content if its R, G or B is not 0, because "
             "that is light. Without alpha, or with --input-alpha data, it has content if any of R, G, B (or Y) and "
             "A is not 0. NaN is content. Other channels, such as depth, do not count and are cut to the same "
             "rectangle. Texels keep their coordinates, and the display window of the result equals its data window. "
             "With --keep-display, the display window of an EXR stays, so that other programs see the same frame "
             "with fewer texels.\nAn image without content becomes one texel, the first of its data window, with a "
             "warning. A note gives the rectangle in the form of --window. --to content must be the first op. Each "
             "image of a batch or a sequence gets its own rectangle; for one that all share, give "
             "--window.\nTexels are copied bit for bit.",
         .citation = "Windows as in oiiotool --cut, --croptofull and --trim",
         .examples = {"--window 1x1+0+0", "--to display", "--to data", "--to content", "--to content --keep-display"}},
    .params = {{.name = "window",
                .help = "Size of the rectangle and position of its top left corner, in texels",
                .kind = ParamKind::text,
                .form = {.syntax = "WxH+X+Y",
                         .matches = [](std::string_view text) { return whole_numbers(text, separators).has_value(); }}},
               {.name = "to",
                .help = "Window of the result: the rectangle of --window, the data window, the display window, or the "
                        "smallest rectangle with all content",
                .kind = ParamKind::choice,
                .choices = {"window", "data", "display", "content"}},
               {.name = "keep-display",
                .help = "Leave the display window of an EXR as it is",
                .kind = ParamKind::flag,
                .effect = {.in = [](const Call& call) { return target_of(call) == Target::content; },
                           .requirement = "--to content"}}},
    .check = check,
    .channels = Channels::all,
    .needs = needs,
    .output = output,
    .footprint = footprint,
    .change_attributes = change_attributes,
    .reference = {.levels = reference, .tolerance = exact_tolerance},
    .plan = plan_crop,
};

}  // namespace gpupost
