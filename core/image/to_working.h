// Conversion between file values and working values, which are linear, premultiplied, half or float. Parallel; it needs
// no device.
#pragma once

#include "core/image/picture.h"

#include <string>

namespace gpupost {

// sRGB, IEC 61966-2-1.
double srgb_decode(double encoded);
double srgb_encode(double linear);
// ITU-R BT.709, 1.2, from value to light.
double bt709_decode(double encoded);
// The name of a transfer function: "srgb"; of power with its exponent: "power 2.2".
std::string name_of(Transfer transfer, double exponent);

// SMPTE ST 2084 (pq) and ITU-R BT.2100 (hlg), between light and file values. Decoding keeps NaN, makes values below 0 black,
// and makes PQ values from 1.99 on infinite, where the curve has its pole.
double pq_decode(double encoded);
double pq_encode(double light);
double hlg_decode(double encoded);
double hlg_encode(double light);
// Light of the largest file value.
double largest_light(Transfer transfer);

// Converts the color group of `picture` to linear, premultiplied values of depth `storage` (half or f32). Other groups
// do not change. Returns the number of finite values above 65504 that were clamped for half.
size_t make_working(Picture& picture, Depth storage);
// The same for a picture with straight alpha, which stays straight.
size_t make_linear_straight(Picture& picture, Depth storage);

// Returns whether color has straight alpha that is 0 in every texel, and is not black. Premultiplied, it is black.
bool is_all_hidden(const Picture& picture);
inline constexpr std::string_view all_hidden_warning = "every texel has alpha 0, so its color is invisible";

// Counts of values that integers cannot hold.
struct Clipped {
  size_t above = 0;        // values above 1
  size_t below = 0;        // values below 0
  size_t nan = 0;          // NaN, which becomes 0
  size_t total = 0;        // all values
  size_t unseen = 0;       // texels with alpha 0 and light, which straight alpha shows as transparent
  size_t texel_count = 0;  // all texels
};

// Rounding to integers: to nearest, or by a pattern of 8 x 8 texels that keeps the mean.
enum class Dither { none, ordered };

// Offset before truncation for dithering: between 0 and 1, 64 evenly spaced values. Source: B. E. Bayer, An Optimum
// Method for Two-Level Rendition of Continuous-Tone Pictures, 1973.
double ordered_threshold(int x, int y);

// Converts the color of a level from `from` (half or f32, linear, four values per texel) to u8 or u16 in `to`: straight
// alpha, sRGB if `transfer` says so (never alpha), rounded to nearest. `alpha` is that of `from`: premultiplied color is
// divided by alpha, except where alpha is 0. `dither` is for u8: values that are exact integers within the precision of
// their depth stay, R, G and B of a texel use the same offset, and alpha is rounded.
Clipped make_integers(const Group& group, const Level& from, Depth depth, Transfer transfer, TexelBuffer& to,
                      Dither dither = Dither::none, Alpha alpha = Alpha::premultiplied);

// Converts integers to u8 or u16 in place: values of 8 bits exactly, others rounded to nearest. Encoding and alpha stay.
void change_integer_depth(Group& group, Depth depth);

// Converts a level to another float depth in place. Returns the number of finite values that were clamped.
size_t change_depth(Group& group, Depth depth);

}  // namespace gpupost
