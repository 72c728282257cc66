// A picture mirrored, turned by quarters, transposed and shifted: rows, definitions, and passes.
#include "core/base/error.h"
#include "core/image/attributes.h"
#include "core/image/window_bounds.h"
#include "core/op/benchmark.h"
#include "core/ops/rotate/degrees.h"
#include "core/ops/shared/move.h"
#include "core/ops/small/row.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

// The source is mirrored along x and y, then its axes change places.
struct Turn {
  bool flips_x = false, flips_y = false, swaps_axes = false;
};

Turn turn_of(const Call& call) {
  if (call.op->name == "transpose") return {.swaps_axes = true};
  const std::string_view option = call.op->params[0].name;
  const std::string_view word = call.has(option) ? call.choice(option) : call.op->params[0].choices[0];
  if (word == "90") return {.flips_y = true, .swaps_axes = true};
  if (word == "270") return {.flips_x = true, .swaps_axes = true};
  if (word == "180") return {.flips_x = true, .flips_y = true};
  return {.flips_x = word.find('x') != word.npos, .flips_y = word.find('y') != word.npos};
}

Size turned(Size size, const Turn& turn) { return turn.swaps_axes ? Size{size.height, size.width} : size; }

// `size`: of the source.
Position nearest_texel(const Turn& turn, Size size, Position at) {
  if (turn.swaps_axes) std::swap(at.x, at.y);
  return {turn.flips_x ? size.width - 1 - at.x : at.x, turn.flips_y ? size.height - 1 - at.y : at.y};
}

// Where the part of a side that ends with `high` begins in the mirror of the side begin..end. It has `length` texels.
int mirrored_low(int64_t high, int64_t begin, int64_t end, int length) {
  return std::min(bounded_coordinate(double(begin + end - high)), window_bound - length);
}

// A window whose corner keeps its distance from `origin` along the other axis.
Window transposed(const Window& window, const Window& origin) {
  const Size size = size_of(window);
  const auto low = [](int64_t from, int64_t distance, int length) {
    return std::min(bounded_coordinate(double(from + distance)), window_bound - length);
  };
  const int x = low(origin.min_x, int64_t(window.min_y) - origin.min_y, size.height);
  const int y = low(origin.min_y, int64_t(window.min_x) - origin.min_x, size.width);
  return {x, y, x + size.height - 1, y + size.width - 1};
}

Footprint footprint(const Call& call, Size size) {
  const Turn turn = turn_of(call);
  return {.kind = Footprint::Kind::moves,
          .nearest = [turn, size](Position at) { return nearest_texel(turn, size, at); },
          .swaps_axes = turn.swaps_axes};
}

Output output(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) return made;
  const Turn turn = turn_of(call);
  const Windows windows = windows_before(call, made);
  Window data = windows.data, display = windows.display;
  const Size size = made.size;
  if (turn.flips_x) data.min_x = mirrored_low(data.max_x, display.min_x, display.max_x, size.width);
  if (turn.flips_y) data.min_y = mirrored_low(data.max_y, display.min_y, display.max_y, size.height);
  data.max_x = data.min_x + size.width - 1;
  data.max_y = data.min_y + size.height - 1;
  if (turn.swaps_axes) {
    data = transposed(data, display);
    display = transposed(display, display);
  }
  made.size = turned(size, turn);
  made.windows = {.data = data, .display = display};
  return made;
}

void change_attributes(const Call& call, std::vector<Attribute>& attributes) {
  const Turn turn = turn_of(call);
  mirror_frame(attributes, turn.flips_x, turn.flips_y);
  if (turn.swaps_axes) transpose_frame(attributes);
}

// --- the definition -------------------------------------------------------------------------------------------------

std::vector<Planes> reference(const Call& call, Planes base) {
  const Turn turn = turn_of(call);
  return by_component(std::move(base), [&](Plane plane) {
    const auto width = ptrdiff_t(plane.size.width);
    if (turn.flips_y) {
      std::ranges::reverse(plane.values);
      for (auto row = plane.values.begin(); row != plane.values.end(); row += width) std::reverse(row, row + width);
    }
    if (turn.flips_x)
      for (auto row = plane.values.begin(); row != plane.values.end(); row += width) std::reverse(row, row + width);
    if (!turn.swaps_axes) return std::vector{std::move(plane)};
    Plane made{.size = turned(plane.size, turn), .values = {}};
    for (ptrdiff_t x = 0; x < width; ++x)
      for (ptrdiff_t y = 0; y < plane.size.height; ++y) made.values.push_back(plane.values[size_t(y * width + x)]);
    return std::vector{std::move(made)};
  });
}

