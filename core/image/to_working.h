// Between a file's numbers and the device's: linear, premultiplied, half or float. On every core, no device needed.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

// sRGB, IEC 61966-2-1.
double srgb_decode(double encoded);
double srgb_encode(double linear);
// ITU-R BT.709, 1.2, from number to light.
double bt709_decode(double encoded);
// SMPTE ST 2084 (pq) and the curves of ITU-R BT.2100 (hlg), between numbers of light and numbers in a file.
double pq_decode(double encoded);
double pq_encode(double light);
double hlg_decode(double encoded);
double hlg_encode(double light);
// Light of the largest number of a file.
double largest_light(Transfer transfer);

// Makes the color group of `picture` ready for the device: linear, premultiplied, of depth `storage` (half or f32). Other
// groups stay as they are. Returns how many finite values over 65504 were clamped on their way to half.
size_t make_working(Picture& picture, Depth storage);

// What a picture loses on its way to integers.
struct Clipped {
  size_t above = 0;  // numbers over 1
  size_t below = 0;  // numbers under 0
  size_t nan = 0;    // numbers that are none; they become 0
  size_t total = 0;  // numbers in all
};

// How numbers between two integers become one of them: the nearest, or by a pattern of 8 x 8 texels, which keeps their mean.
enum class Dither { none, ordered };

// What is added to a number before it is cut off, where it is dithered: over 0 and under 1, with 64 values that lie
// evenly. Source: B. E. Bayer, An Optimum Method for Two-Level Rendition of Continuous-Tone Pictures, 1973.
double ordered_threshold(int x, int y);

// The color of a working level as integers: `from` (half or f32, linear premultiplied, four a texel) to u8 or u16 in `to`
// (as many numbers), straight alpha, sRGB if `transfer` says so (alpha never), rounded to the nearest. A texel of alpha 0
// keeps its color as it stands. `dither` is of u8: a number that is as near to an integer as its depth can tell becomes
// that, red, green and blue of a texel go the same way, and alpha is rounded.
Clipped make_integers(const Group& group, const Level& from, Depth depth, Transfer transfer, TexelBuffer& to,
                      Dither dither = Dither::none);

// Every number of a level in another float depth, in place. Returns how many finite values were clamped.
size_t change_depth(Group& group, Depth depth);

}  // namespace gpupost
