#include "tests/definitions/filters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace definitions {

namespace {

// -1: none.
int inside(int at, int size, Border border) {
  if (at >= 0 && at < size) return at;
  const auto modulo = [](int a, int b) { return (a % b + b) % b; };
  switch (border) {
    case Border::clamp: return std::clamp(at, 0, size - 1);
    case Border::repeat: return modulo(at, size);
    case Border::mirror:
      return modulo(at, 2 * size) < size ? modulo(at, 2 * size) : 2 * size - 1 - modulo(at, 2 * size);
    default: return -1;
  }
}

Taps within(const Taps& taps, int size, Border border) {
  Taps result;
  double total = 0;
  for (const auto& [place, weight] : taps)
    if (const int at = inside(place, size, border); at >= 0) {
      result.emplace_back(at, weight);
      total += weight;
    }
  if (border == Border::renormalize)
    for (auto& tap : result) tap.second /= total;
  return result;
}

Taps normalized(Taps taps) {
  double total = 0;
  for (const auto& tap : taps) total += tap.second;
  for (auto& tap : taps) tap.second /= total;
  return taps;
}

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 40; ++k) sum += term *= x * x / (4.0 * k * k);
  return sum;
}

Taps resize_taps(int at, int from, int to, const std::string& filter) {
  const double ratio = double(from) / to, scale = std::max(1.0, ratio), radius = filter_radius(filter) * scale;
  const double center = (at + 0.5) * ratio;  // texel i reaches from i to i + 1
  const double left = at * ratio, right = (at + 1) * ratio;
  Taps taps;
  for (int place = int(std::floor(center - radius)) - 1; place <= int(std::ceil(center + radius)) + 1; ++place) {
    const double weight = filter == "box" ? std::max(0.0, std::min(right, place + 1.0) - std::max(left, double(place)))
                                          : filter_weight(filter, (place + 0.5 - center) / scale);
    if (weight != 0) taps.emplace_back(place, weight);
  }
  return normalized(taps);
}

Taps level_taps(int at, int size) {
  if (size == 1) return {{0, 1}};
  const int half = size / 2;
  if (size % 2 == 0) return {{2 * at, 0.5}, {2 * at + 1, 0.5}};
  return {{2 * at, double(half - at) / size}, {2 * at + 1, double(half) / size}, {2 * at + 2, double(at + 1) / size}};
}

}  // namespace

Image filtered(const Image& image, int width, int height, const std::function<Taps(int)>& columns,
               const std::function<Taps(int)>& rows, Border border) {
  Image lines = image, result = image;
  lines.width = result.width = width;
  result.height = height;
  lines.texels.assign(size_t(width) * size_t(image.height), {});
  result.texels.assign(size_t(width) * size_t(height), {});
  for (int x = 0; x < width; ++x)
    for (const auto& [place, weight] : within(columns(x), image.width, border))
      for (int y = 0; y < image.height; ++y)
        for (size_t c = 0; c < 4; ++c) lines.at(x, y)[c] += weight * image.at(place, y)[c];
  for (int y = 0; y < height; ++y)
    for (const auto& [place, weight] : within(rows(y), image.height, border))
      for (int x = 0; x < width; ++x)
        for (size_t c = 0; c < 4; ++c) result.at(x, y)[c] += weight * lines.at(x, place)[c];
  if (!image.has_alpha)
    for (Position& texel : result.texels) texel[3] = 1;
  return result;
}

Taps identity(int at) { return {{at, 1}}; }

Taps gaussian(int at, double sigma, int radius) {
  Taps taps;
  for (int i = -radius; i <= radius; ++i)
    if (const double weight = std::exp(-i * i / (2 * sigma * sigma)); weight >= 0x1p-24)
      taps.emplace_back(at + i, weight);
  return normalized(taps);
}

Taps box(int at, int radius) {
  Taps taps;
  for (int i = -radius; i <= radius; ++i) taps.emplace_back(at + i, 1.0 / (2 * radius + 1));
  return taps;
}

