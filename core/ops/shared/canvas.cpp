#include "core/ops/shared/canvas.h"

#include "core/base/math.h"
#include "core/base/text.h"
#include "core/image/attributes.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

bool is_canvas_color(std::string_view word) {
  const auto numbers = list_of_numbers(word);
  if (!numbers || (numbers->size() != 3 && numbers->size() != 4)) return false;
  return std::ranges::all_of(*numbers, [](double n) { return std::abs(n) <= 65504; }) &&
         (numbers->size() == 3 || (numbers->back() >= 0 && numbers->back() <= 1));
}

Color canvas_color_of(const Call& call, std::string_view param_name, const Color& other) {
  const auto numbers = list_of_numbers(call.word(param_name));
  if (!numbers) return other;
  const double alpha = numbers->size() == 4 ? numbers->back() : 1, weight = call.alpha_is_data ? 1 : alpha;
  return {weight * (*numbers)[0], weight * (*numbers)[1], weight * (*numbers)[2], alpha};
}

Canvas canvas_around(const Windows& windows, Size size) {
  const Window &data = windows.data, &display = windows.display;
  return {.image = size_of(data),
          .frame = size_of(display),
          .in_frame = {data.min_x - display.min_x, data.min_y - display.min_y},
          .size = size};
}

Position corner_of(const Canvas& canvas) {
  const auto along = [](int from, int to) { return to >= from ? -((to - from) / 2) : (from - to) / 2; };
  return {along(canvas.frame.width, canvas.size.width) - canvas.in_frame.x,
          along(canvas.frame.height, canvas.size.height - canvas.strip) - canvas.in_frame.y};
}

Position nearest_on(const Canvas& canvas, Position at) {
  const Position corner = corner_of(canvas);
  return {std::clamp(at.x + corner.x, 0, canvas.image.width - 1),
          std::clamp(at.y + corner.y, 0, canvas.image.height - 1)};
}

// Whether the canvas reaches beyond the image, or the size of the image is not known.
static bool surrounds(const Canvas& canvas) {
  const Position corner = corner_of(canvas);
  return corner.x < 0 || corner.y < 0 || corner.x + canvas.size.width > canvas.image.width ||
         corner.y + canvas.size.height > canvas.image.height;
}

Output canvas_output(const Canvas& canvas, Output image) {
  image.has_alpha |= canvas.color[3] < 1;
  image.may_be_transparent |= canvas.color[3] < 1 && surrounds(canvas);
  const bool is_gray = canvas.color[0] == canvas.color[1] && canvas.color[0] == canvas.color[2];
  image = with_gray(std::move(image), is_gray ? GrayResult::gray : GrayResult::color);
  if (image.size == Size{}) return image;
  image.size = canvas.size;
  image.windows = {.data = window_of(image.size), .display = window_of(image.size)};
  return image;
}

void crop_to_canvas(const Canvas& canvas, const Windows& windows, std::vector<Attribute>& attributes) {
  const Position corner = corner_of(canvas);
  const int x = windows.data.min_x + corner.x, y = windows.data.min_y + corner.y;
  crop_frame(attributes, windows.display, {x, y, x + canvas.size.width - 1, y + canvas.size.height - 1});
}

static Planes around(const Canvas& canvas, const Planes& image, const Color& color) {
  const Position corner = corner_of(canvas);
  return made_of_texels(canvas.size, [&](size_t index) {
    const Position at{int(index) % canvas.size.width, int(index) / canvas.size.width};
    const Position nearest = nearest_on(canvas, at);
    if (!canvas.repeats && nearest != Position{at.x + corner.x, at.y + corner.y}) return color;
    return color_at(image, size_t(nearest.y) * size_t(canvas.image.width) + size_t(nearest.x));
  });
}

Planes on_canvas(const Canvas& canvas, const Planes& image) { return around(canvas, image, canvas.color); }

Planes canvas_tolerance(const Canvas& canvas, const Planes& error, Depth depth) {
  Color off = canvas.color;
  for (double& number : off) number = rounding(std::abs(number), depth);
  return around(canvas, error, off);
}

void plan_canvas(PlanBuilder& builder, std::string name, const Canvas& canvas, Position corner, const Region& made) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Position first = corner_of(canvas);
  builder.add_result({.name = std::move(name),
                      .kernel = "shared/canvas.glsl",
                      .defines = {{"REPEATS", canvas.repeats}},
                      .values = {{"end_x", made.size.width},
                                 {"end_y", made.size.height},
                                 {"corner_x", made.corner.x + first.x - corner.x},
                                 {"corner_y", made.corner.y + first.y - corner.y},
                                 {"width", image.size.width},
                                 {"height", image.size.height},
                                 {"red", float(canvas.color[0])},
                                 {"green", float(canvas.color[1])},
                                 {"blue", float(canvas.color[2])},
                                 {"alpha", float(canvas.color[3])}},
                      .grid = {.count = {div_ceil(made.size.width, 64), div_ceil(made.size.height, 16)}},
                      .source = {.image = source}},
                     {.size = made.size, .depth = image.depth});
}

}  // namespace gpupost