// --- the pass -------------------------------------------------------------------------------------------------------

void plan_turn(const Call& call, PlanBuilder& builder) {
  const Turn turn = turn_of(call);
  const Size size = builder.image(builder.current_image()).size;
  plan_move(builder, std::string(call.op->name),
            {.size = turned(size, turn),
             .from = nearest_texel(turn, size, {0, 0}),
             .step = {turn.flips_x ? -1 : 1, turn.flips_y ? -1 : 1},
             .swaps_axes = turn.swaps_axes});
}

// --- rotate by any angle --------------------------------------------------------------------------------------------

bool is_by_degrees(const Call& call) { return call.has("degrees"); }

void check_rotate(const Call& call) {
  if (is_by_degrees(call) && call.has("angle"))
    fail(Exit::usage, "rotate: {} and {} are two angles; expected one", call.choice("angle"),
         call.text_of(*call.op->param("degrees")));
}

// Has the option an effect? Copied texels have no filter, no border, and always all of the image.
Param by_degrees(Param param) {
  param.effect = {.in = is_by_degrees, .requirement = "--degrees"};
  return param;
}

// The members that the rows have in common.
Op row_of_turn(Op row) {
  row.channels = Channels::all;
  row.output = output;
  row.footprint = footprint;
  row.change_attributes = change_attributes;
  row.reference = {.levels = reference, .tolerance = exact_tolerance};
  row.plan = plan_turn;
  return row;
}

Op row_of_rotate(Op row) {
  row = row_of_turn(std::move(row));
  row.output = [](const Call& call, std::span<const Output> inputs) {
    if (!is_by_degrees(call)) return output(call, inputs);
    const Output image = behind_border(call, inputs);
    return image.size == Size{} ? image : rotated_output(call, image);
  };
  row.footprint = [](const Call& call, Size size) {
    return is_by_degrees(call) ? rotated_footprint(call, size) : footprint(call, size);
  };
  row.change_attributes = [](const Call& call, std::vector<Attribute>& attributes) {
    if (is_by_degrees(call)) remove_camera(attributes);
    else change_attributes(call, attributes);
  };
  row.reference = {.levels =
                       [](const Call& call, Planes base) {
                         return is_by_degrees(call) ? std::vector{rotated(call, base)}
                                                    : reference(call, std::move(base));
                       },
                   .tolerance =
                       [](const Call& call, const Planes& base, const Planes& error, Depth depth) {
                         return is_by_degrees(call) ? std::vector{rotated_tolerance(call, base, error, depth)}
                                                    : exact_tolerance(call, base, error, depth);
                       }};
  row.plan = [](const Call& call, PlanBuilder& builder) {
    if (is_by_degrees(call)) plan_rotated(call, builder);
    else plan_turn(call, builder);
  };
  return row;
}

// --- shift ----------------------------------------------------------------------------------------------------------

Output shifted(const Call& call, std::span<const Output> inputs) {
  Output made = inputs.front();
  if (made.size == Size{}) return made;
  made.windows = windows_before(call, made);
  Window& data = made.windows.data;
  const auto low = [](int64_t min, int by, int length) {
    if (std::abs(min + by) + length >= data_window_bound)
      fail(Exit::usage, "shift: the image would reach further than {} texels from the origin; make the shift smaller",
           data_window_bound);
    return int(min + by);
  };
  const int x = low(data.min_x, call.integer("x"), made.size.width);
  const int y = low(data.min_y, call.integer("y"), made.size.height);
  data = {x, y, x + made.size.width - 1, y + made.size.height - 1};
  return made;
}

Param shift_param(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .kind = ParamKind::integer, .min = -65536, .max = 65536, .unit = "texels"};
}

}  // namespace

// --- the rows -------------------------------------------------------------------------------------------------------

const Op flip_op = row_of_turn({
    .name = "flip",
    .doc = {.group = OpGroup::size,
            .summary = "Mirror the image",
            .description = "`flip x` swaps left and right. `flip y` swaps top and bottom. `flip xy` does both, which "
                           "rotates by 180 degrees. Texels are copied bit for bit. The image is mirrored within its "
                           "display window; a smaller data window moves with it.",
            .citation = "Windows as in oiiotool --flop (x) and --flip (y)",
            .examples = {"x", "y", "xy"}},
    .params = {{.name = "axis",
                .help = "Axis along which texels swap places",
                .kind = ParamKind::choice,
                .choices = {"x", "y", "xy"},
                .is_positional = true}},
});

