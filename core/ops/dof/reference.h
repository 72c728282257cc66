// Depth of field of a thin lens, by its definition in double.
#pragma once

#include "core/op/op.h"

#include <vector>

namespace gpupost {

struct Lens {
  double f_stop = 2.8;
  double focal_length = 0.05;   // meters
  double focus = 2;             // meters to what is sharp; may be infinite
  double sensor_width = 0.036;  // meters, of the frame
};

// Diameter of the circle that a point at a distance of `1 / inverse_distance` meters makes on the sensor, in meters: positive
// nearer than the focus, negative beyond it. What is nearer than the focal length counts as that near. Source: Potmesil and
// Chakravarty, A Lens and Aperture Camera Model, 1981: F^2 (P - U) / (n U (P - F)).
double circle_of_confusion(const Lens& lens, double inverse_distance);

// What light that is out of focus becomes: a disk or a polygon, of circles of up to a largest radius.
struct Aperture {
  int blades = 0;        // 0: a disk
  double rotation = 0;   // degrees
  double roundness = 0;  // from a polygon, 0, to a disk, 1
  int max_radius = 32;   // texels
};

// The aperture's edge in the direction (x, y), as a share of the radius; 1 in its corners.
double edge_of(const Aperture& aperture, double x, double y);
// Texels that a circle has: the sums of its shares at every sixteenth of a texel of radius, and between those on straight
// lines.
constexpr int areas_a_texel = 16;
std::vector<double> areas_of(const Aperture& aperture);
double area_of(const std::vector<double>& areas, double radius);

enum class Show { result, circles, near_field, far_field, coverage };
inline constexpr std::string_view show_names[] = {"result", "coc", "near", "far", "coverage"};

struct DepthOfField {
  Lens lens;
  Aperture aperture;
  bool is_inverse = false;  // depths are 1 / distance
  double scale = 1;         // what makes meters of them, or of their inverse
  Show show = Show::result;
  int frame_width = 0;   // texels, of which the picture may be a part; 0: it is the frame
  bool is_half = false;  // fields are made of texels of twice the side
};

// Texels of the sensor's width, where a picture is so wide.
int frame_width(const DepthOfField& field, int width);
// Radius in texels of a frame that is `width` wide, with its circle's sign. Depths that are no distance, holes, are
// infinitely far.
double radius_of(const DepthOfField& field, double depth, int width);

// The picture through the lens. A texel nearer than the focus whose circle is over one texel wide is of the near field: its
// light is spread over its circle, and what the circles around a place leave uncovered there shows what is behind it. One
// beyond the focus takes the mean of those beyond it in whose circle, no larger than its own, it lies. What is in focus stays.
// With is_half the fields are made of the means of 2x2 texels, of the near ones where there are any, else of those beyond the
// focus; they are interpolated, and circles of one to three texels fade from the sharp picture.
Planes through_lens(const Planes& picture, const Plane& depth, const DepthOfField& field);
// What the device may be off by there, where the picture is off by `error`.
Planes through_lens_tolerance(const Planes& picture, const Planes& error, const Plane& depth, const DepthOfField& field,
                              Depth storage);

}  // namespace gpupost
