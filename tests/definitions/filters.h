// Separable filters in double, as the definitions of blur, resize and mips give them.
#pragma once

#include "tests/definitions/image.h"

#include <utility>
#include <vector>

namespace definitions {

enum class Border { clamp, repeat, mirror, black, renormalize };

// The shares that one result takes of places along a line, which may lie outside of it.
using Taps = std::vector<std::pair<int, double>>;  // place, weight

// Each column of the result from the columns `columns` gives for it, each row likewise. Weights are used as they are, but
// for Border::renormalize, where those outside are left out and the rest are made 1.
Image filtered(const Image& image, int width, int height, const std::function<Taps(int)>& columns,
               const std::function<Taps(int)>& rows, Border border);

Taps identity(int at);
Taps gaussian(int at, double sigma, int radius);
Taps box(int at, int radius);
Image blurred(const Image& image, double sigma, int radius, Border border = Border::clamp);

// Filters of one axis by name, at distances in texels of the coarser side.
double filter_weight(const std::string& name, double distance);
double filter_radius(const std::string& name);
// With limits no sum along an axis, rows first, is below the least texel within 2 texels of the coarser side, nor above the largest
// texel around the middle that has a positive weight by more than a quarter of the difference.
enum class Ringing { limit, keep };
Image resized(const Image& image, int width, int height, const std::string& filter, Border border = Border::clamp,
              Ringing ringing = Ringing::limit);

// The next level: each texel the mean over its area, odd sides by three taps.
Image halved(const Image& image);

}  // namespace definitions