Image blurred(const Image& image, double sigma, int radius, Border border) {
  const auto taps = [&](int at) { return gaussian(at, sigma, radius); };
  return filtered(image, image.width, image.height, taps, taps, border);
}

double filter_radius(const std::string& name) {
  if (name == "lanczos4") return 4;
  if (name == "lanczos6") return 6;
  return name == "box"                                                  ? 0.5
         : name == "triangle"                                           ? 1
         : name == "lanczos3" || name == "kaiser" || name == "gaussian" ? 3
                                                                        : 2;
}

double filter_weight(const std::string& name, double distance) {
  const double x = std::fabs(distance);
  if (x >= filter_radius(name)) return 0;
  if (name == "triangle") return 1 - x;
  if (name.starts_with("lanczos")) return sinc(x) * sinc(x / filter_radius(name));
  if (name == "gaussian") return std::exp(-2 * x * x);
  if (name == "catmull-rom")  // Keys 1981, a = -1/2
    return x < 1 ? 1.5 * x * x * x - 2.5 * x * x + 1 : -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2;
  if (name == "cubic") return x < 1 ? 2.0 / 3 - x * x + x * x * x / 2 : (2 - x) * (2 - x) * (2 - x) / 6;  // B-spline
  if (name == "kaiser") return sinc(x) * bessel(4 * std::sqrt(1 - x * x / 9)) / bessel(4);
  // Mitchell and Netravali, B = C = 1/3
  return x < 1 ? (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6
               : (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6;
}

// The rows of an image resized along x without ringing, as columns.
static Image limited_rows(const Image& image, int width, const std::string& filter, Border border) {
  Image result = image;
  result.width = image.height;
  result.height = width;
  result.texels.assign(size_t(width) * size_t(image.height), {});
  const double ratio = double(image.width) / width, scale = std::max(1.0, ratio);
  const bool has_negative =
      filter == "kaiser" || filter == "mitchell" || filter == "catmull-rom" || filter.starts_with("lanczos");
  for (int x = 0; x < width; ++x) {
    const double center = (x + 0.5) * ratio;
    const Taps taps = within(resize_taps(x, image.width, width, filter), image.width, border);
    for (int y = 0; y < image.height; ++y)
      for (size_t c = 0; c < 4; ++c) {
        double sum = 0, least = INFINITY, most = -INFINITY;
        for (const auto& [place, weight] : taps) sum += weight * image.at(place, y)[c];
        const int reach = int(std::ceil(2 * scale)) + 1;
        for (int place = int(center) - reach; place <= int(center) + reach; ++place) {
          const double distance = std::fabs(place + 0.5 - center) / scale;
          const double number = image.at(inside(place, image.width, border), y)[c];
          if (distance < 1.999999) least = std::min(least, number);
          if (distance < 1.5 && filter_weight(filter, distance) > 1e-9) most = std::max(most, number);
        }
        if (has_negative) sum = std::max(least, std::min(sum, most + (most - least) / 4));
        result.at(y, x)[c] = sum;
      }
  }
  return result;
}

Image resized(const Image& image, int width, int height, const std::string& filter, Border border, Ringing ringing) {
  if (ringing == Ringing::limit) {
    Image result = limited_rows(limited_rows(image, width, filter, border), height, filter, border);
    if (!image.has_alpha)
      for (Position& texel : result.texels) texel[3] = 1;
    return result;
  }
  return filtered(
      image, width, height, [&](int x) { return resize_taps(x, image.width, width, filter); },
      [&](int y) { return resize_taps(y, image.height, height, filter); }, border);
}

Image halved(const Image& image) {
  return filtered(
      image, std::max(1, image.width / 2), std::max(1, image.height / 2),
      [&](int x) { return level_taps(x, image.width); }, [&](int y) { return level_taps(y, image.height); },
      Border::clamp);
}

}  // namespace definitions
