#include "core/ops/shared/second_pictures.h"

#include "core/base/error.h"
#include "core/op/point.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

static constexpr double largest_in_means = 1e15;

InputPicture second_picture(const Call& call, size_t index, Size size, Depth depth) {
  return call.inputs.empty() ? InputPicture{.picture = {.size = size, .depth = depth}} : call.inputs[index];
}

static void check_same_size(const Call& call, std::span<const Output> inputs) {
  const Size size = inputs[0].size;
  for (size_t index = 1; index < inputs.size(); ++index)
    if (const Size other = inputs[index].size; size != Size{} && other != Size{} && other != size)
      fail(Exit::usage, "{}: {} is {} x {} texels; expected {} x {}, as the image (change it with resize)",
           call.op->name, call.op->needs(call).pictures[index - 1].path, other.width, other.height, size.width,
           size.height);
}

void check_same_place(const Call& call, const std::string& file, const Windows& image, const Windows& second) {
  const bool is_region = second.data != second.display;
  const bool are_known = image.data != Window{} && second.data != Window{};
  const auto place = [](const Window& window) { return fmt::format("{},{}", window.min_x, window.min_y); };
  if (is_region && are_known && place(image.data) != place(second.data))
    fail(Exit::usage, "{}: the data window of {} begins at {}, and that of the image at {} (move one with shift)",
         call.op->name, file, place(second.data), place(image.data));
}

void check_lies_on_image(const Call& call, std::span<const Output> inputs) {
  check_same_size(call, inputs);
  for (size_t index = 1; index < inputs.size(); ++index)
    check_same_place(call, call.op->needs(call).pictures[index - 1].path, inputs[0].windows, inputs[index].windows);
}

bool fits_in_means(const Color& straight) {
  return std::all_of(straight.begin(), straight.begin() + 3,
                     [](double value) { return std::abs(value) <= largest_in_means; });
}

Color straight_with_weight(const Color& c) {
  Color made = unpremultiply(c);
  if (is_transparent(c[3]) || !fits_in_means(made)) return {};
  made[3] = std::clamp(std::abs(coverage_of(c[3])), least_straight_weight, 1.0);
  return made;
}

std::vector<PushConstant> straight_weight_values() {
  return {{"least_weight", float(least_straight_weight)}, {"largest_in_means", float(largest_in_means)}};
}

}  // namespace gpupost
