#include "core/point.h"

#include "core/plan.h"
#include "core/threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

Colour yxy_of_rgb(const Colour& rgb) {
  const double x = 0.4123907993 * rgb[0] + 0.3575843394 * rgb[1] + 0.1804807884 * rgb[2];
  const double y = luminance_of(rgb);
  const double z = 0.0193308187 * rgb[0] + 0.1191947798 * rgb[1] + 0.9505321522 * rgb[2];
  const double sum = x + y + z;
  if (std::abs(sum) <= 1e-12 || std::isinf(sum)) return {y, 0.3127, 0.3290, rgb[3]};
  return {y, x / sum, y / sum, rgb[3]};
}

Colour rgb_of_yxy(const Colour& yxy) {
  const double sum = yxy[2] != 0 ? yxy[0] / yxy[2] : 0;
  const double x = yxy[1] * sum, y = yxy[0], z = (1 - yxy[1] - yxy[2]) * sum;
  return {3.2409699419 * x - 1.5373831776 * y - 0.4986107603 * z,
          -0.9692436363 * x + 1.8759675015 * y + 0.0415550574 * z,
          0.0556300797 * x - 0.2039769589 * y + 1.0569715142 * z, yxy[3]};
}

double luminance_of(const Colour& rgb) {
  return luminance_weights[0] * rgb[0] + luminance_weights[1] * rgb[1] + luminance_weights[2] * rgb[2];
}

namespace {

using Texel4 = std::function<Colour(const Colour&)>;

Colour scaled(const Colour& c, double factor) { return {c[0] * factor, c[1] * factor, c[2] * factor, c[3]}; }

// The op on a texel of premultiplied linear Rec.709. Light without alpha is not multiplied by it, and what is too large for a
// float is infinite.
Texel4 on_working_colour(const Call& call, const Planes& picture) {
  const Point& point = *call.op->point;
  return [&point, texel = point.texel(call, picture)](const Colour& working) {
    Colour c = working;
    if (point.is_straight && c[3] != 0) c = scaled(c, 1 / c[3]);
    c = point.space == PointSpace::yxy ? rgb_of_yxy(texel(yxy_of_rgb(c))) : texel(c);
    if (point.is_straight && c[3] != 0) c = scaled(c, c[3]);
    for (double& number : c)
      if (std::abs(number) > double(std::numeric_limits<float>::max()))
        number = std::copysign(std::numeric_limits<double>::infinity(), number);
    return c;
  };
}

Colour colour_at(const Planes& planes, size_t index) {
  return {planes[0].values[index], planes[1].values[index], planes[2].values[index], planes[3].values[index]};
}

// The same of each texel of two pictures.
Planes made_of_each(const Planes& a, const Planes& b, const std::function<Colour(const Colour&, const Colour&)>& make) {
  Planes made = a;
  const size_t width = size_t(size_of(a).width);
  parallel_ranges(size_of(a).height, 16, [&](int begin, int end) {
    for (size_t index = size_t(begin) * width; index < size_t(end) * width; ++index) {
      const Colour colour = make(colour_at(a, index), colour_at(b, index));
      for (size_t c = 0; c < 4; ++c) made[c].values[index] = colour[c];
    }
  });
  return made;
}

std::vector<Planes> reference(const Call& call, Planes base) {
  const Texel4 texel = on_working_colour(call, base);
  return {made_of_each(base, base, [&](const Colour& c, const Colour&) { return texel(c); })};
}

// How far a result moves where component `moved` of what it is made of is off by `error`.
Colour moved_by(const Texel4& texel, const Colour& c, const Colour& made, size_t moved, double error) {
  Colour most{};
  for (const double sign : {-1.0, 1.0}) {
    Colour beside = c;
    beside[moved] += sign * error;
    const Colour found = texel(beside);
    for (size_t k = 0; k < 4; ++k) {
      const double distance = std::abs(found[k] - made[k]);
      if (std::isfinite(distance)) most[k] = std::max(most[k], distance);
    }
  }
  return most;
}

std::vector<Planes> tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Texel4 texel = on_working_colour(call, base);
  const double fuzz = call.op->point->fuzz;
  return {made_of_each(base, error, [&](const Colour& c, const Colour& off) {
    const Colour made = texel(c);
    double largest = 0;
    for (size_t k = 0; k < 3; ++k)
      if (std::isfinite(made[k])) largest = std::max(largest, std::abs(made[k]));
    Colour sum;
    for (size_t k = 0; k < 4; ++k) sum[k] = rounding(std::abs(made[k]), depth) + (k < 3 ? fuzz * largest : 0);
    for (size_t moved = 0; moved < 4; ++moved)
      if (off[moved] != 0) {
        const Colour more = moved_by(texel, c, made, moved, off[moved]);
        for (size_t k = 0; k < 4; ++k) sum[k] += more[k];
      }
    return sum;
  })};
}

}  // namespace

Op point_op(Op row) {
  row.reference = reference;
  row.tolerance = tolerance;
  if (!row.plan) row.plan = [](const Call& call, PlanBuilder& builder) { builder.add_point(fold_of(call)); };
  return row;
}

}  // namespace gpupost
