#include "core/ops/guided/reference.h"

#include "core/image/color_matrices.h"
#include "core/op/point.h"
#include "core/ops/blur/reference.h"
#include "core/ops/blur/row.h"
#include "core/reference/verify.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

Call guided_box(const Call& call) {
  return default_call(blur_op).with("radius", call.integer("radius")).with("border", double(Border::renormalize));
}

namespace {

// Straight colors of guide and picture. A weight of 0 leaves the texel out.
struct Texel {
  Vector3 guide{}, color{};
  double weight = 0;
};

Texel texel_of(const Color& c, const Color* of_guide) {
  const Color color = straight_with_weight(c), guide = of_guide ? unpremultiply(*of_guide) : color;
  if (!fits_in_means(guide)) return {};
  return {.guide = {guide[0], guide[1], guide[2]}, .color = {color[0], color[1], color[2]}, .weight = color[3]};
}

std::vector<Texel> texels_of(const Call& call, const Planes& base) {
  Planes guide;
  if (!call.inputs.empty()) guide = planes_of(*call.inputs[0].texels, call.inputs[0].picture.depth);
  std::vector<Texel> texels;
  for (size_t index = 0; index < texel_count(size_of(base)); ++index) {
    const Color of_guide = call.inputs.empty() ? Color{} : color_at(guide, index);
    texels.push_back(texel_of(color_at(base, index), call.inputs.empty() ? nullptr : &of_guide));
  }
  return texels;
}

// Means over the windows of several numbers a texel.
template <size_t Count>
using Numbers = std::vector<std::array<double, Count>>;

template <size_t Count>
Numbers<Count> means_of(const Call& call, Size size, const Numbers<Count>& numbers) {
  Numbers<Count> made = numbers;
  for (size_t first = 0; first < Count; first += 4) {
    Planes planes = made_of_texels(size, [&](size_t index) {
      Color c{};
      for (size_t k = first; k < std::min(Count, first + 4); ++k) c[k - first] = numbers[index][k];
      return c;
    });
    planes = blurred(std::move(planes), blur_of(guided_box(call)));
    for (size_t index = 0; index < made.size(); ++index)
      for (size_t k = first; k < std::min(Count, first + 4); ++k) made[index][k] = planes[k - first].values[index];
  }
  return made;
}

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Vector3& a) { return std::sqrt(dot(a, a)); }

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// By Cramer's rule; the matrix is symmetric.
Vector3 solved(const Matrix3& m, const Vector3& v) {
  const double determinant = dot(m[0], cross(m[1], m[2]));
  return {dot(v, cross(m[1], m[2])) / determinant, dot(m[0], cross(v, m[2])) / determinant,
          dot(m[0], cross(m[1], v)) / determinant};
}

// He et al., equations 19 and 20: in a window, channel c is near dot(a[c], guide) + b[c].
struct Fit {
  Matrix3 a{};
  Vector3 b{}, guide{}, color{};              // means of guide and picture in `guide` and `color`
  double guide_square = 0, color_square = 0;  // means of their squared lengths
  double epsilon = 1;
};

std::vector<Fit> fits_of(const Call& call, Size size, const std::vector<Texel>& texels) {
  Numbers<23> sums;  // the weight; weighted means of I, p, I I^T, p I^T and p^2
  for (const Texel& t : texels) {
    std::array<double, 23>& sum = sums.emplace_back();
    sum[0] = t.weight;
    for (size_t i = 0; i < 3; ++i) {
      sum[1 + i] = t.weight * t.guide[i];
      sum[4 + i] = t.weight * t.color[i];
      for (size_t j = 0; j < 3; ++j) sum[7 + 3 * i + j] = t.weight * t.color[i] * t.guide[j];
    }
    for (size_t i = 0; i < 3; ++i) sum[16 + i] = t.weight * t.guide[i] * t.guide[i];
    for (size_t i = 0; i < 3; ++i) sum[19 + i] = t.weight * t.guide[i] * t.guide[(i + 1) % 3];
    sum[22] = t.weight * dot(t.color, t.color);
  }
  sums = means_of(call, size, sums);
  std::vector<Fit> fits(texels.size());
  for (size_t index = 0; index < fits.size(); ++index) {
    std::array<double, 23> mean = sums[index];
    Fit& fit = fits[index];
    if (mean[0] < least_guide_sum) continue;  // no texel of the window has a weight
    for (size_t k = 1; k < mean.size(); ++k) mean[k] /= mean[0];
    fit.guide = {mean[1], mean[2], mean[3]};
    fit.color = {mean[4], mean[5], mean[6]};
    fit.guide_square = mean[16] + mean[17] + mean[18];
    fit.color_square = mean[22];
    fit.epsilon = std::max(call.number("epsilon"), least_guide_contrast * fit.guide_square);
    Matrix3 covariance;
    for (size_t i = 0; i < 3; ++i) {
      covariance[i][i] = mean[16 + i] - fit.guide[i] * fit.guide[i] + fit.epsilon;
      const size_t next = (i + 1) % 3;
      covariance[i][next] = covariance[next][i] = mean[19 + i] - fit.guide[i] * fit.guide[next];
    }
    for (size_t c = 0; c < 3; ++c) {
      Vector3 with_color;
      for (size_t j = 0; j < 3; ++j) with_color[j] = mean[7 + 3 * c + j] - fit.color[c] * fit.guide[j];
      fit.a[c] = solved(covariance, with_color);
      fit.b[c] = fit.color[c] - dot(fit.a[c], fit.guide);
    }
  }
  return fits;
}

}  // namespace

