// Small pictures in double for the independent definitions of this folder. Nothing here comes from the program's sources.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace definitions {

using Rgb = std::array<double, 3>;
using Position = std::array<double, 4>;  // R, G, B premultiplied by alpha, alpha

struct Window {
  int left, top, right, bottom;  // the last column and row belong to it
  bool operator==(const Window&) const = default;
};

struct Image {
  int width = 0, height = 0;
  bool has_alpha = false;
  bool is_gray = false;  // has the channel Y alone; R, G and B of each texel are it
  std::vector<Position> texels;
  std::vector<double> depth;  // channel Z; empty if there is none
  Window data{}, display{};   // as read; what is written begins at (0, 0) unless `has_windows`
  bool has_windows = false;
  std::string name;  // for messages

  Position& at(int x, int y) { return texels[size_t(y) * size_t(width) + size_t(x)]; }
  const Position& at(int x, int y) const { return texels[size_t(y) * size_t(width) + size_t(x)]; }
};

// An image whose numbers `texel_of` gives, rounded to floats.
Image made(std::string name, int width, int height, bool has_alpha, const std::function<Position(int, int)>& texel_of);
// The same number for the same place, in [0, 1).
double noise(int x, int y, int channel, int seed = 0);

// What ops meet: 1x1, 17x9 with alpha, 64x48 without, each with light from 2^-6 to 2^4.
Image one(), odd(), wide();
// 1x37 with alpha, 50x1, and 150x110 with depths from 1.2 to 9.
Image column(), row(), large();
// 64x48 whose light reaches from 0 to 1.
Image dim();
// 17x9 of which every second texel is transparent black.
Image holes();
// 17x9 of which some numbers are negative.
Image negatives();
// One texel of light at (x, y) in black.
Image star(int width, int height, int x, int y, double light = 1);

Image mapped(const Image& image, const std::function<Position(Position)>& f);  // rounded to floats
Image scaled(const Image& image, double factor);                               // R, G and B
Image mirrored(const Image& image, bool x, bool y);
Image permuted(const Image& image);  // R, G, B become G, B, R
Image sum(const Image& a, const Image& b);
Image shifted(const Image& image, int x, int y);  // what comes in is transparent black

double luminance(const Rgb& c);
Rgb rgb_of(const Position& texel);
// f of color that is not multiplied by alpha; transparent black stays.
Image unpremultiply(const Image& image, const std::function<Rgb(Rgb)>& f);

struct Moments {
  double sum = 0, x = 0, y = 0;  // x and y: the centroid, texel centers at whole numbers
};
Moments moments(const Image& image, int channel);

void write_exr(const Image& image, const std::string& path);
// All levels of a file. Numbers are floats as they stand in it.
std::vector<Image> read_exr(const std::string& path);

}  // namespace definitions
