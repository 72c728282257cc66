#include "core/ops/tonemap/local_reference.h"

#include "core/op/point.h"
#include "core/ops/blur/reference.h"
#include "core/ops/blur/row.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

constexpr double ratio = 1.6;  // of one scale to the one before

Planes weighted_lights(const Planes& picture) {
  return made_of_texels(size_of(picture), [&](size_t index) { return weighted_light(color_at(picture, index)); });
}

Blur blur_of_scale(int index) { return blur_of(gaussian_of_scale(index)); }

// The weighted light through each gaussian.
std::vector<Planes> around(const Planes& light, const LocalTone& local) {
  std::vector<Planes> scales;
  for (int index = 0; index <= local.scale_count; ++index) scales.push_back(blurred(light, blur_of_scale(index)));
  return scales;
}

double mean_at(const Planes& scale, size_t index) { return scale[0].values[index] / scale[3].values[index]; }

std::vector<double> means_at(const std::vector<Planes>& scales, size_t index) {
  std::vector<double> means;
  for (const Planes& scale : scales) means.push_back(mean_at(scale, index));
  return means;
}

// What the weighted light may be off by: floats lose a little of a sum of channels, and all of it that cancels.
Planes light_error(const Call& call, const Planes& picture, const Planes& error) {
  return made_of_texels(size_of(picture), [&](size_t index) {
    const Color c = color_at(picture, index);
    Color sum = moved_by(weighted_light, c, error_in_space(call, c, color_at(error, index)));
    const Color light = weighted_light(c);
    for (const size_t k : {0, 3}) sum[k] += 0x1p-20 * light[k];
    return sum;
  });
}

// How much of the light at one scale goes on to the next: 1 where both means are alike, 0 where `gap` is between them.
double evenness(const LocalTone& local, int scale, double center, double gap) {
  const double activity = gap / (sharpness_of_scale(local, scale) * local.middle + center);
  return std::clamp(1.5 - activity / local.epsilon, 0.0, 1.0);
}

// How far the adaptation may move where each mean is off by at most its error, all of them at once.
double moved_adaptation(const std::vector<double>& means, const std::vector<double>& errors, const LocalTone& local) {
  double share = 1, least_share = 1, most_share = 1, moved = errors[0];
  for (int scale = 0; scale < local.scale_count; ++scale) {
    const auto at = size_t(scale);
    const double gap = std::abs(means[at] - means[at + 1]), off = errors[at] + errors[at + 1];
    share *= evenness(local, scale, means[at], gap);
    least_share *= evenness(local, scale, std::max(0.0, means[at] - errors[at]), gap + off);
    most_share *= evenness(local, scale, means[at] + errors[at], std::max(0.0, gap - off));
    if (scale == 0) continue;
    const double step = std::abs(means[at] - means[at - 1]), step_off = errors[at] + errors[at - 1];
    moved += std::max(most_share - share, share - least_share) * (step + step_off) + share * step_off;
  }
  return moved;
}

Plane made_of(Size size, const std::function<double(size_t index)>& make) {
  return made_of_texels(size, [&](size_t index) { return Color{make(index), 0, 0, 0}; })[0];
}

}  // namespace

LocalTone local_tone_of(const Call& call, const Measures& measures) {
  const Tone tone = tone_of(call, measures);
  return {.sharpening = tone.numbers[1],
          .epsilon = tone.numbers[2],
          .scale_count = int(tone.numbers[3]),
          .middle = call.has("key") ? call.number("key") / tone.scale : 0.18};
}

Call gaussian_of_scale(int index) { return default_call(blur_op).with("sigma", std::pow(ratio, index) / 4); }

double sharpness_of_scale(const LocalTone& local, int index) {
  return std::exp2(local.sharpening) / std::pow(ratio, 2 * index);
}

Color weighted_light(const Color& premultiplied_color) {
  const Color c = unpremultiply(premultiplied_color);
  const double luminance = luminance_of(c);
  const double weight = c[3] > least_light_weight ? std::min(c[3], 1.0) : least_light_weight;
  return {(luminance > 0 ? std::min(luminance, brightest) : 0) * weight, 0, 0, weight};
}

double adaptation_of(const std::vector<double>& means, const LocalTone& local) {
  double share = 1, adaptation = means[0];
  for (int scale = 0; scale < local.scale_count; ++scale) {
    const double center = means[size_t(scale)], surround = means[size_t(scale) + 1];
    share *= evenness(local, scale, center, std::abs(center - surround));
    if (scale > 0) adaptation += share * (center - means[size_t(scale) - 1]);
  }
  return adaptation;
}

Plane adaptations(const Planes& picture, const LocalTone& local) {
  const std::vector<Planes> scales = around(weighted_lights(picture), local);
  return made_of(size_of(picture), [&](size_t index) { return adaptation_of(means_at(scales, index), local); });
}

Plane adaptation_tolerance(const Call& call, const Planes& picture, const Planes& error, const LocalTone& local) {
  const Planes light = weighted_lights(picture), error_before = light_error(call, picture, error);
  const std::vector<Planes> scales = around(light, local);
  std::vector<Planes> errors;
  for (int index = 0; index <= local.scale_count; ++index)
    errors.push_back(blurred_tolerance(light, error_before, blur_of_scale(index), Depth::f32));
  return made_of(size_of(picture), [&](size_t index) {
    const std::vector<double> means = means_at(scales, index);
    std::vector<double> off;
    for (size_t scale = 0; scale < scales.size(); ++scale)
      off.push_back((errors[scale][0].values[index] + means[scale] * errors[scale][3].values[index]) /
                    scales[scale][3].values[index]);
    // a log average is off by 2^-17, and the share that goes on by as much of an activity of 1.5 epsilon
    return moved_adaptation(means, off, local) + 0x1p-15 * std::ranges::max(means);
  });
}

}  // namespace gpupost
