#include "core/ops/bleed/reference.h"

#include "core/base/threads.h"
#include "core/op/point.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gpupost {

namespace {

constexpr double unknown_error = 0x1p128;  // error of the color of a texel whose alpha may be 0 or not

// Calls make(x, y, index) for each texel.
template <class Make>
void for_each_texel(Size size, const Make& make) {
  parallel_ranges(size.height, 16, [&](int begin, int end) {
    for (int y = begin; y < end; ++y)
      for (int x = 0; x < size.width; ++x) make(x, y, size_t(y) * size_t(size.width) + size_t(x));
  });
}

Planes blank(Size size) {
  Planes planes;
  planes.fill({.size = size, .values = std::vector<double>(texel_count(size))});
  return planes;
}

void set_color(Planes& planes, size_t index, const Color& c) {
  for (size_t k = 0; k < 4; ++k) planes[k].values[index] = c[k];
}

// Weight of a texel in means; 0 if its color does not spread.
double weight_of(const Color& c) {
  const double weight = std::min(1.0, std::abs(coverage_of(c[3])));
  const Color straight = unpremultiply(c);
  const bool counts = std::ranges::all_of(straight.begin(), straight.begin() + 3,
                                          [](double value) { return std::abs(value) <= largest_bleeding_color; });
  return counts && weight >= double(float(least_bleeding_alpha)) ? weight : 0;
}

// Straight color times weight, and the weight.
Color weighted(const Color& c) {
  const double weight = weight_of(c);
  if (weight == 0) return {};
  const Color straight = unpremultiply(c);
  return {weight * straight[0], weight * straight[1], weight * straight[2], weight};
}

// The error of weighted(c) if `c` has the error `error`.
Color weighted_error(const Color& c, const Color& error) {
  if (weight_of(c) == 0 && !std::ranges::all_of(error, [](double value) { return std::isfinite(value); })) return {};
  const double alpha = std::abs(coverage_of(c[3])), change = std::isfinite(error[3]) ? error[3] : 0;
  const Color made = weighted(c);
  Color sum{0, 0, 0, change};
  if (weight_of(c) == 0 && alpha > change + least_bleeding_alpha) return {};  // NaN, infinity or a large color stays so
  const double divisor = std::max(1.0, alpha);
  for (size_t k = 0; k < 3; ++k) {
    sum[k] = error[k] / divisor + (alpha > 1 ? std::abs(made[k]) * change / divisor : 0);
    if (alpha < change + least_bleeding_alpha) sum[k] += std::abs(made[k]);  // its weight may be 0
  }
  if (alpha < change + least_bleeding_alpha) sum[3] += made[3];
  return sum;
}

// The next level: a quarter of the sum of 2x2 texels.
Planes halved(const Planes& from) {
  const Size size = size_of(from);
  Planes made = blank(half_of(size));
  for_each_texel(size_of(made), [&](int x, int y, size_t index) {
    Color sum{};
    for (int row = 2 * y; row < std::min(2 * y + 2, size.height); ++row)
      for (int column = 2 * x; column < std::min(2 * x + 2, size.width); ++column)
        for (size_t k = 0; k < 4; ++k) sum[k] += from[k].values[size_t(row) * size_t(size.width) + size_t(column)] / 4;
    set_color(made, index, sum);
  });
  return made;
}

// `coarse` between its texel centers, by linear interpolation; beyond the outer centers it is constant.
Planes enlarged(const Planes& coarse, Size size) {
  Planes made = blank(size);
  const Size from = size_of(coarse);
  for_each_texel(size, [&](int x, int y, size_t index) {
    const double at_x = std::clamp((x - 0.5) / 2, 0.0, from.width - 1.0);
    const double at_y = std::clamp((y - 0.5) / 2, 0.0, from.height - 1.0);
    const auto left = size_t(at_x), top = size_t(at_y);
    const size_t right = std::min(left + 1, size_t(from.width) - 1);
    const size_t bottom = std::min(top + 1, size_t(from.height) - 1);
    const double part_x = at_x - double(left), part_y = at_y - double(top);
    Color sum{};
    for (size_t k = 0; k < 4; ++k) {
      const auto value = [&](size_t column, size_t row) { return coarse[k].values[row * size_t(from.width) + column]; };
      sum[k] = (1 - part_y) * ((1 - part_x) * value(left, top) + part_x * value(right, top)) +
               part_y * ((1 - part_x) * value(left, bottom) + part_x * value(right, bottom));
    }
    set_color(made, index, sum);
  });
  return made;
}

// A filled level: straight color, and 1 in the fourth plane, or 0 if the image has no color that spreads. `error` is that of the color.
struct Filled {
  Planes color, error;
};

// The straight color of a mean, and its error. A mean without weight has the alpha 0.
std::pair<Color, Color> straight_of(const Color& mean, const Color& error) {
  const double weight = mean[3], least = weight - error[3];
  std::pair<Color, Color> made;
  if (weight > 0) made.first = {mean[0] / weight, mean[1] / weight, mean[2] / weight, 1};
  for (size_t k = 0; k < 3; ++k)
    if (weight > 0 && least > 0) made.second[k] = (error[k] + std::abs(made.first[k]) * error[3]) / least;
    else if (error[3] > 0) made.second[k] = unknown_error;
  return made;
}

// The levels below the image, down to 1 x 1.
std::vector<Planes> levels_below(Planes level) {
  std::vector<Planes> levels;
  do {
    level = halved(level);
    levels.push_back(level);
  } while (size_of(level) != Size{1, 1});
  return levels;
}

// Rounding of a level, whose texels are means of absolute values `sizes`: one step a level, and denormals that become 0.
void add_rounding(const Planes& sizes, size_t step_count, Planes& errors) {
  for (size_t k = 0; k < 4; ++k)
    for (size_t index = 0; index < errors[k].values.size(); ++index)
      if (const double size = sizes[k].values[index]; sizes[3].values[index] > 0)
        errors[k].values[index] += double(step_count) * (0x1p-21 * size + (k < 3 ? 0x1p-124 : 0));
}

// The filled level 1, enlarged to the size of the image, if the image has the error `error`.
Filled surroundings(const Planes& base, const Planes& error) {
  const Planes level = made_of_texels(size_of(base), [&](size_t index) { return weighted(color_at(base, index)); });
  const std::vector<Planes> means = levels_below(level), sizes = levels_below(absolute(level));
  std::vector<Planes> errors = levels_below(made_of_texels(
      size_of(base), [&](size_t index) { return weighted_error(color_at(base, index), color_at(error, index)); }));
  Filled made{blank({1, 1}), blank({1, 1})};
  for (size_t k = means.size(); k-- > 0;) {
    add_rounding(sizes[k], k + 2, errors[k]);
    for_each_texel(size_of(means[k]), [&](int, int, size_t index) {
      const auto [color, change] = straight_of(color_at(means[k], index), color_at(errors[k], index));
      if (color[3] != 0) set_color(made.color, index, color);
      if (color[3] != 0 || change[0] != 0) set_color(made.error, index, change);
    });
    const Size size = k == 0 ? size_of(base) : size_of(means[k - 1]);
    made = {enlarged(made.color, size), enlarged(made.error, size)};
  }
  return made;
}

}  // namespace

Planes bled(Planes level) {
  const Planes color = surroundings(level, blank(size_of(level))).color;
  for (size_t index = 0; index < level[3].values.size(); ++index)
    if (is_transparent(level[3].values[index]) && color[3].values[index] > 0)
      for (size_t k = 0; k < 3; ++k) level[k].values[index] = color[k].values[index];
  return level;
}

Planes bled_tolerance(const Planes& level, const Planes& error, Depth depth) {
  const Filled around = surroundings(level, error);
  return made_of_texels(size_of(level), [&](size_t index) {
    const Color own = color_at(level, index), fill = color_at(around.color, index);
    Color sum = color_at(error, index);
    const bool may_be_transparent = sum[3] > 0 && std::abs(own[3]) <= sum[3];
    // --space yxy mixes the channels
    const double size = std::max({std::abs(fill[0]), std::abs(fill[1]), std::abs(fill[2])});
    for (size_t k = 0; k < 3; ++k)
      if (may_be_transparent) sum[k] = unknown_error;
      else if (is_transparent(own[3]))
        sum[k] = around.error[k].values[index] + (fill[3] > 0 ? rounding(size, depth) : sum[k]);
    return sum;
  });
}

}  // namespace gpupost