static const Benchmark rotate_bench = {.sizes = {{1920, 1080}},
                                       .cpu_sizes = {{512, 512}},
                                       .depths = {Depth::half, Depth::f32},
                                       .arguments = "--degrees 3.5"};

const Op rotate_op = row_of_rotate({
    .name = "rotate",
    .doc =
        {.group = OpGroup::size,
         .summary = "Rotate the image clockwise by 90, 180, 270 or any number of degrees",
         .description =
             "`rotate 90`, `rotate 180` and `rotate 270` copy texels bit for bit in all channels, including depth and "
             "ids. The image is rotated in its display window, whose upper left corner stays.\n--degrees rotates by "
             "any angle around the center of the display window. Each texel of the result is interpolated from the "
             "input by --filter. The result keeps the windows of the input, so corners are cut off. If the data window "
             "does not cover the display window, it grows to cover it. With --expand, both windows grow to hold all of "
             "the image, and the upper left corner of the display window stays. Positions are rounded to 1/32768 "
             "texel. catmull-rom and lanczos3 limit rings around highlights as `resize --ringing limit` does. Channels "
             "other than color take the nearest texel. Angles count texels as squares: an image with a "
             "pixelAspectRatio other than 1 is sheared.",
         .citation =
             "Windows as in oiiotool --rotate90 if the display window starts at 0,0; with --degrees, the display "
             "window as in oiiotool --rotate; --expand as in ImageMagick -rotate",
         .examples = {"90", "180", "270", "--degrees 3.5", "--degrees -2 --expand --filter bilinear",
                      "--degrees 10 --border clamp --filter lanczos3", "--degrees 5 --filter nearest",
                      "--degrees 75 --border repeat", "--degrees 181 --border mirror --expand"}},
    .params = {{.name = "angle",
                .help = "Clockwise angle in degrees, 90 if none is given",
                .kind = ParamKind::choice,
                .choices = {"90", "180", "270"},
                .presence = Presence::optional,
                .is_positional = true},
               {.name = "degrees",
                .help = "Clockwise angle in degrees, any number; negative is counterclockwise",
                .min = -3600,
                .max = 3600,
                .unit = "degrees",
                .presence = Presence::optional},
               by_degrees(sampler_param()),
               by_degrees(sample_border_param()),
               by_degrees({.name = "expand",
                           .help = "Grow the windows until they hold all of the image",
                           .kind = ParamKind::flag})},
    .check = check_rotate,
    .bench = &rotate_bench,
});

const Op transpose_op = row_of_turn({
    .name = "transpose",
    .doc = {.group = OpGroup::size,
            .summary = "Exchange rows and columns",
            .description = "Texel (x, y) becomes texel (y, x), bit for bit. The image is transposed in its display "
                           "window, whose upper left corner stays.",
            .citation = "Windows as in oiiotool --transpose if the display window starts at 0,0",
            .examples = {""}},
});

const Op shift_op{
    .name = "shift",
    .doc = {.group = OpGroup::size,
            .summary = "Move the image in its display window",
            .description = "--x moves the image to the right and --y down, by whole texels. An EXR keeps all texels; "
                           "only its data window moves. Formats without windows get the display window: texels outside "
                           "it are dropped, and missing texels are transparent black, or black without alpha.",
            .citation = "Windows as in oiiotool --origin",
            .examples = {"--x 5 --y -3"}},
    .params = {shift_param("x", "Texels to the right"), shift_param("y", "Texels down")},
    .channels = Channels::all,
    .output = shifted,
    .footprint =
        [](const Call&, Size) {
          return Footprint{.kind = Footprint::Kind::texel, .nearest = [](Position at) { return at; }};
        },
    .change_attributes =
        [](const Call& call, std::vector<Attribute>& attributes) {
          // moving the image to the right is moving the frame to the left
          const Window& frame = call.windows.display;
          const int x = call.integer("x"), y = call.integer("y");
          crop_frame(attributes, frame, {frame.min_x - x, frame.min_y - y, frame.max_x - x, frame.max_y - y});
        },
    .reference = {.levels = [](const Call&, Planes base) { return std::vector{std::move(base)}; },
                  .tolerance = exact_tolerance},
    .plan = [](const Call&, PlanBuilder&) {},
};

}  // namespace gpupost