std::vector<Planes> guided_reference(const Call& call, Planes base) {
  const std::vector<Texel> texels = texels_of(call, base);
  Numbers<12> planes;
  for (const Fit& fit : fits_of(call, size_of(base), texels)) {
    std::array<double, 12>& plane = planes.emplace_back();
    for (size_t c = 0; c < 3; ++c) {
      std::ranges::copy(fit.a[c], plane.begin() + 4 * ptrdiff_t(c));
      plane[4 * c + 3] = fit.b[c];
    }
  }
  planes = means_of(call, size_of(base), planes);
  return {made_of_texels(size_of(base), [&](size_t index) -> Color {
    const Texel& t = texels[index];
    Color made = color_at(base, index);
    if (t.weight == 0) return made;
    for (size_t c = 0; c < 3; ++c) {
      const std::array<double, 12>& p = planes[index];
      made[c] = dot({p[4 * c], p[4 * c + 1], p[4 * c + 2]}, t.guide) + p[4 * c + 3];
      made[c] = as_float(made[c] * coverage_of(made[3]));
    }
    return made;
  })};
}

// The result at texel i is the mean of p_k + a_k (I_i - I_k) over the windows k around it. p_k and I_k are the means of picture and
// guide in window k. The errors of the means, of a_k and of I_i add up. If a covariance is off by d, a_k is off by d / epsilon.
std::vector<Planes> guided_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth) {
  const Size size = size_of(base);
  const double step =
      0x1p-22 + 0x1p-25 * (4.0 * call.integer("radius") + 2);  // of a mean of floats, as a share of its size
  const std::vector<Texel> texels = texels_of(call, base);
  // errors of guide, picture and weight at each texel
  Numbers<3> off;
  for (size_t index = 0; index < texels.size(); ++index) {
    const Color c = color_at(base, index), e = color_at(error, index);
    const Color moved = moved_by(unpremultiply, c, e);
    const double color = std::sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]);
    const double rounded = 0x1p-21 * (length(texels[index].guide) + length(texels[index].color));
    const double weight = texels[index].weight;
    off.push_back({(call.inputs.empty() ? color : 0) + rounded, color + rounded,
                   weight == 0 ? 0 : std::min(1.0, e[3] / weight) + 0x1p-22});
  }
  const std::vector<Fit> fits = fits_of(call, size, texels);
  // weighted means of errors: of guide and picture, squared too, and of the weight alone
  Numbers<6> errors;
  for (size_t index = 0; index < texels.size(); ++index) {
    const double weight = texels[index].weight;
    const auto& [guide, color, share] = off[index];
    errors.push_back({weight, weight * guide * guide, weight * color * color, weight * share * share, weight * guide,
                      weight * color});
  }
  errors = means_of(call, size, errors);
  // error of each window's linear function: at the mean of the guide, and per distance of the guide from it
  Numbers<7> windows;
  for (size_t index = 0; index < texels.size(); ++index) {
    std::array<double, 7>& window = windows.emplace_back();
    const Fit& fit = fits[index];
    const double weight = errors[index][0];
    if (weight < least_guide_sum) continue;
    const double guide_off = std::sqrt(errors[index][1] / weight), color_off = std::sqrt(errors[index][2] / weight);
    const double share = std::sqrt(errors[index][3] / weight);
    const double guide_size = std::sqrt(fit.guide_square), color_size = std::sqrt(fit.color_square);
    const double gain = std::max({length(fit.a[0]), length(fit.a[1]), length(fit.a[2])});
    // errors of the means of guide times guide, and of guide times picture
    const double by_size = share + 8 * step;
    const double of_guide = guide_size * (2 * guide_off + by_size * guide_size) + guide_off * guide_off;
    const double of_color =
        guide_size * (color_off + by_size * color_size) + color_size * guide_off + guide_off * color_off;
    window[0] = color_off + by_size * color_size + gain * (guide_off + by_size * guide_size);
    window[1] = (3 * gain * of_guide + 2 * of_color) / fit.epsilon + 0x1p-18 * gain;
    window[1] *= window[1];
    window[2] = gain;
    std::ranges::copy(fit.guide, &window[3]);
    window[6] = dot(fit.guide, fit.guide);
  }
  windows = means_of(call, size, windows);
  const Planes made = guided_reference(call, base)[0];
  return {made_of_texels(size, [&](size_t index) -> Color {
    const Texel& t = texels[index];
    const Color c = color_at(made, index), e = color_at(error, index);
    if (t.weight == 0) return e;
    const std::array<double, 7>& w = windows[index];
    const double away = std::max(0.0, dot(t.guide, t.guide) - 2 * dot(t.guide, {w[3], w[4], w[5]}) + w[6]);
    const double at_middle = w[0] + w[2] * (off[index][0] + step * (length(t.guide) + std::sqrt(w[6])));
    const double in_all = at_middle + std::sqrt(w[1] * away), alpha = coverage_of(c[3]);
    Color sum{0, 0, 0, e[3]};
    for (size_t k = 0; k < 3; ++k) {
      const double straight = std::isfinite(c[k]) && alpha != 0 ? std::abs(c[k] / alpha) : 0;
      sum[k] = std::abs(alpha) * in_all + straight * e[3] + rounding(std::abs(c[k]), depth) + 0x1p-22 * std::abs(c[k]);
    }
    return sum;
  })};
}

}  // namespace gpupost
